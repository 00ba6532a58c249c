/** The bodies of CMPP_DELIVER and its response (CMPP 3.0.0 §8.4.5; 2.0 §7.4.5). */
import {
  type BodyCodec,
  readResult,
  readTail,
  readTerminalType,
  resultSizeIn,
  writeResult,
  writeTail,
  writeTerminalType,
} from './body-codec.ts';
import type { CmppDeliver, CmppDeliverResponse } from './cmpp-pdu.ts';

/** The fields before Msg_Length, but for Src_terminal_Id and its type. */
const fixedSize = 8 + 21 + 10 + 3 + 1;

export const deliverBody: BodyCodec<CmppDeliver> = {
  read(reader, sequence, version) {
    const lengthAt = fixedSize + version.terminalSize + version.terminalTypeSize;
    const length = reader.peek(lengthAt);
    if (length === undefined || reader.remaining !== lengthAt + 1 + length + version.tailSize) return 'length';
    return {
      command: 'deliver',
      sequence,
      messageId: reader.messageId(),
      destinationId: reader.text(21),
      serviceId: reader.text(10),
      protocolId: reader.octet(),
      userDataHeader: reader.octet(),
      format: reader.octet(),
      sourceTerminalId: reader.text(version.terminalSize),
      sourceTerminalType: readTerminalType(reader, version),
      registeredDelivery: reader.octet(),
      content: reader.bytes(reader.octet()),
      linkId: readTail(reader, version),
    };
  },
  write(writer, pdu, version) {
    writer.messageId('Msg_Id', pdu.messageId);
    writer.text('Dest_Id', pdu.destinationId, 21);
    writer.text('Service_Id', pdu.serviceId, 10);
    writer.octet('TP_pid', pdu.protocolId);
    writer.octet('TP_udhi', pdu.userDataHeader);
    writer.octet('Msg_Fmt', pdu.format);
    writer.text('Src_terminal_Id', pdu.sourceTerminalId, version.terminalSize);
    writeTerminalType(writer, 'Src_terminal_type', pdu.sourceTerminalType, version);
    writer.octet('Registered_Delivery', pdu.registeredDelivery);
    writer.octet('Msg_Length', pdu.content.length);
    writer.bytes('Msg_Content', pdu.content, pdu.content.length);
    writeTail(writer, pdu.linkId, version);
  },
};

export const deliverResponseBody: BodyCodec<CmppDeliverResponse> = {
  read(reader, sequence) {
    const size = resultSizeIn(reader, 8);
    if (size === undefined) return 'length';
    return { command: 'deliver_resp', sequence, messageId: reader.messageId(), result: readResult(reader, size) };
  },
  write(writer, pdu, version) {
    writer.messageId('Msg_Id', pdu.messageId);
    writeResult(writer, 'Result', pdu.result, version);
  },
};
