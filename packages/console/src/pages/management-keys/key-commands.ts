/** What a person runs with a management key, as in docs/guides/remote.md. Pure. */

/** @param origin of the server: `https://waxwing.example.com`. @param organizationId left out: of the instance */
export function keyCommands(token: string, origin: string, organizationId?: string) {
  const path = organizationId === undefined ? 'instance' : `organizations/${organizationId}/certificates`;
  const command = organizationId === undefined ? 'organization list' : 'certificate list';
  return {
    // Keeps the token in files: a list of processes would show an argument.
    keepHeader: `umask 077
printf 'Authorization: Bearer %s\\n' '${token}' > management.header`,
    curl: `curl -sS --fail -H @management.header ${origin}/api/v1/${path}`,
    keepKey: `umask 077
printf '%s\\n' '${token}' > ~/.waxwing-key`,
    waxwing: `npx --no waxwing ${command} --server ${origin} --token-file ~/.waxwing-key`,
  };
}
