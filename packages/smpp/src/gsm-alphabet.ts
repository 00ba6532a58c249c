/** The GSM 7 bit default alphabet and its extension table (3GPP TS 23.038 §6.2.1), one octet for each septet. */

/** In the order of their codes, 16 to a line. U+001B is the escape to the extension table. */
const basic = [
  '@£$¥èéùìòÇ\nØø\rÅå',
  'Δ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ',
  ' !"#¤%&\'()*+,-./',
  '0123456789:;<=>?',
  '¡ABCDEFGHIJKLMNO',
  'PQRSTUVWXYZÄÖÑÜ§',
  '¿abcdefghijklmno',
  'pqrstuvwxyzäöñüà',
].join('');

const extension: Readonly<Record<string, number>> = {
  '\f': 0x0a,
  '^': 0x14,
  '{': 0x28,
  '}': 0x29,
  '\\': 0x2f,
  '[': 0x3c,
  '~': 0x3d,
  ']': 0x3e,
  '|': 0x40,
  '€': 0x65,
};

const escapeCode = 0x1b;

/** One septet for each character, or an escape and one. */
const septetsOf: ReadonlyMap<string, readonly number[]> = new Map([
  ...[...basic]
    .map((character, code): [string, number[]] => [character, [code]])
    .filter(([, [code]]) => code !== escapeCode),
  ...Object.entries(extension).map(([character, code]): [string, number[]] => [character, [escapeCode, code]]),
]);

const extended: ReadonlyMap<number, string> = new Map(Object.entries(extension).map(([text, code]) => [code, text]));

/** How many septets a character takes, 1 or 2; 0 when the alphabet lacks it. */
export function septetCount(character: string): number {
  return septetsOf.get(character)?.length ?? 0;
}

export function isGsm(text: string): boolean {
  for (const character of text) if (!septetsOf.has(character)) return false;
  return true;
}

/** @throws RangeError at a character that the alphabet lacks; check with `isGsm` first */
export function encodeGsm(text: string): Uint8Array {
  const septets: number[] = [];
  for (const character of text) {
    const codes = septetsOf.get(character);
    if (codes === undefined) throw new RangeError('a character is not in the GSM default alphabet');
    septets.push(...codes);
  }
  return Uint8Array.from(septets);
}

/**
 * By TS 23.038 §6.2.1.1: an escape before a code without an extended character means the basic character, a dangling
 * escape is a space. The eighth bit of an octet is ignored.
 */
export function decodeGsm(octets: Uint8Array): string {
  let text = '';
  for (let at = 0; at < octets.length; at++) {
    const code = septetAt(octets, at);
    if (code !== escapeCode) {
      text += basic.charAt(code);
      continue;
    }
    const next = at + 1 < octets.length ? septetAt(octets, at + 1) : escapeCode;
    text += extended.get(next) ?? (next === escapeCode ? ' ' : basic.charAt(next));
    at += 1;
  }
  return text;
}

function septetAt(octets: Uint8Array, at: number): number {
  return (octets[at] ?? 0) & 0x7f;
}
