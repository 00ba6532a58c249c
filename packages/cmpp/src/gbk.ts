/** GBK, the Chinese character set of Msg_Fmt 15: ASCII in one octet each, everything else in two. */

const decoder = new TextDecoder('gbk');

/** Octets that are no GBK become U+FFFD. */
export function decodeGbk(octets: Uint8Array): string {
  return decoder.decode(octets);
}

export function isGbk(text: string): boolean {
  codes ??= readCodes();
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f && codes[unit] === 0) return false;
  }
  return true;
}

/** @throws RangeError at a character that GBK lacks; check with `isGbk` first */
export function encodeGbk(text: string): Uint8Array {
  codes ??= readCodes();
  const octets: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const code = unit > 0x7f ? (codes[unit] ?? 0) : unit;
    if (unit > 0x7f && code === 0) throw new RangeError('a character is not in GBK');
    if (code > 0xff) octets.push(code >> 8);
    octets.push(code & 0xff);
  }
  return Uint8Array.from(octets);
}

/** By UTF-16 unit. 0: GBK lacks it. Made on first use, which takes tens of milliseconds. */
let codes: Uint16Array | undefined;

/** There is a decoder of GBK in the runtime, but no encoder. */
function readCodes(): Uint16Array {
  const pairs = twoOctetCodes();
  const octets = pairs.flatMap((code) => [code >> 8, code & 0xff, 0x0a]);
  const characters = decodeGbk(Uint8Array.from(octets)).split('\n');
  const table = new Uint16Array(0x1_0000);
  for (const [index, code] of pairs.entries()) {
    const unit = characters[index]?.charCodeAt(0) ?? 0xfffd;
    // Of two codes for one character (the wide space) the first is the usual one.
    if (!isPrivate(unit) && table[unit] === 0) table[unit] = code;
  }
  return table;
}

function twoOctetCodes(): readonly number[] {
  const codes: number[] = [];
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) if (trail !== 0x7f) codes.push((lead << 8) | trail);
  }
  return codes;
}

/** What each maker may use as it likes means nothing to a phone. */
function isPrivate(unit: number): boolean {
  return unit === 0xfffd || (unit >= 0xe000 && unit <= 0xf8ff);
}
