/** What a person runs on the server that sends, as in docs/guides/sending-messages.md. Pure. */

/** @param base of the instance, without a slash at its end. @param text of the sample message */
export function sendCommands(token: string, base: string, text: string) {
  const body = JSON.stringify({ mobiles: ['+8613800138000'], content: text }).replaceAll("'", "'\\''");
  return {
    // Keeps the token in a file: a list of processes would show an argument.
    keepToken: `umask 077
printf 'Authorization: Bearer %s\\n' '${token}' > messaging.header`,
    send: `curl -sS --fail -H @messaging.header -H 'Content-Type: application/json' \\
  -d '${body}' ${base}/api/messages`,
    report: `curl -sS --fail -H @messaging.header ${base}/api/messages/BATCH_ID`,
  };
}
