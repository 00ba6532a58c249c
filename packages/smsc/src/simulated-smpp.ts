/** A carrier that speaks SMPP 3.4. */
import type { CommandName } from '@waxwing/smpp/command-id.ts';
import { commandStatus } from '@waxwing/smpp/command-status.ts';
import { contentOf } from '@waxwing/smpp/message-content.ts';
import { bareResponse } from '@waxwing/smpp/response-pdu.ts';
import { decodeContent } from '@waxwing/smpp/short-message.ts';
import type { SmppAddress } from '@waxwing/smpp/smpp-address.ts';
import type {
  BindReceiver,
  BindTransceiver,
  BindTransmitter,
  DeliverSm,
  SmppPdu,
  SubmitSm,
  SubmitSmResp,
} from '@waxwing/smpp/smpp-pdu.ts';
import { smppProtocol } from '@waxwing/smpp/smpp-protocol.ts';
import { integerTlv } from '@waxwing/smpp/tlv.ts';
import { isSameSecret } from './equal-secrets.ts';
import { firstMessageNumber, type SmppMessageId, smppMessageId } from './smpp-message-ids.ts';
import { smppReceipt } from './smpp-receipt.ts';
import { smppReplies } from './smpp-reply.ts';
import type {
  BindVerdict,
  ClientRequest,
  SmscAccount,
  SmscDialect,
  SubmitRefusal,
  TakenSubmit,
} from './smsc-dialect.ts';
import type { MessageIdStyle, ReceiptPlan, ReplyPlan } from './smsc-script.ts';

type Bind = BindTransmitter | BindReceiver | BindTransceiver;

const systemId = 'waxwing';
const version34 = 0x34;
/** Of the message, in a receipt (appendix B). */
const receiptTextLength = 20;

/** @param startedAt epoch milliseconds. Ids are above those of carriers that started earlier. */
export function smppDialect(account: SmscAccount, style: MessageIdStyle, startedAt: number): SmscDialect<SmppPdu> {
  let number = firstMessageNumber(startedAt);
  return {
    protocol: smppProtocol,
    readRequest,
    judgeBind: (request) => judgeBind(request as Bind, account),
    refuseBind: ({ command, sequence }) => bareResponse(command, sequence, commandStatus.ESME_RALYBND),
    refuse: ({ command, sequence }, refusal) => bareResponse(command, sequence, statusOf(refusal)),
    take(submit, now) {
      number += 1;
      return new TakenSmppSubmit(submit as SubmitSm, smppMessageId(number, style), now);
    },
    isAcknowledged: ({ command, status }) => command === 'deliver_sm_resp' && status === commandStatus.ESME_ROK,
  };
}

function readRequest(request: SmppPdu): ClientRequest<SmppPdu> {
  switch (request.command) {
    case 'bind_transmitter':
    case 'bind_receiver':
    case 'bind_transceiver':
      return { kind: 'bind' };
    case 'submit_sm':
      return { kind: 'submit', destination: request.destination.address };
    default:
      return { kind: 'other', answer: refusalOf(request.command, request.sequence) };
  }
}

/** The simulated carrier knows no other requests. An alert_notification and an outbind have no answer (§4.12, §4.1.7). */
function refusalOf(command: CommandName, sequence: number): SmppPdu | undefined {
  if (command === 'alert_notification' || command === 'outbind') return undefined;
  return bareResponse(command, sequence, commandStatus.ESME_RINVCMDID);
}

function judgeBind(bind: Bind, { id, password }: SmscAccount): BindVerdict<SmppPdu> {
  const refused = (status: number) => {
    return { isTaken: false, answer: bareResponse(bind.command, bind.sequence, status) } as const;
  };
  if (bind.systemId !== id) return refused(commandStatus.ESME_RBINDFAIL);
  if (!isSameSecret(bind.password, password)) return refused(commandStatus.ESME_RINVPASWD);
  const tlvs = [integerTlv('sc_interface_version', version34, 1)];
  return {
    isTaken: true,
    answer: { command: `${bind.command}_resp`, sequence: bind.sequence, status: 0, systemId, tlvs },
    role: { submits: bind.command !== 'bind_receiver', receives: bind.command !== 'bind_transmitter' },
  };
}

function statusOf(refusal: SubmitRefusal): number {
  switch (refusal.kind) {
    case 'not-bound':
      return commandStatus.ESME_RINVBNDSTS;
    case 'throttled':
      return commandStatus.ESME_RTHROTTLED;
    case 'full':
      return commandStatus.ESME_RMSGQFUL;
    case 'refuse':
      return refusal.code;
  }
}

class TakenSmppSubmit implements TakenSubmit<SmppPdu> {
  readonly answer: SubmitSmResp;
  readonly #id: string;
  readonly #source: SmppAddress;
  readonly #destination: SmppAddress;
  readonly #text: string;
  readonly #submittedAt: number;
  readonly #registeredDelivery: number;

  constructor(submit: SubmitSm, { inAnswer, inReceipt }: SmppMessageId, now: number) {
    this.answer = {
      command: 'submit_sm_resp',
      sequence: submit.sequence,
      status: commandStatus.ESME_ROK,
      messageId: inAnswer,
      tlvs: [],
    };
    this.#id = inReceipt;
    this.#source = submit.source;
    this.#destination = submit.destination;
    this.#text = firstWords(submit);
    this.#submittedAt = now;
    this.#registeredDelivery = submit.registeredDelivery;
  }

  receipts(plan: ReceiptPlan, now: number): readonly DeliverSm[] {
    if (!isAskedFor(this.#registeredDelivery, plan.state)) return [];
    const [id, source, destination] = [this.#id, this.#source, this.#destination];
    const message = { id, source, destination, text: this.#text, submittedAt: this.#submittedAt };
    return [smppReceipt(message, plan, now)];
  }

  replies(plan: ReplyPlan, random: () => number): readonly DeliverSm[] {
    return smppReplies({ source: this.#destination, destination: this.#source }, plan, random);
  }
}

/** registered_delivery (§5.2.17): 1 every final receipt, 2 those of failures, 3 those of success; 16 intermediate ones. */
function isAskedFor(registeredDelivery: number, state: string): boolean {
  if (state === 'ENROUTE' || state === 'ACCEPTD') return (registeredDelivery & 0x13) !== 0;
  switch (registeredDelivery & 0x03) {
    case 0:
      return false;
    case 1:
      return true;
    case 2:
      return state !== 'DELIVRD';
    default:
      return state === 'DELIVRD';
  }
}

/** Characters that are not in ASCII become question marks, because the receipt is written in it. */
function firstWords(submit: SubmitSm): string {
  const { octets, headerLength } = contentOf(submit);
  const beginning = octets.subarray(0, 2 * receiptTextLength);
  const text = decodeContent(beginning, submit.dataCoding, 'gsm7', { headerLength });
  return text.slice(0, receiptTextLength).replace(/[^ -~]/g, '?');
}
