import type { BindJudgement } from '@waxwing/carrier-session/link.ts';
import { connectTimestamp, sourceAuthenticator } from '@waxwing/cmpp/cmpp-authenticator.ts';
import { decodeText, encodeText, formatsFor, messageFormats, type TextFormat } from '@waxwing/cmpp/cmpp-content.ts';
import type { CmppDeliver, CmppPdu, CmppSubmit } from '@waxwing/cmpp/cmpp-pdu.ts';
import { cmpp2Protocol, cmpp3Protocol } from '@waxwing/cmpp/cmpp-protocol.ts';
import { cmppResults, resultWords, submitVerdict } from '@waxwing/cmpp/cmpp-result.ts';
import { cutText, joinedContent, readUserData } from '@waxwing/cmpp/cmpp-segments.ts';
import { cmpp2, cmpp3 } from '@waxwing/cmpp/cmpp-version.ts';
import { connectStatuses, connectStatusWords } from '@waxwing/cmpp/connect-status.ts';
import { statMeaning } from '@waxwing/cmpp/stat-meaning.ts';
import { isStatusReport, readStatusReport } from '@waxwing/cmpp/status-report.ts';
import { cutText as cutToUnits, unitCount } from '@waxwing/smpp/text.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import type { PartToSubmit, SubmitResult } from '../carrier.ts';
import type { CarrierSettings } from '../stored-carrier.ts';
import type { CarrierDialect, InboundRequest } from './carrier-dialect.ts';
import { cmppTime } from './carrier-time.ts';
import { ownReference } from './own-reference.ts';
import { numberFromCmpp } from './phone-address.ts';

/** Fee_UserType: the provider pays (CMPP 3.0.0 §8.4.3.1). */
const providerPays = 2;
/** UTF-16 code units beside a concatenation header (3GPP TS 23.040 §9.2.3.24.1). */
const joinedUnits = 67;
/** FeeType 01: the receiver pays nothing. */
const free = { feeType: '01', feeCode: '000000' };

/** CMPP 2.0 or 3.0 as the settings of one carrier have it. */
export function cmppDialect(settings: CarrierSettings, password: SecretText): CarrierDialect<CmppPdu> {
  const [protocol, version] = settings.protocol === 'cmpp2' ? [cmpp2Protocol, cmpp2] : [cmpp3Protocol, cmpp3];
  return {
    protocol,
    messageIds: 'text',
    bindRequest(_role, sequence, now) {
      const named = { sourceAddress: settings.account, timestamp: connectTimestamp(now) };
      const authenticator = sourceAuthenticator(named, Buffer.from(password.reveal(), 'latin1'));
      return { command: 'connect', sequence, ...named, authenticator, version: version.octet };
    },
    judgeBind,
    submitRequests: (part) => cmppSubmits(part, settings),
    readSubmitAnswer: (response) => ({ result: readResult(response), congestion: undefined }),
    readInbound: (request) =>
      request.command === 'deliver' ? readDeliver(request) : { kind: 'other', what: request.command },
    answerInbound(request, answer) {
      if (request.command !== 'deliver') return undefined;
      const { sequence, messageId } = request;
      const result = answer === 'taken' ? cmppResults.ok : cmppResults.flowControl;
      return { command: 'deliver_resp', sequence, messageId, result };
    },
  };
}

/** AuthenticatorISMG is not checked: MD5 proves little, and a gateway that makes it wrongly could not be used. TLS proves more. */
function judgeBind(response: CmppPdu): BindJudgement {
  if (response.command !== 'connect_resp') return { kind: 'refused', code: 0, words: 'no answer to CMPP_CONNECT' };
  const { status: code } = response;
  return code === connectStatuses.ok ? { kind: 'bound' } : { kind: 'refused', code, words: connectStatusWords(code) };
}

/** @throws CmppFieldFault when a field has no room for its value */
function cmppSubmits(part: PartToSubmit, settings: CarrierSettings): readonly ((sequence: number) => CmppSubmit)[] {
  const { format, texts } = piecesOf(part);
  return texts.map((text, index) => {
    const octets = encodeText(text, format);
    const place =
      texts.length === 1
        ? part.concatenation
        : { reference: ownReference(part.id), total: texts.length, sequence: index + 1 };
    const joined = place && { reference: place.reference, total: place.total, number: place.sequence };
    return (sequence: number) => ({
      command: 'submit',
      sequence,
      messageId: '0',
      segmentCount: joined?.total ?? 1,
      segmentNumber: joined?.number ?? 1,
      registeredDelivery: 1,
      level: 1,
      serviceId: settings.service_id ?? '',
      ...{ feeUserType: providerPays, feeTerminalId: '', feeTerminalType: 0, protocolId: 0, ...free },
      userDataHeader: joined === undefined ? 0 : 1,
      format,
      messageSource: settings.enterprise_code ?? settings.account,
      validUntil: cmppTime(part.validUntil),
      deliverAt: '',
      sourceId: sourceIdOf(part.sender, settings.source_address),
      destinations: [destinationOf(part.destination)],
      destinationType: 0,
      content: joined === undefined ? octets : joinedContent(octets, joined),
      linkId: '',
    });
  });
}

/** A segment that was cut for another carrier may need UCS-2 here, and then more than one message. */
function piecesOf({ text, encoding, concatenation }: PartToSubmit): {
  readonly format: TextFormat;
  readonly texts: readonly string[];
} {
  const format = encoding === 'ucs2' ? messageFormats.ucs2 : (formatsFor(text)[0] ?? messageFormats.ucs2);
  if (concatenation === undefined) return { format, texts: cutText(text, format) };
  return { format, texts: format === messageFormats.ucs2 ? cutToUnits(text, joinedUnits, unitCount) : [text] };
}

/** Gateways take the number of their account, with an extension or without, and no other. */
function sourceIdOf(sender: string | undefined, own: string | null): string {
  const digits = sender?.replace(/^\+/, '') ?? '';
  if (own === null) return digits;
  return digits.startsWith(own) ? digits : own;
}

/** Chinese numbers go out without 86. */
function destinationOf(number: string): string {
  return number.replace(/^\+86(?=1\d{10}$)/, '').replace(/^\+/, '');
}

function readResult(response: CmppPdu): SubmitResult {
  if (response.command !== 'submit_resp') return { kind: 'refused-for-now', reason: 'no answer to CMPP_SUBMIT' };
  const { result, messageId } = response;
  const kind = submitVerdict(result);
  if (kind === 'accepted') return { kind, carrierMessageId: messageId };
  if (kind === 'throttled') return { kind };
  return { kind: kind === 'refused' ? 'refused' : 'refused-for-now', reason: resultWords(result) };
}

function readDeliver(request: CmppDeliver): InboundRequest {
  if (isStatusReport(request)) return readReport(request);
  const { concatenation, octets } =
    request.userDataHeader === 1
      ? readUserData(request.content)
      : { concatenation: undefined, octets: request.content };
  return {
    kind: 'reply',
    from: numberFromCmpp(request.sourceTerminalId),
    to: request.destinationId,
    text: decodeText(octets, request.format) ?? Buffer.from(octets).toString('latin1'),
    segment: concatenation && {
      reference: `udh ${concatenation.reference}`,
      total: concatenation.total,
      sequence: concatenation.number,
    },
  };
}

function readReport(request: CmppDeliver): InboundRequest {
  const report = readStatusReport(request.content);
  if (report === undefined) return { kind: 'other', what: 'a status report that cannot be read' };
  const { state, networkError } = statMeaning(report.stat);
  const { messageId, destination: recipient } = report;
  return { kind: 'receipt', messageId, state, networkError, recipient, isIntermediate: false };
}
