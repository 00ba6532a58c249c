/** submit_sm and deliver_sm, which have the same fields, and the message_id that answers them (SMPP 3.4 §4.4, §4.6). */
import { readAddress, type SmppAddress, writeAddress } from './smpp-address.ts';
import type { SmppReader } from './smpp-reader.ts';
import type { SmppWriter } from './smpp-writer.ts';

/** What follows the destination, in submit_multi as well (§4.5.1). */
export interface MessageFields {
  readonly esmClass: number;
  readonly protocolId: number;
  readonly priorityFlag: number;
  /** Empty, or 16 characters: YYMMDDhhmmsstnnp (§7.1.1). */
  readonly scheduleDeliveryTime: string;
  /** As `scheduleDeliveryTime`. */
  readonly validityPeriod: string;
  readonly registeredDelivery: number;
  readonly replaceIfPresentFlag: number;
  readonly dataCoding: number;
  readonly smDefaultMsgId: number;
  /** At most 254 octets, with the user data header. Of a decoded PDU it is a view of its octets. */
  readonly shortMessage: Uint8Array;
}

export interface ShortMessageBody extends MessageFields {
  readonly serviceType: string;
  readonly source: SmppAddress;
  readonly destination: SmppAddress;
}

export interface MessageIdBody {
  /** At most 64 characters. Empty where the peer gives none: in a deliver_sm_resp, and in most refusals. */
  readonly messageId: string;
}

export const serviceTypeSize = 6;
export const messageIdSize = 65;
const longestShortMessage = 254;

/** Fields whose strings are 1 or 17 octets long are read at any length up to 17, and a sm_length of 255 is accepted. */
export function readMessageFields(reader: SmppReader): MessageFields {
  return {
    esmClass: reader.octet('esm_class'),
    protocolId: reader.octet('protocol_id'),
    priorityFlag: reader.octet('priority_flag'),
    scheduleDeliveryTime: reader.text('schedule_delivery_time', 17),
    validityPeriod: reader.text('validity_period', 17),
    registeredDelivery: reader.octet('registered_delivery'),
    replaceIfPresentFlag: reader.octet('replace_if_present_flag'),
    dataCoding: reader.octet('data_coding'),
    smDefaultMsgId: reader.octet('sm_default_msg_id'),
    shortMessage: readShortMessage(reader),
  };
}

export function writeMessageFields(writer: SmppWriter, fields: MessageFields): void {
  writer.octet('esm_class', fields.esmClass);
  writer.octet('protocol_id', fields.protocolId);
  writer.octet('priority_flag', fields.priorityFlag);
  writer.time('schedule_delivery_time', fields.scheduleDeliveryTime);
  writer.time('validity_period', fields.validityPeriod);
  writer.octet('registered_delivery', fields.registeredDelivery);
  writer.octet('replace_if_present_flag', fields.replaceIfPresentFlag);
  writer.octet('data_coding', fields.dataCoding);
  writer.octet('sm_default_msg_id', fields.smDefaultMsgId);
  writeShortMessage(writer, fields.shortMessage);
}

/** Behind its sm_length. */
export function readShortMessage(reader: SmppReader): Uint8Array {
  return reader.octets('short_message', reader.octet('sm_length'));
}

export function writeShortMessage(writer: SmppWriter, value: Uint8Array): void {
  writer.measured('short_message', value, longestShortMessage);
}

export function readShortMessageBody(reader: SmppReader): ShortMessageBody {
  return {
    serviceType: reader.text('service_type', serviceTypeSize),
    source: readAddress(reader, 'source_addr'),
    destination: readAddress(reader, 'destination_addr'),
    ...readMessageFields(reader),
  };
}

export function writeShortMessageBody(writer: SmppWriter, body: ShortMessageBody): void {
  writer.text('service_type', body.serviceType, serviceTypeSize);
  writeAddress(writer, 'source_addr', body.source);
  writeAddress(writer, 'destination_addr', body.destination);
  writeMessageFields(writer, body);
}

/**
 * The body is missing in refusals (§4.4.2), and in other responses of some servers. Some leave out the NUL at its end.
 * Such an answer must be read: a message that it accepts must not be sent again.
 */
export function readMessageId(reader: SmppReader): MessageIdBody {
  return { messageId: reader.isAtEnd ? '' : reader.lastText('message_id', messageIdSize) };
}

export function writeMessageId(writer: SmppWriter, body: MessageIdBody): void {
  writer.text('message_id', body.messageId, messageIdSize);
}
