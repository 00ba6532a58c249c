/** How the content of a text message is coded, and how it is cut into segments (3GPP TS 23.038, TS 23.040 §9.2.3.24). */
import { isGsm, septetCount } from './gsm-alphabet.ts';

export type TextEncoding = 'gsm' | 'ucs2';

export interface SegmentedText {
  readonly encoding: TextEncoding;
  /** Joined they are the content. One at least; more than one when a concatenation header takes its room in each. */
  readonly segments: readonly string[];
}

/**
 * A segment has 140 octets: 160 septets or 70 UTF-16 code units. The 6 octets of a concatenation header leave 153 and
 * 67; the header itself is the carrier's.
 */
const room = { gsm: { alone: 160, joined: 153 }, ucs2: { alone: 70, joined: 67 } } as const;

/**
 * Cuts a content into the fewest segments that never part an escape from its character or a surrogate from its twin.
 *
 * UCS-2 is used as soon as one character is not in the GSM alphabet with its extension table. Handsets read it as UTF-16,
 * so that characters beyond the Basic Multilingual Plane take two units.
 */
export function segmentsOf(content: string): SegmentedText {
  const encoding = isGsm(content) ? 'gsm' : 'ucs2';
  const sizeOf = encoding === 'gsm' ? septetCount : unitCount;
  const whole = cut(content, room[encoding].alone, sizeOf);
  return { encoding, segments: whole.length === 1 ? whole : cut(content, room[encoding].joined, sizeOf) };
}

/** UTF-16, big-endian, as data_coding 8 carries it. A lone surrogate goes out as it is. */
export function encodeUcs2(text: string): Uint8Array {
  return Buffer.from(text, 'utf16le').swap16();
}

/** The reverse of `encodeUcs2`; an odd octet at the end is dropped. */
export function decodeUcs2(octets: Uint8Array): string {
  return Buffer.from(octets.subarray(0, octets.length & ~1))
    .swap16()
    .toString('utf16le');
}

function unitCount(character: string): number {
  return character.length;
}

/** Filling each segment as far as it goes gives the fewest: what fits later would also have fitted earlier. */
function cut(content: string, limit: number, sizeOf: (character: string) => number): string[] {
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
