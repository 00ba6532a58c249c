import { children, type DerElement, expectTag, tags } from './der.ts';
import { damaged } from './unreadable.ts';

/** In dotted form. */
export function objectIdentifier(element: DerElement): string {
  const { content } = expectTag(element, tags.objectIdentifier);
  if (content.length === 0 || content.length > 64 || ((content.at(-1) ?? 0) & 0x80) !== 0) throw badIdentifier();
  const arcs: bigint[] = [];
  let arc = 0n;
  let fresh = true;
  for (const octet of content) {
    if (fresh && octet === 0x80) throw badIdentifier();
    arc = (arc << 7n) | BigInt(octet & 0x7f);
    fresh = (octet & 0x80) === 0;
    if (!fresh) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const [head = 0n, ...rest] = arcs;
  const first = head < 80n ? head / 40n : 2n;
  return [first, head - first * 40n, ...rest].join('.');
}

const badIdentifier = () => damaged('encoding_identifier');

/** The octets of an INTEGER, big endian, without the sign octet. @throws Unreadable when negative or not minimal */
export function unsignedInteger(element: DerElement): Buffer {
  const { content } = expectTag(element, tags.integer);
  const [first, second = 0] = content;
  const padded = first === 0 && content.length > 1;
  if (first === undefined || first >= 0x80 || (padded && second < 0x80)) throw damaged('encoding_integer');
  return padded ? content.subarray(1) : content;
}

/** A non-negative INTEGER of at most 31 bits, such as a version or a count. */
export function smallInteger(element: DerElement): number {
  const octets = unsignedInteger(element);
  const value = octets.length <= 4 ? octets.readUIntBE(0, octets.length) : Number.POSITIVE_INFINITY;
  if (value > 0x7fffffff) throw damaged('encoding_number_out_of_range');
  return value;
}

export function bitLength(unsigned: Buffer): number {
  const first = unsigned.findIndex((octet) => octet !== 0);
  return first < 0 ? 0 : (unsigned.length - first - 1) * 8 + (32 - Math.clz32(unsigned[first] ?? 0));
}

export function booleanValue(element: DerElement): boolean {
  const { content } = expectTag(element, tags.boolean);
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) throw damaged('encoding_boolean');
  return content[0] === 0xff;
}

/** The octets of an OCTET STRING. BER may split them into pieces. */
export function octets(element: DerElement, tag: number = tags.octetString): Buffer {
  if (element.tag === tag) return element.content;
  if (!element.ber || element.tag !== (tag | 0x20)) throw damaged('encoding_no_octets');
  return Buffer.concat(children(element).map((piece) => expectTag(piece, tags.octetString).content));
}

/** The octets of a BIT STRING without unused bits. */
export function bitStringOctets(element: DerElement): Buffer {
  const { content } = expectTag(element, tags.bitString);
  if (content[0] !== 0) throw damaged('encoding_bits');
  return content.subarray(1);
}

/** The first octet of a list of named bits, most significant bit first. */
export function namedBits(element: DerElement): number {
  const { content } = expectTag(element, tags.bitString);
  if (content.length === 0 || (content[0] ?? 8) > 7) throw damaged('encoding_bits');
  return content[1] ?? 0;
}

const timeForm = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;

/** A certificate's Time in epoch milliseconds. RFC 5280 §4.1.2.5 allows one form: UTC, with seconds. */
export function timeValue(element: DerElement): number {
  const text = element.content.toString('latin1');
  const [, year, ...rest] = timeForm.exec(fullYear(element.tag, text)) ?? [];
  if (year === undefined) throw damaged('encoding_date');
  const [month, day, hour, minute, second] = rest;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const epochMs = Date.parse(iso);
  // Date.parse takes 30 February for 2 March and 24:00 for the next day. The comparison finds both.
  if (Number.isNaN(epochMs) || new Date(epochMs).toISOString() !== iso) throw damaged('encoding_impossible_date');
  return epochMs;
}

function fullYear(tag: number, text: string): string {
  if (tag === tags.generalizedTime) return text;
  if (tag !== tags.utcTime) throw damaged('encoding_no_date');
  return `${text.slice(0, 2) < '50' ? '20' : '19'}${text}`;
}

/** The text of any ASN.1 string type. Undefined for other types and for malformed text. */
export function stringValue(element: DerElement): string | undefined {
  const { tag, content } = element;
  switch (tag) {
    case 0x0c:
      return decode('utf-8', content);
    case 0x12:
    case 0x13:
    case 0x16:
    case 0x1a:
      return content.every((octet) => octet < 0x80) ? content.toString('latin1') : undefined;
    case 0x14:
      return content.toString('latin1');
    case 0x1e:
      return content.length % 2 === 0 ? decode('utf-16be', content) : undefined;
    default:
      return undefined;
  }
}

function decode(encoding: string, content: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}
