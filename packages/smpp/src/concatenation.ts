/** Which part of which text a message is: by its user data header or by SMPP's own TLVs. */
import { contentOf, type MessagePdu } from './message-content.ts';
import { integerTlv, type Tlv, tlvInteger } from './tlv.ts';
import type { HeaderElement } from './user-data-header.ts';

export interface Concatenation {
  /** The same for all parts of one text from one sender to one recipient. 0 to 255 for `udh8`, else to 65535. */
  readonly reference: number;
  /** 1 to 255. */
  readonly total: number;
  /** 1 to `total`. */
  readonly sequence: number;
}

export interface ReadConcatenation extends Concatenation {
  /** References of different methods name different texts. */
  readonly method: 'udh8' | 'udh16' | 'sar';
}

/** 3GPP TS 23.040 §9.2.3.24.1 and §9.2.3.24.8 */
const elementIds = { udh8: 0x00, udh16: 0x08 } as const;

/** @throws RangeError if a number has no room */
export function concatenationElement(method: 'udh8' | 'udh16', concatenation: Concatenation): HeaderElement {
  const { reference, total, sequence } = concatenation;
  const highest = method === 'udh8' ? 0xff : 0xffff;
  if (!isPart(concatenation) || total > 0xff || !(reference >= 0 && reference <= highest)) {
    throw new RangeError('a number of the concatenation has no room in its header');
  }
  const name = method === 'udh8' ? [reference] : [reference >> 8, reference & 0xff];
  return { id: elementIds[method], data: Uint8Array.of(...name, total, sequence) };
}

/** SMPP 3.4 §5.3.2.22 to §5.3.2.24. @throws SmppFault if a number has no room */
export function concatenationTlvs({ reference, total, sequence }: Concatenation): readonly Tlv[] {
  return [
    integerTlv('sar_msg_ref_num', reference, 2),
    integerTlv('sar_total_segments', total, 1),
    integerTlv('sar_segment_seqnum', sequence, 1),
  ];
}

/**
 * Undefined for a message that is no part of another. Numbers that make no sense are ignored, as TS 23.040
 * §9.2.3.24.1 has it: the message is then a text of its own.
 */
export function concatenationOf(pdu: MessagePdu): ReadConcatenation | undefined {
  return byHeader(contentOf(pdu).header) ?? byTlvs(pdu.tlvs);
}

/** The last element counts, if there are several (TS 23.040 §9.2.3.24). */
function byHeader(header: readonly HeaderElement[]): ReadConcatenation | undefined {
  return header.map(byElement).findLast((concatenation) => concatenation !== undefined);
}

function byElement({ id, data }: HeaderElement): ReadConcatenation | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0] = data;
  if (id === elementIds.udh8 && data.length === 3) return checked('udh8', first, second, third);
  if (id === elementIds.udh16 && data.length === 4) return checked('udh16', first * 256 + second, third, fourth);
  return undefined;
}

function byTlvs(tlvs: readonly Tlv[]): ReadConcatenation | undefined {
  const reference = tlvInteger(tlvs, 'sar_msg_ref_num');
  const total = tlvInteger(tlvs, 'sar_total_segments');
  const sequence = tlvInteger(tlvs, 'sar_segment_seqnum');
  if (reference === undefined || total === undefined || sequence === undefined) return undefined;
  return checked('sar', reference, total, sequence);
}

function checked(
  method: ReadConcatenation['method'],
  reference: number,
  total: number,
  sequence: number,
): ReadConcatenation | undefined {
  const concatenation = { method, reference, total, sequence };
  return isPart(concatenation) ? concatenation : undefined;
}

function isPart({ total, sequence }: Concatenation): boolean {
  return sequence >= 1 && sequence <= total;
}
