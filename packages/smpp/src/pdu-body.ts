/** Which body follows the head of which command (SMPP 3.4 §4). */
import { readBind, readBindResp, readOutbind, writeBind, writeBindResp, writeOutbind } from './bind-body.ts';
import type { CommandName } from './command-id.ts';
import { readAlertNotification, readDataSm, writeAlertNotification, writeDataSm } from './data-sm-body.ts';
import { readMessageId, readShortMessageBody, writeMessageId, writeShortMessageBody } from './short-message-body.ts';
import type { SmppPdu } from './smpp-pdu.ts';
import type { SmppReader } from './smpp-reader.ts';
import type { SmppWriter } from './smpp-writer.ts';
import {
  readCancelSm,
  readQuerySm,
  readQuerySmResp,
  readReplaceSm,
  writeCancelSm,
  writeQuerySm,
  writeQuerySmResp,
  writeReplaceSm,
} from './stored-message-body.ts';
import { readSubmitMulti, readSubmitMultiResp, writeSubmitMulti, writeSubmitMultiResp } from './submit-multi-body.ts';

export interface PduNumbers {
  readonly sequence: number;
  readonly status: number;
}

/** Everything behind the head. @throws SmppFault */
export function readPdu(command: CommandName, numbers: PduNumbers, reader: SmppReader): SmppPdu {
  const { sequence, status } = numbers;
  const isRefusal = status !== 0;
  switch (command) {
    case 'submit_sm':
    case 'deliver_sm':
      return { command, sequence, status, ...readShortMessageBody(reader), tlvs: reader.tlvs() };
    case 'submit_sm_resp':
    case 'data_sm_resp':
      return { command, sequence, status, ...readMessageId(reader), tlvs: reader.tlvs() };
    case 'deliver_sm_resp':
      return { command, sequence, status, ...readMessageId(reader), tlvs: reader.tlvs() };
    case 'bind_transmitter':
    case 'bind_receiver':
    case 'bind_transceiver':
      return { command, sequence, status, ...readBind(reader), tlvs: reader.tlvs() };
    case 'bind_transmitter_resp':
    case 'bind_receiver_resp':
    case 'bind_transceiver_resp':
      return { command, sequence, status, ...readBindResp(reader), tlvs: reader.tlvs() };
    case 'outbind':
      return { command, sequence, status, ...readOutbind(reader), tlvs: reader.tlvs() };
    case 'submit_multi':
      return { command, sequence, status, ...readSubmitMulti(reader), tlvs: reader.tlvs() };
    case 'submit_multi_resp':
      return { command, sequence, status, ...readSubmitMultiResp(reader), tlvs: reader.tlvs() };
    case 'data_sm':
      return { command, sequence, status, ...readDataSm(reader), tlvs: reader.tlvs() };
    case 'query_sm':
      return { command, sequence, status, ...readQuerySm(reader), tlvs: reader.tlvs() };
    case 'query_sm_resp':
      return { command, sequence, status, ...readQuerySmResp(reader, isRefusal), tlvs: reader.tlvs() };
    case 'cancel_sm':
      return { command, sequence, status, ...readCancelSm(reader), tlvs: reader.tlvs() };
    case 'replace_sm':
      return { command, sequence, status, ...readReplaceSm(reader), tlvs: reader.tlvs() };
    case 'alert_notification':
      return { command, sequence, status, ...readAlertNotification(reader), tlvs: reader.tlvs() };
    case 'unbind':
    case 'unbind_resp':
    case 'generic_nack':
    case 'enquire_link':
    case 'enquire_link_resp':
    case 'cancel_sm_resp':
    case 'replace_sm_resp':
      return { command, sequence, status, tlvs: reader.tlvs() };
  }
}

/** Everything behind the head but the TLVs. @throws SmppFault */
export function writeBody(writer: SmppWriter, pdu: SmppPdu): void {
  switch (pdu.command) {
    case 'submit_sm':
    case 'deliver_sm':
      writeShortMessageBody(writer, pdu);
      break;
    case 'submit_sm_resp':
      if (!isBareRefusal(pdu, pdu.messageId)) writeMessageId(writer, pdu);
      break;
    case 'deliver_sm_resp':
    case 'data_sm_resp':
      writeMessageId(writer, pdu);
      break;
    case 'bind_transmitter':
    case 'bind_receiver':
    case 'bind_transceiver':
      writeBind(writer, pdu);
      break;
    case 'bind_transmitter_resp':
    case 'bind_receiver_resp':
    case 'bind_transceiver_resp':
      if (!isBareRefusal(pdu, pdu.systemId)) writeBindResp(writer, pdu);
      break;
    case 'outbind':
      writeOutbind(writer, pdu);
      break;
    case 'submit_multi':
      writeSubmitMulti(writer, pdu);
      break;
    case 'submit_multi_resp':
      writeSubmitMultiResp(writer, pdu);
      break;
    case 'data_sm':
      writeDataSm(writer, pdu);
      break;
    case 'query_sm':
      writeQuerySm(writer, pdu);
      break;
    case 'query_sm_resp':
      writeQuerySmResp(writer, pdu);
      break;
    case 'cancel_sm':
      writeCancelSm(writer, pdu);
      break;
    case 'replace_sm':
      writeReplaceSm(writer, pdu);
      break;
    case 'alert_notification':
      writeAlertNotification(writer, pdu);
      break;
    case 'unbind':
    case 'unbind_resp':
    case 'generic_nack':
    case 'enquire_link':
    case 'enquire_link_resp':
    case 'cancel_sm_resp':
    case 'replace_sm_resp':
      break;
  }
}

/** A refusal of a bind or a submit_sm has no body (§4.1.2, §4.4.2). */
function isBareRefusal({ status, tlvs }: SmppPdu, text: string): boolean {
  return status !== 0 && text === '' && tlvs.length === 0;
}
