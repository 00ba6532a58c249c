/** query_sm, cancel_sm and replace_sm: about messages that a server holds already (SMPP 3.4 §4.8 to §4.10). */
import { messageIdSize, readShortMessage, serviceTypeSize, writeShortMessage } from './short-message-body.ts';
import { readAddress, type SmppAddress, writeAddress } from './smpp-address.ts';
import type { SmppReader } from './smpp-reader.ts';
import type { SmppWriter } from './smpp-writer.ts';

export interface QuerySmBody {
  readonly messageId: string;
  readonly source: SmppAddress;
}

export interface QuerySmRespBody {
  readonly messageId: string;
  /** Empty while the state is not final, else 16 characters. */
  readonly finalDate: string;
  /** §5.2.28 */
  readonly messageState: number;
  readonly errorCode: number;
}

export interface CancelSmBody {
  readonly serviceType: string;
  readonly messageId: string;
  readonly source: SmppAddress;
  readonly destination: SmppAddress;
}

export interface ReplaceSmBody {
  readonly messageId: string;
  readonly source: SmppAddress;
  readonly scheduleDeliveryTime: string;
  readonly validityPeriod: string;
  readonly registeredDelivery: number;
  readonly smDefaultMsgId: number;
  /** At most 254 octets. */
  readonly shortMessage: Uint8Array;
}

export function readQuerySm(reader: SmppReader): QuerySmBody {
  return { messageId: reader.text('message_id', messageIdSize), source: readAddress(reader, 'source_addr') };
}

export function writeQuerySm(writer: SmppWriter, body: QuerySmBody): void {
  writer.text('message_id', body.messageId, messageIdSize);
  writeAddress(writer, 'source_addr', body.source);
}

/** A refusal's body may be missing. */
export function readQuerySmResp(reader: SmppReader, isRefusal: boolean): QuerySmRespBody {
  if (isRefusal && reader.isAtEnd) return { messageId: '', finalDate: '', messageState: 0, errorCode: 0 };
  return {
    messageId: reader.text('message_id', messageIdSize),
    finalDate: reader.text('final_date', 17),
    messageState: reader.octet('message_state'),
    errorCode: reader.octet('error_code'),
  };
}

export function writeQuerySmResp(writer: SmppWriter, body: QuerySmRespBody): void {
  writer.text('message_id', body.messageId, messageIdSize);
  writer.time('final_date', body.finalDate);
  writer.octet('message_state', body.messageState);
  writer.octet('error_code', body.errorCode);
}

export function readCancelSm(reader: SmppReader): CancelSmBody {
  return {
    serviceType: reader.text('service_type', serviceTypeSize),
    messageId: reader.text('message_id', messageIdSize),
    source: readAddress(reader, 'source_addr'),
    destination: readAddress(reader, 'destination_addr'),
  };
}

export function writeCancelSm(writer: SmppWriter, body: CancelSmBody): void {
  writer.text('service_type', body.serviceType, serviceTypeSize);
  writer.text('message_id', body.messageId, messageIdSize);
  writeAddress(writer, 'source_addr', body.source);
  writeAddress(writer, 'destination_addr', body.destination);
}

export function readReplaceSm(reader: SmppReader): ReplaceSmBody {
  return {
    messageId: reader.text('message_id', messageIdSize),
    source: readAddress(reader, 'source_addr'),
    scheduleDeliveryTime: reader.text('schedule_delivery_time', 17),
    validityPeriod: reader.text('validity_period', 17),
    registeredDelivery: reader.octet('registered_delivery'),
    smDefaultMsgId: reader.octet('sm_default_msg_id'),
    shortMessage: readShortMessage(reader),
  };
}

export function writeReplaceSm(writer: SmppWriter, body: ReplaceSmBody): void {
  writer.text('message_id', body.messageId, messageIdSize);
  writeAddress(writer, 'source_addr', body.source);
  writer.time('schedule_delivery_time', body.scheduleDeliveryTime);
  writer.time('validity_period', body.validityPeriod);
  writer.octet('registered_delivery', body.registeredDelivery);
  writer.octet('sm_default_msg_id', body.smDefaultMsgId);
  writeShortMessage(writer, body.shortMessage);
}
