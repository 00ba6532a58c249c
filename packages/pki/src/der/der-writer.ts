/** DER encoding (X.690 §10, §11). Each function returns a whole element: identifier, length, content. */
export function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOctets(content.length), content]);
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const octets = bigEndian(BigInt(length));
  return Buffer.concat([Buffer.from([0x80 | octets.length]), octets]);
}

function bigEndian(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => element(0x30, ...contents);
export const octetString = (...contents: readonly Uint8Array[]): Buffer => element(0x04, ...contents);
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0x00]));
export const nullValue = (): Buffer => element(0x05);

/** [n] EXPLICIT, and [n] IMPLICIT of a constructed type. */
export const constructed = (n: number, ...contents: readonly Uint8Array[]): Buffer => element(0xa0 | n, ...contents);
/** [n] IMPLICIT of a primitive type. */
export const primitive = (n: number, content: Uint8Array): Buffer => element(0x80 | n, content);

/** SET OF. DER sorts the members by their encoding. */
export function setOf(...members: readonly Buffer[]): Buffer {
  return element(0x31, ...members.toSorted(Buffer.compare));
}

export function integer(value: number | bigint): Buffer {
  const octets = bigEndian(BigInt(value));
  const signBit = ((octets[0] ?? 0) & 0x80) !== 0;
  return element(0x02, signBit ? Buffer.concat([Buffer.of(0), octets]) : octets);
}

/** A BIT STRING of whole octets, or with `unusedBits` at its end. */
export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return element(0x03, Buffer.of(unusedBits), content);
}

export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text, 'utf8'));

/** A BMPString: UCS-2, big endian. */
export function bmpString(text: string): Buffer {
  return element(0x1e, Buffer.from(text, 'utf16le').swap16());
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const octets = [first * 40 + second, ...rest].flatMap(base128);
  return element(0x06, Buffer.from(octets));
}

function base128(arc: number): number[] {
  const octets = [arc % 128];
  for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) octets.unshift(0x80 | (left % 128));
  return octets;
}

/** A certificate's Time: UTCTime through 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). */
export function time(epochMs: number): Buffer {
  const digits = new Date(epochMs)
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/\D/g, '');
  const general = digits >= '2050';
  return element(general ? 0x18 : 0x17, Buffer.from(`${general ? digits : digits.slice(2)}Z`, 'ascii'));
}
