/**
 * A new token for people, who see it this once, and how to try it.
 * @param title `The token`
 * @param url where a GET with the token changes nothing
 */
export function tokenLines(title: string, url: string, token: string): readonly string[] {
  return [`${title}, shown this once:`, `  ${token}`, 'Try it from an address on the list:', curl(url, token)];
}

/** To copy and paste into a shell. The token goes by stdin: every account of the machine may read arguments. */
function curl(url: string, token: string): string {
  return [`curl -sS -H @- ${url} <<'END'`, `Authorization: Bearer ${token}`, 'END'].join('\n');
}
