/** The bodies of what begins, keeps and ends a connection (CMPP 3.0.0 §8.4.1, §8.4.2, §8.4.7). */
import { type BodyCodec, readResult, resultSizeIn, writeResult } from './body-codec.ts';
import type { CmppConnect, CmppConnectResponse, CmppEmpty } from './cmpp-pdu.ts';

const addressSize = 6;
const authenticatorSize = 16;

export const connectBody: BodyCodec<CmppConnect> = {
  read(reader, sequence) {
    if (reader.remaining !== addressSize + authenticatorSize + 5) return 'length';
    return {
      command: 'connect',
      sequence,
      sourceAddress: reader.text(addressSize),
      authenticator: reader.bytes(authenticatorSize),
      version: reader.octet(),
      timestamp: reader.uint32(),
    };
  },
  write(writer, pdu) {
    writer.text('Source_Addr', pdu.sourceAddress, addressSize);
    writer.bytes('AuthenticatorSource', pdu.authenticator, authenticatorSize);
    writer.octet('Version', pdu.version);
    writer.uint32('Timestamp', pdu.timestamp);
  },
};

export const connectResponseBody: BodyCodec<CmppConnectResponse> = {
  read(reader, sequence) {
    const size = resultSizeIn(reader, authenticatorSize + 1);
    if (size === undefined) return 'length';
    return {
      command: 'connect_resp',
      sequence,
      status: readResult(reader, size),
      authenticator: reader.bytes(authenticatorSize),
      version: reader.octet(),
    };
  },
  write(writer, pdu, version) {
    writeResult(writer, 'Status', pdu.status, version);
    writer.bytes('AuthenticatorISMG', pdu.authenticator, authenticatorSize);
    writer.octet('Version', pdu.version);
  },
};

export const terminateBody: BodyCodec<CmppEmpty<'terminate'>> = {
  read: (reader, sequence) => (reader.remaining === 0 ? { command: 'terminate', sequence } : 'length'),
  write() {},
};

export const terminateResponseBody: BodyCodec<CmppEmpty<'terminate_resp'>> = {
  read: (reader, sequence) => (reader.remaining === 0 ? { command: 'terminate_resp', sequence } : 'length'),
  write() {},
};

export const activeTestBody: BodyCodec<CmppEmpty<'active_test'>> = {
  read: (reader, sequence) => (reader.remaining === 0 ? { command: 'active_test', sequence } : 'length'),
  write() {},
};

/** One reserved octet, which some peers omit. */
export const activeTestResponseBody: BodyCodec<CmppEmpty<'active_test_resp'>> = {
  read: (reader, sequence) => (reader.remaining <= 1 ? { command: 'active_test_resp', sequence } : 'length'),
  write(writer) {
    writer.octet('Reserved', 0);
  },
};
