/** Which names a certificate can be requested for. The server and the console decide by the same rules. Pure. */

/** The most names of one certificate. */
export const mostRequestedNames = 100;

/** Why a name is refused. */
export const nameFaults = [
  'not_a_name',
  'not_bare',
  'underscore',
  'wildcard_inside',
  'one_label',
  'like_an_address',
] as const;
export type NameFault = (typeof nameFaults)[number];

/** Why a request cannot succeed whose names are good, as the `reason` of its refusal. */
export const requestRefusals = [
  'wildcard_needs_dns',
  'provider_needs_dns',
  'tls_alpn_off',
  'dns_provider_needed',
  'address_not_by_dns',
  'name_of_another',
] as const;
export type RequestRefusal = (typeof requestRefusals)[number];

export type ReadName =
  /** As a certificate has it: A-labels in lower case without a trailing dot. */
  | { readonly kind: 'name'; readonly name: string }
  /** An IP address, without brackets. Only some profiles allow it. */
  | { readonly kind: 'address'; readonly address: string }
  /** `part`: the label at fault; the whole where no single one is. */
  | { readonly kind: 'fault'; readonly fault: NameFault; readonly part: string };

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * @param given without white space around it
 * @param isALabel whether a label that begins with `xn--` is the form of other characters; a browser cannot tell
 */
export function readRequestedName(given: string, isALabel: (text: string) => boolean = () => true): ReadName {
  const address = readAddress(given.replace(/^\[(.*)\]$/, '$1'));
  if (address !== undefined) return { kind: 'address', address };
  if (/[/:@?#\\%]/.test(given)) return fault('not_bare', given);
  const isWildcard = given.startsWith('*.');
  const name = toAscii(isWildcard ? given.slice(2) : given);
  if (name === undefined) return fault('not_a_name', given);
  const labels = name.split('.');
  if (name.includes('_')) return fault('underscore', given);
  if (name.includes('*')) return fault('wildcard_inside', given);
  const wrong = labels.find((each) => !label.test(each) || !isGoodLabel(each, isALabel));
  if (wrong !== undefined || name.length > 253) return fault('not_a_name', wrong ?? name);
  if (labels.length < 2) return fault('one_label', name);
  if (/^\d+$/.test(labels.at(-1) ?? '')) return fault('like_an_address', given);
  return { kind: 'name', name: isWildcard ? `*.${name}` : name };
}

function fault(fault: NameFault, part: string): ReadName {
  return { kind: 'fault', fault, part };
}

/** Undefined where no name of a host can be made of it. */
function toAscii(given: string): string | undefined {
  const text = given.replace(/[.。．｡]$/, '');
  const isPlain = /^[\x21-\x7e]*$/.test(text);
  const ascii = isPlain ? text.toLowerCase() : hostOf(text);
  return ascii === undefined || ascii === '' || isIpv4(ascii) ? undefined : ascii;
}

/** Of a URL: other characters become A-labels, and numbers addresses. */
function hostOf(text: string): string | undefined {
  return URL.parse(`http://${text}`)?.hostname;
}

/** The third and fourth characters `--` are kept for encodings, of which there is one. */
function isGoodLabel(text: string, isALabel: (text: string) => boolean): boolean {
  return !/^..--/.test(text) || (text.startsWith('xn--') && isALabel(text));
}

function readAddress(text: string): string | undefined {
  if (isIpv4(text)) return text;
  if (!text.includes(':') || !/^[\da-f:.]+$/i.test(text)) return undefined;
  return hostOf(`[${text}]`)?.slice(1, -1);
}

/** Four numbers without leading zeros. */
function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}
