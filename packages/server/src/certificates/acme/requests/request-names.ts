import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { parseAddress } from '../../../http/request/ip-address.ts';
import { Problem } from '../../../runtime/problem.ts';

const mostNames = 100;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

interface NameRules {
  /** The field that a refusal names. */
  readonly field: string;
  /** Whether addresses may be among them. */
  readonly addresses: boolean;
}

/**
 * Names as a certificate has them: A-labels in lower case without a trailing dot, each once, in the given order.
 * @throws Problem `invalid_parameter`, naming the field and what to do
 */
export function checkRequestedNames(given: readonly string[], { field, addresses }: NameRules): readonly string[] {
  const names = [...new Set(given.map((text) => checkedName(text.trim(), field, addresses)))];
  if (names.length === 0) throw refused(field, 'At least one domain is needed.');
  if (names.length <= mostNames) return names;
  throw refused(field, `A certificate has at most ${mostNames} names; these are ${names.length}. Make two of them.`);
}

function checkedName(text: string, field: string, addresses: boolean): string {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) {
    if (addresses) return parseAddress(bare)?.text ?? bare;
    throw refused(field, `${text} is an address. Only an authority's profile for addresses allows it: --profile ip.`);
  }
  if (/[/:@?#\\%]/.test(text)) {
    throw refused(field, `${text} is not a name: leave out scheme, port and path, such as in www.example.com.`);
  }
  const isWildcard = text.startsWith('*.');
  const name = toAscii(isWildcard ? text.slice(2) : text, text, field);
  const labels = name.split('.');
  if (name.includes('_')) throw refused(field, `${text} has an underscore, which no authority allows in a name.`);
  if (name.includes('*')) throw refused(field, `${text} may have only its first label as a wildcard: *.example.com.`);
  const wrong = labels.find((each) => !label.test(each) || !isGoodALabel(each));
  if (wrong !== undefined || name.length > 253) {
    throw refused(field, `${text} is not a domain name: "${wrong ?? name}" cannot be a part of one.`);
  }
  if (labels.length < 2) {
    throw refused(field, `${text} has one label. Authorities issue for whole names such as ${name}.example.com.`);
  }
  if (/^\d+$/.test(labels.at(-1) ?? '')) throw refused(field, `${text} ends like an address. Write a domain name.`);
  return isWildcard ? `*.${name}` : name;
}

function toAscii(text: string, whole: string, field: string): string {
  const trimmed = text.replace(/[.。．｡]$/, '');
  // Node's function also takes what only URLs may have, and turns numbers into addresses.
  const isPlain = /^[\x21-\x7e]*$/.test(trimmed);
  const ascii = isPlain ? trimmed.toLowerCase() : domainToASCII(trimmed);
  if (ascii !== '' && isIP(ascii) === 0) return ascii;
  throw refused(field, `${whole} is not a domain name. Write it as www.example.com.`);
}

/** An A-label must be what its own characters are written as. */
function isGoodALabel(text: string): boolean {
  if (!/^..--/.test(text)) return true;
  if (!text.startsWith('xn--')) return false;
  const characters = domainToUnicode(text);
  return characters !== '' && characters !== text && domainToASCII(characters) === text;
}

function refused(field: string, detail: string): Problem {
  return new Problem('invalid_parameter', { field, detail });
}
