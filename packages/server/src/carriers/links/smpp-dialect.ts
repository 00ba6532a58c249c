import type { BindJudgement } from '@waxwing/carrier-session/link.ts';
import { commandStatus, statusName } from '@waxwing/smpp/command-status.ts';
import { concatenationOf } from '@waxwing/smpp/concatenation.ts';
import { type ContentWays, contentFields, contentPieces } from '@waxwing/smpp/content-pieces.ts';
import { readReceipt } from '@waxwing/smpp/delivery-receipt.ts';
import { textOf } from '@waxwing/smpp/message-content.ts';
import { bareResponse } from '@waxwing/smpp/response-pdu.ts';
import type { DataSm, DeliverSm, SmppPdu, SubmitSm } from '@waxwing/smpp/smpp-pdu.ts';
import { smppProtocol } from '@waxwing/smpp/smpp-protocol.ts';
import { tlvInteger } from '@waxwing/smpp/tlv.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import type { PartToSubmit } from '../carrier.ts';
import { contentWays } from '../content-ways.ts';
import type { CarrierSettings } from '../stored-carrier.ts';
import { statusCode } from '../submit-result.ts';
import type { CarrierDialect, ConnectionRole, InboundRequest, SubmitAnswer } from './carrier-dialect.ts';
import { smppTime } from './carrier-time.ts';
import { ownReference } from './own-reference.ts';
import { numberFromSmpp } from './phone-address.ts';
import { destinationAddress, sourceAddress } from './smpp-addresses.ts';
import { submitResultOf } from './submit-status.ts';

const version34 = 0x34;
/** registered_delivery (SMPP 3.4 §5.2.17): a receipt whatever the outcome. */
const wantsReceipt = 1;

const bindCommands: Readonly<Record<ConnectionRole, 'bind_transceiver' | 'bind_transmitter' | 'bind_receiver'>> = {
  both: 'bind_transceiver',
  transmitter: 'bind_transmitter',
  receiver: 'bind_receiver',
};

/** SMPP 3.4 as the settings of one carrier have it. */
export function smppDialect(settings: CarrierSettings, password: SecretText): CarrierDialect<SmppPdu> {
  const alphabet = settings.default_alphabet ?? 'gsm7';
  return {
    protocol: smppProtocol,
    messageIds: settings.receipt_id ?? 'auto',
    bindRequest: (role, sequence) => ({
      command: bindCommands[role],
      sequence,
      status: 0,
      systemId: settings.account,
      password: password.reveal(),
      systemType: settings.system_type ?? '',
      interfaceVersion: version34,
      ...{ addrTon: 0, addrNpi: 0, addressRange: '' },
      tlvs: [],
    }),
    judgeBind: ({ status: code }): BindJudgement =>
      code === commandStatus.ESME_ROK
        ? { kind: 'bound' }
        : { kind: 'refused', code, words: `${statusName(code)} (${statusCode(code)})` },
    submitRequests: (part) => smppSubmits(part, settings),
    readSubmitAnswer: (response) => readAnswer(response, settings),
    readInbound(request): InboundRequest {
      if (request.command !== 'deliver_sm' && request.command !== 'data_sm') {
        return { kind: 'other', what: request.command };
      }
      const receipt = readReceipt(request);
      // The receipt comes from the phone that the message went to.
      if (receipt !== undefined) return { kind: 'receipt', ...receipt, recipient: request.source.address };
      return toReply(request, textOf(request, alphabet));
    },
    answerInbound({ command, sequence }, answer) {
      // These have no response (SMPP 3.4 §4.1.7, §4.12).
      if (command === 'alert_notification' || command === 'outbind') return undefined;
      if (command !== 'deliver_sm' && command !== 'data_sm') {
        return bareResponse(command, sequence, commandStatus.ESME_RINVCMDID);
      }
      return bareResponse(
        command,
        sequence,
        answer === 'taken' ? commandStatus.ESME_ROK : commandStatus.ESME_RX_T_APPN,
      );
    },
  };
}

/** @throws RangeError or SmppFault when the content cannot be carried */
function smppSubmits(part: PartToSubmit, settings: CarrierSettings): readonly ((sequence: number) => SubmitSm)[] {
  const { concatenation } = part;
  const { long, alphabet, texts } = piecesOf(part, contentWays(settings));
  const placeOf = (index: number) =>
    texts.length === 1 ? concatenation : { reference: ownReference(part.id), total: texts.length, sequence: index + 1 };
  return texts.map((text, index) => {
    const content = contentFields(text, alphabet, long, placeOf(index));
    return (sequence: number) => ({
      command: 'submit_sm',
      sequence,
      status: 0,
      serviceType: '',
      source: sourceAddress(part.sender, settings),
      destination: destinationAddress(part.destination, settings),
      ...{ protocolId: 0, priorityFlag: 0, scheduleDeliveryTime: '', replaceIfPresentFlag: 0, smDefaultMsgId: 0 },
      validityPeriod: smppTime(part.validUntil),
      registeredDelivery: wantsReceipt,
      ...content,
    });
  });
}

/** A part that was cut for another carrier may fit the header of 6 octets alone. */
function piecesOf({ text, encoding, concatenation }: PartToSubmit, ways: ContentWays) {
  const isPart = concatenation !== undefined;
  const { long } = ways;
  const pieces = contentPieces({ text, encoding, isPart }, ways);
  if (!isPart || (long !== 'payload' && !(long === 'udh16' && pieces.texts.length > 1))) return { long, ...pieces };
  return { long: 'udh8' as const, ...contentPieces({ text, encoding, isPart }, { ...ways, long: 'udh8' }) };
}

function readAnswer(response: SmppPdu, settings: CarrierSettings): SubmitAnswer {
  const congestion = tlvInteger(response.tlvs, 'congestion_state');
  if (response.command === 'submit_sm_resp') {
    return { result: submitResultOf(response.status, response.messageId, settings), congestion };
  }
  // A generic_nack accepts nothing, whatever its status.
  const status = response.status === commandStatus.ESME_ROK ? commandStatus.ESME_RSYSERR : response.status;
  return { result: submitResultOf(status, '', settings), congestion };
}

function toReply(request: DeliverSm | DataSm, text: string): InboundRequest {
  const place = concatenationOf(request);
  const { source, destination } = request;
  return {
    kind: 'reply',
    from: numberFromSmpp(source.address, source.ton),
    to: destination.address,
    text,
    segment: place && { ...place, reference: `${place.method} ${place.reference}` },
  };
}
