/** Delivery receipts: what a carrier tells of a message that it took before (SMPP 3.4 §2.11, appendix B). */
import { contentOf } from './message-content.ts';
import { type ReceiptText, readReceiptText } from './receipt-text.ts';
import { decodeContent } from './short-message.ts';
import type { DataSm, DeliverSm } from './smpp-pdu.ts';
import { type Tlv, tlvInteger, tlvText, tlvValue } from './tlv.ts';

export interface DeliveryReceipt {
  /** As the carrier writes it here; see `message-id-form.ts`. Undefined if it gives none. */
  readonly messageId: string | undefined;
  /** message_state (SMPP 3.4 §5.2.28), 0 to 9, or a carrier's own number. Undefined if it gives none that is known. */
  readonly state: number | undefined;
  /** The cause, in the carrier's words or numbers. */
  readonly networkError: string | undefined;
  /** An intermediate notification: the carrier still tries, and a receipt will follow. */
  readonly isIntermediate: boolean;
}

/** The message type in esm_class (SMPP 3.4 §5.2.12). */
const messageTypeMask = 0x3c;
const messageTypes = { receipt: 0x04, intermediate: 0x20 } as const;

/** data_coding (SMPP 3.4 §5.2.19). */
const latin1Coding = 3;
const ucs2Coding = 8;

/** network_error_code (SMPP 3.4 §5.3.2.31): the type of the network. */
const networkTypes: Readonly<Record<number, string>> = { 1: 'ANSI-136', 2: 'IS-95', 3: 'GSM' };

/**
 * Undefined for an ordinary message. Only esm_class and TLVs make a receipt: a person may write the text of one. What
 * the TLVs lack is read from the text.
 */
export function readReceipt(pdu: DeliverSm | DataSm): DeliveryReceipt | undefined {
  const type = pdu.esmClass & messageTypeMask;
  const idByTlv = tlvText(pdu.tlvs, 'receipted_message_id')?.trim() || undefined;
  const stateByTlv = tlvInteger(pdu.tlvs, 'message_state');
  const isReceipt = type === messageTypes.receipt || type === messageTypes.intermediate;
  if (!isReceipt && idByTlv === undefined && stateByTlv === undefined) return undefined;
  const text = receiptText(pdu);
  return {
    messageId: idByTlv ?? text.id,
    state: stateByTlv ?? text.state,
    networkError: networkErrorOf(pdu.tlvs) ?? text.error,
    isIntermediate: type === messageTypes.intermediate,
  };
}

/**
 * Most carriers write ASCII whatever data_coding says, which may be that of the message. Some write UCS-2, or septets
 * as they pack all texts. The first reading that shows a field counts.
 */
function receiptText(pdu: DeliverSm | DataSm): ReceiptText {
  const { octets, headerLength } = contentOf(pdu);
  const readings = [
    () => decodeContent(octets, latin1Coding, 'gsm7'),
    () => decodeContent(octets, ucs2Coding, 'gsm7'),
    () => decodeContent(octets, 0, 'gsm7-packed', { headerLength }),
  ];
  for (const reading of readings) {
    const text = readReceiptText(reading());
    if (Object.values(text).some((value) => value !== undefined)) return text;
  }
  return { id: undefined, state: undefined, error: undefined };
}

function networkErrorOf(tlvs: readonly Tlv[]): string | undefined {
  const [type, high, low] = tlvValue(tlvs, 'network_error_code') ?? [];
  if (type === undefined || high === undefined || low === undefined) return undefined;
  const code = high * 256 + low;
  return code === 0 ? undefined : `${networkTypes[type] ?? `network ${type}`} ${code}`;
}
