/** What stands in Msg_Content, and how (CMPP 3.0.0 §8.4.3.1: Msg_Fmt, Msg_Length). */
import { decodeUcs2, encodeUcs2 } from '@waxwing/smpp/text.ts';
import { CmppFieldFault } from './cmpp-fault.ts';
import { asBuffer } from './cmpp-reader.ts';
import { decodeGbk, encodeGbk, isGbk } from './gbk.ts';

/** Msg_Fmt */
export const messageFormats = { ascii: 0, simCard: 3, binary: 4, ucs2: 8, gbk: 15 } as const;

export type TextFormat = 0 | 8 | 15;

/** Best first: ASCII has room for most characters, and every phone can show UCS-2. */
const textFormats: readonly TextFormat[] = [messageFormats.ascii, messageFormats.ucs2, messageFormats.gbk];

/** The formats that have all characters of a text, UCS-2 always among them. The first is the one to use unless told. */
export function formatsFor(text: string): readonly TextFormat[] {
  return textFormats.filter((format) => canHold(format, text));
}

function canHold(format: TextFormat, text: string): boolean {
  if (format === messageFormats.ucs2) return true;
  return format === messageFormats.gbk ? isGbk(text) : !/[^\0-\x7f]/.test(text);
}

/** @throws CmppFieldFault if the format lacks a character */
export function encodeText(text: string, format: TextFormat): Uint8Array {
  if (!canHold(format, text)) throw new CmppFieldFault('Msg_Content', 'has a character that its format lacks');
  switch (format) {
    case messageFormats.ascii:
      return Buffer.from(text, 'latin1');
    case messageFormats.ucs2:
      return encodeUcs2(text);
    case messageFormats.gbk:
      return encodeGbk(text);
  }
}

/** Undefined if the format is none of text. Octets that mean nothing become other characters and never fail. */
export function decodeText(octets: Uint8Array, format: number): string | undefined {
  switch (format) {
    case messageFormats.ascii:
      return asBuffer(octets).toString('latin1');
    case messageFormats.ucs2:
      return decodeUcs2(octets);
    case messageFormats.gbk:
      return decodeGbk(octets);
    default:
      return undefined;
  }
}

/**
 * The octets of one segment, with its user data header. Editions of the standard give ASCII fewer than 160 or at most
 * 160, which is what 140 octets hold once the gateway has made 7 bits of each. Everything else is sent as it is.
 */
const segmentRoom: Readonly<Record<TextFormat, number>> = { 0: 160, 8: 140, 15: 140 };

/** @param headerLength octets of the user data header; 0 for a message of one segment */
export function textRoom(format: TextFormat, headerLength: number): number {
  // Six octets of header take the places of seven characters of 7 bits.
  const headerPlaces = format === messageFormats.ascii ? Math.ceil((headerLength * 8) / 7) : headerLength;
  return segmentRoom[format] - headerPlaces;
}
