/** The common name of an RFC 4514 name, else all of it: `CN=R11,O=Let's Encrypt,C=US` → `R11`. Pure. */
export function commonName(name: string): string {
  const [, value] = /(?:^|,)CN=((?:\\.|[^,\\+])+)/.exec(name) ?? [];
  return value === undefined
    ? name
    : value.replace(/\\([0-9a-f]{2})|\\(.)/gi, (_all, _hex, character: string) => character ?? '·');
}
