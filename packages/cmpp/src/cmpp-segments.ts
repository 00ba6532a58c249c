/** Long texts: the user data header that joins the segments of one (3GPP TS 23.040 §9.2.3.24.1, §9.2.3.24.8). */
import { encodeText, type TextFormat, textRoom } from './cmpp-content.ts';

export interface CmppConcatenation {
  /** The same for all segments of a text: 0 to 255, or 65535 with a header of 7 octets. */
  readonly reference: number;
  readonly total: number;
  /** 1 to `total` */
  readonly number: number;
}

/** Of the header with a reference of 8 bits. */
const headerLength = 6;

/**
 * Cuts a text into the fewest segments that fit, and never separates two surrogates or the two octets of a character.
 * @throws CmppFieldFault if the format lacks a character
 */
export function cutText(text: string, format: TextFormat): readonly string[] {
  if (encodeText(text, format).length <= textRoom(format, 0)) return [text];
  const room = textRoom(format, headerLength);
  const segments: string[] = [];
  let [segment, used] = ['', 0];
  for (const character of text) {
    const size = encodeText(character, format).length;
    if (used + size > room) {
      segments.push(segment);
      [segment, used] = ['', 0];
    }
    segment += character;
    used += size;
  }
  return [...segments, segment];
}

/** The content of a segment, whose TP_udhi is 1. Pk_total and Pk_number tell the gateway the same again. */
export function joinedContent(octets: Uint8Array, { reference, total, number }: CmppConcatenation): Uint8Array {
  const content = new Uint8Array(headerLength + octets.length);
  content.set([headerLength - 1, 0, 3, reference, total, number]);
  content.set(octets, headerLength);
  return content;
}

export interface UserData {
  /** Undefined for a message of one segment. */
  readonly concatenation: CmppConcatenation | undefined;
  /** The content without its header. */
  readonly octets: Uint8Array;
}

/**
 * Takes the user data header off a content whose TP_udhi is 1. A header that is longer than the content is none: then
 * all of it is text.
 */
export function readUserData(content: Uint8Array): UserData {
  const length = content[0];
  if (length === undefined || length >= content.length) return { concatenation: undefined, octets: content };
  const octets = content.subarray(1 + length);
  return { concatenation: readConcatenation(content.subarray(1, 1 + length)), octets };
}

/** Looks for one of the two elements that join segments. @param elements each an id, a length, and as many octets */
function readConcatenation(elements: Uint8Array): CmppConcatenation | undefined {
  for (let at = 0; at + 2 <= elements.length; ) {
    const [id = 0, length = 0] = elements.subarray(at, at + 2);
    const data = elements.subarray(at + 2, at + 2 + length);
    if (data.length === length && ((id === 0x00 && length === 3) || (id === 0x08 && length === 4))) {
      return checkedConcatenation(data);
    }
    at += 2 + length;
  }
  return undefined;
}

/** An impossible element is to be ignored (§9.2.3.24.1). @param data a reference of one octet or two, total, number */
function checkedConcatenation(data: Uint8Array): CmppConcatenation | undefined {
  const [total = 0, number = 0] = data.subarray(-2);
  const [high = 0, low] = data.subarray(0, -2);
  if (number < 1 || number > total) return undefined;
  return { reference: low === undefined ? high : (high << 8) | low, total, number };
}
