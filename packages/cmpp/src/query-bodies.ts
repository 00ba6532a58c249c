/** The bodies of CMPP_QUERY, CMPP_CANCEL and their responses (CMPP 3.0.0 §8.4.4, §8.4.6). */
import { type BodyCodec, readResult, resultSizeIn, writeResult } from './body-codec.ts';
import type { CmppCancel, CmppCancelResponse, CmppQuery, CmppQueryResponse } from './cmpp-pdu.ts';
import type { CmppWriter } from './cmpp-writer.ts';

const daySize = 8;
const codeSize = 10;
const reserveSize = 8;

export const queryBody: BodyCodec<CmppQuery> = {
  read(reader, sequence) {
    if (reader.remaining !== daySize + 1 + codeSize + reserveSize) return 'length';
    return {
      command: 'query',
      sequence,
      day: reader.text(daySize),
      queryType: reader.octet(),
      queryCode: reader.text(codeSize),
    };
  },
  write(writer, pdu) {
    writeQuestion(writer, pdu);
    writer.text('Reserve', '', reserveSize);
  },
};

export const queryResponseBody: BodyCodec<CmppQueryResponse> = {
  read(reader, sequence) {
    if (reader.remaining !== daySize + 1 + codeSize + 8 * 4) return 'length';
    return {
      command: 'query_resp',
      sequence,
      day: reader.text(daySize),
      queryType: reader.octet(),
      queryCode: reader.text(codeSize),
      submittedMessages: reader.uint32(),
      submittedDestinations: reader.uint32(),
      forwarded: reader.uint32(),
      waiting: reader.uint32(),
      failed: reader.uint32(),
      delivered: reader.uint32(),
      deliveryWaiting: reader.uint32(),
      deliveryFailed: reader.uint32(),
    };
  },
  write(writer, pdu) {
    writeQuestion(writer, pdu);
    writer.uint32('MT_TLMsg', pdu.submittedMessages);
    writer.uint32('MT_Tlusr', pdu.submittedDestinations);
    writer.uint32('MT_Scs', pdu.forwarded);
    writer.uint32('MT_WT', pdu.waiting);
    writer.uint32('MT_FL', pdu.failed);
    writer.uint32('MO_Scs', pdu.delivered);
    writer.uint32('MO_WT', pdu.deliveryWaiting);
    writer.uint32('MO_FL', pdu.deliveryFailed);
  },
};

function writeQuestion(writer: CmppWriter, pdu: CmppQuery | CmppQueryResponse): void {
  writer.text('Time', pdu.day, daySize);
  writer.octet('Query_Type', pdu.queryType);
  writer.text('Query_Code', pdu.queryCode, codeSize);
}

export const cancelBody: BodyCodec<CmppCancel> = {
  read(reader, sequence) {
    return reader.remaining === 8 ? { command: 'cancel', sequence, messageId: reader.messageId() } : 'length';
  },
  write(writer, pdu) {
    writer.messageId('Msg_Id', pdu.messageId);
  },
};

export const cancelResponseBody: BodyCodec<CmppCancelResponse> = {
  read(reader, sequence) {
    const size = resultSizeIn(reader, 0);
    return size === undefined ? 'length' : { command: 'cancel_resp', sequence, result: readResult(reader, size) };
  },
  write(writer, pdu, version) {
    writeResult(writer, 'Success_Id', pdu.result, version);
  },
};
