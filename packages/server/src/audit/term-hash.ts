/** What an entry is found by: its subject, its organization, or the certificate whose private key was handed out. */
export type TermKind = 's' | 'o' | 'c';

/** A whole number below 2^40, of the text between two places. */
export type TermHash = (kind: TermKind, text: string, from: number, to: number) => number;

/**
 * Two lanes of 32 bits, of which 40 bits are taken. Terms with the same hash do no harm, as long as few do: entries that are
 * found are compared with what was looked for.
 */
export const hashTerm: TermHash = (kind, text, from, to) => {
  let one = Math.imul(kind.charCodeAt(0), 0x9e3779b1);
  let two = Math.imul(kind.charCodeAt(0), 0x27d4eb2f);
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x85ebca77);
    two = Math.imul(two ^ code, 0xc2b2ae3d);
  }
  one = mixed(one ^ (two >>> 15));
  two = mixed(two ^ (one >>> 13));
  return (two >>> 0) * 256 + (one >>> 24);
};

/** Each bit of the result depends on each bit of the value (the last step of MurmurHash3). */
function mixed(value: number): number {
  const half = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  const full = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return full ^ (full >>> 16);
}
