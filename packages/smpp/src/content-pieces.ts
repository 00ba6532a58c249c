/** How a text goes to a carrier: in which alphabet, in how many messages, and how each of them looks. */
import { type Concatenation, concatenationElement, concatenationTlvs } from './concatenation.ts';
import { septetCount } from './gsm-alphabet.ts';
import { udhIndicator } from './message-content.ts';
import { type ContentAlphabet, canHold, type DefaultAlphabet, dataCodingOf, encodeContent } from './short-message.ts';
import { cutText, type TextCut, type TextEncoding, unitCount } from './text.ts';
import { type Tlv, tlvTags } from './tlv.ts';
import { writeUserDataHeader } from './user-data-header.ts';

/** How the parts of a long text are told apart; `payload` sends it whole and leaves the cutting to the carrier. */
export type LongMethod = 'udh8' | 'udh16' | 'sar' | 'payload';

export interface ContentWays {
  readonly defaultAlphabet: DefaultAlphabet;
  readonly long: LongMethod;
}

export interface ContentPieces {
  readonly alphabet: ContentAlphabet;
  /** Their concatenation is the text. */
  readonly texts: readonly string[];
}

/** The fields of a submit_sm that carry the content. */
export interface ContentFields {
  /** To be added to the other bits of esm_class. */
  readonly esmClass: number;
  readonly dataCoding: number;
  readonly shortMessage: Uint8Array;
  readonly tlvs: readonly Tlv[];
}

/**
 * 140 octets are 160 septets or 70 units. A header takes 6 octets (`udh8`) or 7 (`udh16`); for `sar` the carrier makes
 * one of 6. A carrier turns its default alphabet to septets, whatever it is, so they are what is counted.
 */
const room = {
  septets: { alone: 160, udh8: 153, udh16: 152, sar: 153, payload: Number.POSITIVE_INFINITY },
  units: { alone: 70, udh8: 67, udh16: 66, sar: 67, payload: Number.POSITIVE_INFINITY },
} as const;

/** How `segmentsOf` is to cut a content for a carrier, so that each segment fits one submit_sm. */
export function textCutFor(content: string, { defaultAlphabet, long }: ContentWays): TextCut {
  if (long === 'payload') return 'whole';
  const isUcs2 = canHold('gsm7', content) && !canHold(defaultAlphabet, content);
  if (long === 'udh16') return isUcs2 ? 'ucs2-udh16' : 'udh16';
  return isUcs2 ? 'ucs2' : 'standard';
}

export interface TextToCut {
  readonly text: string;
  /** `ucs2` where the content that the text is a part of is not in the GSM alphabet: all its parts are sent alike. */
  readonly encoding: TextEncoding;
  /** Whether the text is one of several, so that even a single piece needs room for the header. */
  readonly isPart: boolean;
}

/**
 * Cuts a text so that each piece fits one submit_sm. It is sent as UCS-2 where the default alphabet lacks a character.
 * A part that was cut for this carrier (`textCutFor`) stays one piece. A part that was cut for another one may need
 * several here, with a concatenation of their own.
 */
export function contentPieces(
  { text, encoding, isPart }: TextToCut,
  { defaultAlphabet, long }: ContentWays,
): ContentPieces {
  const isDefault = encoding === 'gsm' && canHold('gsm7', text) && canHold(defaultAlphabet, text);
  const alphabet = isDefault ? defaultAlphabet : 'ucs2';
  const [limits, sizeOf] = isDefault ? [room.septets, septetCount] : [room.units, unitCount];
  const whole = cutText(text, long === 'payload' ? limits.payload : limits.alone, sizeOf);
  const isWhole = whole.length === 1 && !isPart;
  return { alphabet, texts: isWhole ? whole : cutText(text, limits[long], sizeOf) };
}

/**
 * @param text one of `contentPieces`, with their alphabet
 * @param concatenation undefined for a text of one piece; ignored by `payload`
 * @throws RangeError or SmppFault if a number of the concatenation has no room
 */
export function contentFields(
  text: string,
  alphabet: ContentAlphabet,
  long: LongMethod,
  concatenation: Concatenation | undefined,
): ContentFields {
  const dataCoding = dataCodingOf(alphabet);
  if (long === 'payload') {
    const payload = { tag: tlvTags.message_payload, value: encodeContent(text, alphabet) };
    return { esmClass: 0, dataCoding, shortMessage: new Uint8Array(), tlvs: [payload] };
  }
  if (concatenation === undefined || long === 'sar') {
    const tlvs = concatenation === undefined ? [] : concatenationTlvs(concatenation);
    return { esmClass: 0, dataCoding, shortMessage: encodeContent(text, alphabet), tlvs };
  }
  const udh = writeUserDataHeader([concatenationElement(long, concatenation)]);
  return { esmClass: udhIndicator, dataCoding, shortMessage: encodeContent(text, alphabet, { udh }), tlvs: [] };
}
