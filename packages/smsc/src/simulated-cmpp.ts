/** A gateway that speaks CMPP 2.0 or 3.0. */
import { gatewayAuthenticator, isSourceAuthentic } from '@waxwing/cmpp/cmpp-authenticator.ts';
import { encodeText, formatsFor, messageFormats } from '@waxwing/cmpp/cmpp-content.ts';
import type { CmppConnect, CmppDeliver, CmppPdu, CmppSubmit, CmppSubmitResponse } from '@waxwing/cmpp/cmpp-pdu.ts';
import { cmpp2Protocol, cmpp3Protocol } from '@waxwing/cmpp/cmpp-protocol.ts';
import { cmppResults } from '@waxwing/cmpp/cmpp-result.ts';
import { cutText, joinedContent } from '@waxwing/cmpp/cmpp-segments.ts';
import type { CmppVersion } from '@waxwing/cmpp/cmpp-version.ts';
import { connectStatuses } from '@waxwing/cmpp/connect-status.ts';
import { writeStatusReport } from '@waxwing/cmpp/status-report.ts';
import { CmppMessageIds, cmppTime } from './cmpp-message-ids.ts';
import { inOrder } from './segment-order.ts';
import type {
  BindVerdict,
  ClientRequest,
  SmscAccount,
  SmscDialect,
  SubmitRefusal,
  TakenSubmit,
} from './smsc-dialect.ts';
import type { ReceiptPlan, ReplyPlan } from './smsc-script.ts';

const noAuthenticator = Buffer.alloc(16);
/** In Msg_Ids. */
const gatewayNumber = 4711;
/** The most that a reference of one octet can tell apart. */
const references = 256;

export function cmppDialect(account: SmscAccount, version: CmppVersion): SmscDialect<CmppPdu> {
  const ids = new CmppMessageIds(gatewayNumber);
  const reportNumbers = { last: 0 };
  return {
    protocol: version.name === 'cmpp2' ? cmpp2Protocol : cmpp3Protocol,
    readRequest,
    judgeBind: (request) => judgeConnect(request as CmppConnect, account, version),
    refuseBind: (request) => connectAnswer(request as CmppConnect, connectStatuses.other, noAuthenticator, version),
    refuse: ({ sequence }, refusal) => ({
      command: 'submit_resp',
      sequence,
      messageId: '0',
      result: resultOf(refusal),
    }),
    take: (submit, now) => new TakenCmppSubmit(submit as CmppSubmit, { ids, reportNumbers, version }, now),
    isAcknowledged: (response) => response.command === 'deliver_resp' && response.result === cmppResults.ok,
  };
}

function readRequest(request: CmppPdu): ClientRequest<CmppPdu> {
  switch (request.command) {
    case 'connect':
      return { kind: 'bind' };
    case 'submit':
      return { kind: 'submit', destination: request.destinations[0] ?? '' };
    case 'deliver': {
      // Gateways send delivers and get none.
      const { sequence, messageId } = request;
      return {
        kind: 'other',
        answer: { command: 'deliver_resp', sequence, messageId, result: cmppResults.wrongCommand },
      };
    }
    default:
      return { kind: 'other', answer: undefined };
  }
}

function judgeConnect(connect: CmppConnect, account: SmscAccount, version: CmppVersion): BindVerdict<CmppPdu> {
  const secret = Buffer.from(account.password, 'latin1');
  const status = connectStatus(connect, account, secret, version);
  if (status !== connectStatuses.ok) {
    return { isTaken: false, answer: connectAnswer(connect, status, noAuthenticator, version) };
  }
  const authenticator = gatewayAuthenticator(status, connect.authenticator, secret, version);
  return {
    isTaken: true,
    answer: connectAnswer(connect, status, authenticator, version),
    role: { submits: true, receives: true },
  };
}

function connectStatus(connect: CmppConnect, { id }: SmscAccount, secret: Uint8Array, version: CmppVersion): number {
  if (connect.sourceAddress !== id) return connectStatuses.unknownSource;
  if (!isSourceAuthentic(connect, secret)) return connectStatuses.wrongAuthenticator;
  if (connect.version > version.octet) return connectStatuses.versionTooHigh;
  return connect.version === version.octet ? connectStatuses.ok : connectStatuses.other;
}

function connectAnswer(
  { sequence }: CmppConnect,
  status: number,
  authenticator: Uint8Array,
  version: CmppVersion,
): CmppPdu {
  return { command: 'connect_resp', sequence, status, authenticator, version: version.octet };
}

function resultOf(refusal: SubmitRefusal): number {
  switch (refusal.kind) {
    case 'not-bound':
      return cmppResults.wrongCommand;
    case 'throttled':
    case 'full':
      return cmppResults.flowControl;
    case 'refuse':
      return refusal.code;
  }
}

interface GatewayNumbers {
  readonly ids: CmppMessageIds;
  /** SMSC_sequence of the last status report. */
  readonly reportNumbers: { last: number };
  readonly version: CmppVersion;
}

class TakenCmppSubmit implements TakenSubmit<CmppPdu> {
  readonly answer: CmppSubmitResponse;
  readonly #numbers: GatewayNumbers;
  readonly #submit: Pick<CmppSubmit, 'destinations' | 'sourceId' | 'serviceId' | 'registeredDelivery'>;
  readonly #submittedAt: number;

  constructor(submit: CmppSubmit, numbers: GatewayNumbers, now: number) {
    const { sequence, destinations, sourceId, serviceId, registeredDelivery } = submit;
    this.answer = { command: 'submit_resp', sequence, messageId: numbers.ids.next(now), result: cmppResults.ok };
    this.#numbers = numbers;
    this.#submit = { destinations, sourceId, serviceId, registeredDelivery };
    this.#submittedAt = now;
  }

  receipts({ state }: ReceiptPlan, now: number): readonly CmppDeliver[] {
    if (this.#submit.registeredDelivery !== 1) return [];
    const { version, reportNumbers } = this.#numbers;
    return this.#submit.destinations.map((destination) => {
      reportNumbers.last = (reportNumbers.last + 1) % 2 ** 32;
      const report = {
        messageId: this.answer.messageId,
        stat: state,
        submitTime: cmppTime(this.#submittedAt),
        doneTime: cmppTime(now),
        destination,
        smscSequence: reportNumbers.last,
      };
      const content = writeStatusReport(report, version);
      const fields = { registeredDelivery: 1, userDataHeader: 0, format: messageFormats.ascii, content };
      return { ...this.#deliver(destination), ...fields, messageId: this.answer.messageId };
    });
  }

  replies({ text, order }: ReplyPlan, random: () => number): readonly CmppDeliver[] {
    const [format = messageFormats.ucs2] = formatsFor(text);
    const pieces = cutText(text, format).map((piece) => encodeText(piece, format));
    const total = pieces.length;
    const reference = total > 1 ? Math.floor(random() * references) : 0;
    const segments = pieces.map((octets, index) => {
      const content = total > 1 ? joinedContent(octets, { reference, total, number: index + 1 }) : octets;
      const fields = { registeredDelivery: 0, userDataHeader: total > 1 ? 1 : 0, format, content };
      const messageId = this.#numbers.ids.next(this.#submittedAt);
      return { ...this.#deliver(this.#submit.destinations[0] ?? ''), ...fields, messageId };
    });
    return inOrder(segments, order, random);
  }

  #deliver(sourceTerminalId: string) {
    return {
      command: 'deliver',
      sequence: 0,
      destinationId: this.#submit.sourceId,
      serviceId: this.#submit.serviceId,
      protocolId: 0,
      sourceTerminalId,
      sourceTerminalType: 0,
      linkId: '',
    } as const;
  }
}
