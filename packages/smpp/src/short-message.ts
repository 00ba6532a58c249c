/** The text of a short message as octets, in the alphabets that SMPP has (SMPP 3.4 §5.2.19). */
import { alphabetOf, type ReadableAlphabet } from './data-coding.ts';
import { decodeGsm, encodeGsm, isGsm } from './gsm-alphabet.ts';
import { packSeptets, unpackSeptets } from './packed-septets.ts';
import { decodeUcs2, encodeUcs2 } from './text.ts';

/** Under data_coding 0 a carrier may mean any of them. `gsm7` has one octet for each septet. */
export type DefaultAlphabet = 'gsm7' | 'gsm7-packed' | 'latin1' | 'ascii';

export type ContentAlphabet = DefaultAlphabet | 'ucs2';

export function canHold(alphabet: ContentAlphabet, text: string): boolean {
  switch (alphabet) {
    case 'gsm7':
    case 'gsm7-packed':
      return isGsm(text);
    case 'latin1':
      return hasCodesUpTo(text, 0xff);
    case 'ascii':
      return hasCodesUpTo(text, 0x7f);
    case 'ucs2':
      return true;
  }
}

/**
 * @param options `udh`: a user data header in front (`writeUserDataHeader`)
 * @returns the short_message: header and text
 * @throws RangeError at a character that the alphabet lacks; check with `canHold` first
 */
export function encodeContent(
  text: string,
  alphabet: ContentAlphabet,
  { udh = new Uint8Array() }: { readonly udh?: Uint8Array | undefined } = {},
): Uint8Array {
  if (!canHold(alphabet, text)) throw new RangeError(`a character is not in the alphabet ${alphabet}`);
  const octets = encodeText(text, alphabet, udh.length);
  return udh.length === 0 ? octets : Buffer.concat([udh, octets]);
}

/**
 * Whatever the octets are, they become text.
 * @param octets without a user data header
 * @param options `headerLength`: octets of the header that stood in front, which packed septets must know
 */
export function decodeContent(
  octets: Uint8Array,
  dataCoding: number,
  defaultAlphabet: DefaultAlphabet,
  { headerLength = 0 }: { readonly headerLength?: number } = {},
): string {
  return decodeText(octets, alphabetOf(dataCoding) ?? defaultAlphabet, headerLength);
}

/** As `encodeContent` writes it: 8 for UCS-2, else 0, the carrier's default alphabet. */
export function dataCodingOf(alphabet: ContentAlphabet): number {
  return alphabet === 'ucs2' ? 8 : 0;
}

function encodeText(text: string, alphabet: ContentAlphabet, headerLength: number): Uint8Array {
  switch (alphabet) {
    case 'gsm7':
      return encodeGsm(text);
    case 'gsm7-packed':
      return packSeptets(encodeGsm(text), headerLength);
    case 'latin1':
    case 'ascii':
      return Buffer.from(text, 'latin1');
    case 'ucs2':
      return encodeUcs2(text);
  }
}

function decodeText(octets: Uint8Array, alphabet: DefaultAlphabet | ReadableAlphabet, headerLength: number): string {
  switch (alphabet) {
    case 'gsm7':
      return decodeGsm(octets);
    case 'gsm7-packed':
      return decodeGsm(unpackSeptets(octets, headerLength));
    case 'latin1':
    case 'ascii':
      // An octet above 0x7f is no ASCII, but a carrier that sends it means Latin-1 most often.
      return Buffer.from(octets).toString('latin1');
    case 'ucs2':
      return decodeUcs2(octets);
    case 'iso-8859-5':
    case 'iso-8859-8':
      return new TextDecoder(alphabet).decode(octets);
  }
}

function hasCodesUpTo(text: string, highest: number): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > highest) return false;
  return true;
}
