/** Where the content of a message stands in a PDU, and how to read it. */
import { type DefaultAlphabet, decodeContent } from './short-message.ts';
import type { DataSm, DeliverSm, SubmitSm } from './smpp-pdu.ts';
import { tlvValue } from './tlv.ts';
import { type HeaderElement, readUserDataHeader } from './user-data-header.ts';

export type MessagePdu = SubmitSm | DeliverSm | DataSm;

export interface MessageContent {
  readonly header: readonly HeaderElement[];
  /** Octets of the header, or 0 without one. */
  readonly headerLength: number;
  /** The text's, behind the header. */
  readonly octets: Uint8Array;
}

/** The bit of esm_class that tells of a user data header (SMPP 3.4 §5.2.12). */
export const udhIndicator = 0x40;

/**
 * The short_message, or the message_payload if that is empty (SMPP 3.4 §5.3.2.32). A header whose lengths do not fit is
 * read as text, because a person may still make sense of it.
 */
export function contentOf(pdu: MessagePdu): MessageContent {
  const all = messageOctets(pdu);
  const header = (pdu.esmClass & udhIndicator) === 0 ? undefined : readUserDataHeader(all);
  if (header === undefined) return { header: [], headerLength: 0, octets: all };
  return { header: header.elements, headerLength: header.length, octets: all.subarray(header.length) };
}

/** The text of a message, or of the part that the PDU has. */
export function textOf(pdu: MessagePdu, defaultAlphabet: DefaultAlphabet): string {
  const { octets, headerLength } = contentOf(pdu);
  return decodeContent(octets, pdu.dataCoding, defaultAlphabet, { headerLength });
}

function messageOctets(pdu: MessagePdu): Uint8Array {
  if (pdu.command !== 'data_sm' && pdu.shortMessage.length > 0) return pdu.shortMessage;
  return tlvValue(pdu.tlvs, 'message_payload') ?? new Uint8Array();
}
