/** The coding of a text message's content, and its segments (3GPP TS 23.038, TS 23.040 §9.2.3.24). */
import { isGsm, septetCount } from './gsm-alphabet.ts';

export type TextEncoding = 'gsm' | 'ucs2';

export interface SegmentedText {
  readonly encoding: TextEncoding;
  /** Their concatenation is the content. If there are several, each leaves room for a concatenation header. */
  readonly segments: readonly string[];
}

/**
 * How long contents are cut. `standard` leaves room for a header of 6 octets, `udh16` for one of 7. The `ucs2` ones have
 * no septets, as the carrier lacks a character of the content in its default alphabet. `whole`: the carrier cuts.
 */
export type TextCut = 'standard' | 'udh16' | 'ucs2' | 'ucs2-udh16' | 'whole';

/** 140 octets are 160 septets or 70 UTF-16 code units. The carrier's concatenation header takes 6 of them. */
const room = { gsm: { alone: 160, joined: 153 }, ucs2: { alone: 70, joined: 67 } } as const;

/**
 * Cuts a content into the fewest segments. It never separates an escape from its character, or two surrogates. One
 * character outside the GSM alphabet makes the content UCS-2, which handsets read as UTF-16.
 */
export function segmentsOf(content: string, cut: TextCut = 'standard'): SegmentedText {
  const isUcs2 = cut === 'ucs2' || cut === 'ucs2-udh16' || !isGsm(content);
  const encoding = isUcs2 ? 'ucs2' : 'gsm';
  if (cut === 'whole') return { encoding, segments: [content] };
  const sizeOf = isUcs2 ? unitCount : septetCount;
  const whole = cutText(content, room[encoding].alone, sizeOf);
  // One octet more of header takes one septet, or half a unit.
  const joined = room[encoding].joined - (cut === 'udh16' || cut === 'ucs2-udh16' ? 1 : 0);
  return { encoding, segments: whole.length === 1 ? whole : cutText(content, joined, sizeOf) };
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
