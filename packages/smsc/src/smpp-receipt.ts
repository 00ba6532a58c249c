/** Delivery receipts as carriers write them (SMPP 3.4 §2.11, §5.2.12, appendix B). */
import type { SmppAddress } from '@waxwing/smpp/smpp-address.ts';
import type { DeliverSm } from '@waxwing/smpp/smpp-pdu.ts';
import { integerTlv, type Tlv, textTlv, tlvTags } from '@waxwing/smpp/tlv.ts';
import type { DateDigits, ReceiptPlan } from './smsc-script.ts';
import { timeDigits } from './time-digits.ts';

/** message_state by the words of appendix B (§5.2.28). */
export const smppStates = {
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIV: 5,
  ACCEPTD: 6,
  UNKNOWN: 7,
  REJECTD: 8,
} as const satisfies Record<string, number>;

export type SmppState = keyof typeof smppStates;

/** What a receipt tells of a message that was taken. */
export interface ReceiptedMessage {
  readonly id: string;
  readonly source: SmppAddress;
  readonly destination: SmppAddress;
  /** The beginning of the message, in ASCII. */
  readonly text: string;
  /** Epoch milliseconds. */
  readonly submittedAt: number;
}

/** A message type of esm_class: a receipt. */
const receiptClass = 0x04;
const gsmNetwork = 3;

/** @param now epoch milliseconds */
export function smppReceipt(message: ReceiptedMessage, plan: ReceiptPlan, now: number): DeliverSm {
  const { source, destination } = message;
  return smppDeliver({
    source: destination,
    destination: source,
    esmClass: receiptClass,
    shortMessage: plan.form === 'tlv' ? Buffer.alloc(0) : Buffer.from(receiptWords(message, plan, now), 'latin1'),
    tlvs: plan.form === 'text' ? [] : receiptTlvs(message, plan),
  });
}

/** A deliver_sm, whose sequence number is given when it is sent. */
export function smppDeliver(
  fields: Pick<DeliverSm, 'source' | 'destination' | 'esmClass' | 'shortMessage' | 'tlvs'> & { dataCoding?: number },
): DeliverSm {
  return {
    command: 'deliver_sm',
    sequence: 0,
    status: 0,
    serviceType: '',
    protocolId: 0,
    priorityFlag: 0,
    scheduleDeliveryTime: '',
    validityPeriod: '',
    registeredDelivery: 0,
    replaceIfPresentFlag: 0,
    dataCoding: 0,
    smDefaultMsgId: 0,
    ...fields,
  };
}

function receiptWords({ id, text, submittedAt }: ReceiptedMessage, plan: ReceiptPlan, now: number): string {
  const delivered = plan.state === 'DELIVRD' ? '001' : '000';
  const [submitted, done] = [dateWords(submittedAt, plan.dateDigits), dateWords(now, plan.dateDigits)];
  const error = plan.error.toString().padStart(3, '0');
  return (
    `id:${id} sub:001 dlvrd:${delivered} submit date:${submitted} done date:${done} ` +
    `stat:${plan.state} err:${error} Text:${text}`
  );
}

function receiptTlvs({ id }: ReceiptedMessage, { state, error }: ReceiptPlan): readonly Tlv[] {
  const cause = error === 0 ? [] : [{ tag: tlvTags.network_error_code, value: networkError(error) }];
  return [
    textTlv('receipted_message_id', id),
    integerTlv('message_state', smppStates[state as SmppState], 1),
    ...cause,
  ];
}

/** §5.3.2.31 */
function networkError(code: number): Uint8Array {
  return Uint8Array.of(gsmNetwork, code >> 8, code & 0xff);
}

/** In UTC. */
function dateWords(at: number, digits: DateDigits): string {
  const all = timeDigits(at);
  return digits === 14 ? all : all.slice(2, 2 + digits);
}
