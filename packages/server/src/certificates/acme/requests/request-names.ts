import { domainToASCII, domainToUnicode } from 'node:url';
import { mostRequestedNames, type NameFault, readRequestedName } from '@waxwing/contract/requested-names.ts';
import { parseAddress } from '../../../http/request/ip-address.ts';
import { Problem } from '../../../runtime/problem.ts';
import { challengeName } from '../proofs/delegation-target.ts';

/** RFC 1035 §2.3.4, as text without a dot at the end. */
const longestName = 253;

interface NameRules {
  /** The field that a refusal names. */
  readonly field: string;
  /** Whether addresses may be among them. */
  readonly addresses: boolean;
  /** Whether they are proved by a record whose name is longer. */
  readonly byDns?: boolean;
}

/**
 * Names as a certificate has them: A-labels in lower case without a trailing dot, each once, in the given order.
 * @throws Problem `invalid_parameter`, naming the field and what to do
 */
export function checkRequestedNames(
  given: readonly string[],
  { field, addresses, byDns = false }: NameRules,
): readonly string[] {
  const names = [...new Set(given.map((text) => checkedName(text.trim(), field, addresses)))];
  const tooLong = byDns ? names.find((name) => challengeName(name).length > longestName) : undefined;
  if (tooLong !== undefined) {
    const words = `${tooLong} is too long for a proof by DNS: with _acme-challenge. before it, a name has at most`;
    throw refused(field, `${words} ${longestName} characters. Leave it out, or prove it by http-01.`);
  }
  if (names.length === 0) throw refused(field, 'At least one domain is needed.');
  if (names.length <= mostRequestedNames) return names;
  throw refused(
    field,
    `A certificate has at most ${mostRequestedNames} names; these are ${names.length}. Make two of them.`,
  );
}

function checkedName(text: string, field: string, addresses: boolean): string {
  const read = readRequestedName(text, isGoodALabel);
  if (read.kind === 'name') return read.name;
  if (read.kind === 'fault') throw refused(field, faultWords[read.fault](text, read.part));
  if (addresses) return parseAddress(read.address)?.text ?? read.address;
  throw refused(field, `${text} is an address. Only an authority's profile for addresses allows it: --profile ip.`);
}

const faultWords: Readonly<Record<NameFault, (text: string, part: string) => string>> = {
  not_a_name: (text, part) =>
    part === text
      ? `"${text}" is not a domain name. Write it as www.example.com.`
      : `${text} is not a domain name: "${part}" cannot be a part of one.`,
  not_bare: (text) => `${text} is not a name: leave out scheme, port and path, such as in www.example.com.`,
  underscore: (text) => `${text} has an underscore, which no authority allows in a name.`,
  wildcard_inside: (text) => `${text} may have only its first label as a wildcard: *.example.com.`,
  one_label: (text, part) => `${text} has one label. Authorities issue for whole names such as ${part}.example.com.`,
  like_an_address: (text) => `${text} ends like an address. Write a domain name.`,
};

/** An A-label must be what its own characters are written as. */
function isGoodALabel(text: string): boolean {
  const characters = domainToUnicode(text);
  return characters !== '' && characters !== text && domainToASCII(characters) === text;
}

function refused(field: string, detail: string): Problem {
  return new Problem('invalid_parameter', { field, detail });
}
