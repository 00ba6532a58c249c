import { DnsFault } from './dns-fault.ts';

/** The labels of a name, each octet of them one character; the root has none. Compared without regard to case. */
export type DomainName = readonly string[];

/** RFC 1035 §2.3.4, with the octet of each label's length and the root's. */
const longestName = 255;
const longestLabel = 63;

/**
 * Reads a name as zone files write it (RFC 1035 §5.1): `\.` and `\\` are characters of a label, `\065` is an octet. A dot
 * at the end changes nothing.
 * @throws DnsFault
 */
export function parseName(text: string): DomainName {
  if (text === '.') return [];
  const labels: string[] = [''];
  for (const [token] of text.matchAll(/\\\d{3}|\\?./gs)) {
    if (token === '.') labels.push('');
    else labels[labels.length - 1] += characterOf(token);
  }
  if (labels.length > 1 && labels.at(-1) === '') labels.pop();
  return checkName(labels);
}

function characterOf(token: string): string {
  const isNumber = /^\\\d{3}$/.test(token);
  const character = isNumber ? String.fromCharCode(Number(token.slice(1))) : token.replace(/^\\(?!\d)/, '');
  const limit = isNumber ? 0xff : 0x7e;
  if (character.length !== 1 || character.charCodeAt(0) > limit) throw new DnsFault('name');
  return character;
}

/** As zone files write it, without a dot at the end; the root is `.`. */
export function formatName(name: DomainName): string {
  if (name.length === 0) return '.';
  return name.map((label) => label.replaceAll(/[^!-~]|[.\\"();@$]/g, escaped)).join('.');
}

function escaped(character: string): string {
  if (/[!-~]/.test(character)) return `\\${character}`;
  return `\\${character.charCodeAt(0).toString().padStart(3, '0')}`;
}

/** @throws DnsFault unless every label and the whole have a possible length */
export function checkName(name: DomainName): DomainName {
  const length = name.reduce((sum, label) => sum + label.length + 1, 1);
  const isPossible = name.every((label) => label.length > 0 && label.length <= longestLabel);
  if (!isPossible || length > longestName) throw new DnsFault('name');
  return name;
}

/** One text for all spellings of a name. */
export function nameKey(name: DomainName): string {
  // Of ASCII alone (RFC 4343): toLowerCase() would also change letters above it.
  return formatName(name).replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function isSameName(one: DomainName, other: DomainName): boolean {
  return one.length === other.length && nameKey(one) === nameKey(other);
}

/** Whether a name is the zone's own or lies below it. */
export function isWithin(name: DomainName, zone: DomainName): boolean {
  return name.length >= zone.length && isSameName(name.slice(name.length - zone.length), zone);
}
