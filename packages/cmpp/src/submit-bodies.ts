/** The bodies of CMPP_SUBMIT and its response (CMPP 3.0.0 §8.4.3; 2.0 §7.4.3). */
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
import { CmppFieldFault } from './cmpp-fault.ts';
import { type CmppSubmit, type CmppSubmitResponse, mostDestinations } from './cmpp-pdu.ts';
import type { CmppReader } from './cmpp-reader.ts';
import type { CmppVersion } from './cmpp-version.ts';

/** The fields before DestUsr_tl, but for Fee_terminal_Id and its type. */
const fixedSize = 8 + 4 + 10 + 1 + 3 + 6 + 2 + 6 + 17 + 17 + 21;

export const submitBody: BodyCodec<CmppSubmit> = {
  read(reader, sequence, version) {
    const count = destinationCount(reader, version);
    if (typeof count === 'string') return count;
    return {
      command: 'submit',
      sequence,
      messageId: reader.messageId(),
      segmentCount: reader.octet(),
      segmentNumber: reader.octet(),
      registeredDelivery: reader.octet(),
      level: reader.octet(),
      serviceId: reader.text(10),
      feeUserType: reader.octet(),
      feeTerminalId: reader.text(version.terminalSize),
      feeTerminalType: readTerminalType(reader, version),
      protocolId: reader.octet(),
      userDataHeader: reader.octet(),
      format: reader.octet(),
      messageSource: reader.text(6),
      feeType: reader.text(2),
      feeCode: reader.text(6),
      validUntil: reader.text(17),
      deliverAt: reader.text(17),
      sourceId: reader.text(21),
      destinations: readDestinations(reader, version),
      destinationType: readTerminalType(reader, version),
      content: reader.bytes(reader.octet()),
      linkId: readTail(reader, version),
    };
  },
  write(writer, pdu, version) {
    writer.messageId('Msg_Id', pdu.messageId);
    writer.octet('Pk_total', pdu.segmentCount);
    writer.octet('Pk_number', pdu.segmentNumber);
    writer.octet('Registered_Delivery', pdu.registeredDelivery);
    writer.octet('Msg_level', pdu.level);
    writer.text('Service_Id', pdu.serviceId, 10);
    writer.octet('Fee_UserType', pdu.feeUserType);
    writer.text('Fee_terminal_Id', pdu.feeTerminalId, version.terminalSize);
    writeTerminalType(writer, 'Fee_terminal_type', pdu.feeTerminalType, version);
    writer.octet('TP_pId', pdu.protocolId);
    writer.octet('TP_udhi', pdu.userDataHeader);
    writer.octet('Msg_Fmt', pdu.format);
    writer.text('Msg_src', pdu.messageSource, 6);
    writer.text('FeeType', pdu.feeType, 2);
    writer.text('FeeCode', pdu.feeCode, 6);
    writer.text('ValId_Time', pdu.validUntil, 17);
    writer.text('At_Time', pdu.deliverAt, 17);
    writer.text('Src_Id', pdu.sourceId, 21);
    writer.octet('DestUsr_tl', checkedCount(pdu.destinations));
    for (const destination of pdu.destinations) writer.text('Dest_terminal_Id', destination, version.terminalSize);
    writeTerminalType(writer, 'Dest_terminal_type', pdu.destinationType, version);
    writer.octet('Msg_Length', pdu.content.length);
    writer.bytes('Msg_Content', pdu.content, pdu.content.length);
    writeTail(writer, pdu.linkId, version);
  },
};

/** DestUsr_tl, after all lengths were checked against the octets that are there. */
function destinationCount(reader: CmppReader, version: CmppVersion): number | 'length' | 'structure' {
  const { terminalSize, terminalTypeSize, tailSize } = version;
  const countAt = fixedSize + terminalSize + terminalTypeSize;
  const count = reader.peek(countAt);
  if (count === undefined) return 'length';
  if (count < 1 || count > mostDestinations) return 'structure';
  const lengthAt = countAt + 1 + count * terminalSize + terminalTypeSize;
  const length = reader.peek(lengthAt);
  return length !== undefined && reader.remaining === lengthAt + 1 + length + tailSize ? count : 'length';
}

function readDestinations(reader: CmppReader, { terminalSize }: CmppVersion): readonly string[] {
  const destinations: string[] = [];
  for (let left = reader.octet(); left > 0; left--) destinations.push(reader.text(terminalSize));
  return destinations;
}

function checkedCount({ length }: readonly string[]): number {
  if (length >= 1 && length <= mostDestinations) return length;
  throw new CmppFieldFault('DestUsr_tl', `is not 1 to ${mostDestinations}`);
}

export const submitResponseBody: BodyCodec<CmppSubmitResponse> = {
  read(reader, sequence) {
    const size = resultSizeIn(reader, 8);
    if (size === undefined) return 'length';
    return { command: 'submit_resp', sequence, messageId: reader.messageId(), result: readResult(reader, size) };
  },
  write(writer, pdu, version) {
    writer.messageId('Msg_Id', pdu.messageId);
    writeResult(writer, 'Result', pdu.result, version);
  },
};
