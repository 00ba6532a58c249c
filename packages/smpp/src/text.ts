/** The coding of a text message's content, and its segments (3GPP TS 23.038, TS 23.040 §9.2.3.24). */
import { isGsm, septetCount } from './gsm-alphabet.ts';

export type TextEncoding = 'gsm' | 'ucs2';

export interface SegmentedText {
  readonly encoding: TextEncoding;
  /** Their concatenation is the content. If there are several, each leaves room for a concatenation header. */
  readonly segments: readonly string[];
}

/** 140 octets are 160 septets or 70 UTF-16 code units. The carrier's concatenation header takes 6 of them. */
const room = { gsm: { alone: 160, joined: 153 }, ucs2: { alone: 70, joined: 67 } } as const;

/**
 * Cuts a content into the fewest segments. It never separates an escape from its character, or two surrogates. One
 * character outside the GSM alphabet makes the content UCS-2, which handsets read as UTF-16.
 */
export function segmentsOf(content: string): SegmentedText {
  const encoding = isGsm(content) ? 'gsm' : 'ucs2';
  const sizeOf = encoding === 'gsm' ? septetCount : unitCount;
  const whole = cutText(content, room[encoding].alone, sizeOf);
  return { encoding, segments: whole.length === 1 ? whole : cutText(content, room[encoding].joined, sizeOf) };
}

/** UTF-16, big-endian, as under data_coding 8. Lone surrogates stay as they are. */
export function encodeUcs2(text: string): Uint8Array {
  return Buffer.from(text, 'utf16le').swap16();
}

/** The reverse of `encodeUcs2`. Drops an odd octet at the end. */
export function decodeUcs2(octets: Uint8Array): string {
  return Buffer.from(octets.subarray(0, octets.length & ~1))
    .swap16()
    .toString('utf16le');
}

/** UTF-16 code units of a character. */
export function unitCount(character: string): number {
  return character.length;
}

/**
 * Filling each segment as far as possible gives the fewest: a character that fits later would also have fitted earlier.
 * @param limit the most that the sizes of a segment's characters may sum up to
 */
export function cutText(content: string, limit: number, sizeOf: (character: string) => number): string[] {
  const segments: string[] = [];
  let start = 0;
  let end = 0;
  let used = 0;
  for (const character of content) {
    const size = sizeOf(character);
    if (used + size > limit) {
      segments.push(content.slice(start, end));
      start = end;
      used = 0;
    }
    used += size;
    end += character.length;
  }
  return [...segments, content.slice(start)];
}
