import fc from 'fast-check';
import { encodeCmpp } from './cmpp-codec.ts';
import { type CmppDeliver, type CmppPdu, type CmppSubmit, mostDestinations } from './cmpp-pdu.ts';
import type { CmppVersion } from './cmpp-version.ts';

const octet = fc.nat(0xff);
const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const messageId = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }).map(String);
const authenticator = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((octets) => Buffer.from(octets));
const content = fc.uint8Array({ maxLength: 255 }).map((octets) => Buffer.from(octets));
const latin1 = fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code));

function text(maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: latin1, maxLength });
}

/** With the prototype that decoded messages have. */
function record<Values>(model: { [Key in keyof Values]: fc.Arbitrary<Values[Key]> }): fc.Arbitrary<Values> {
  return fc.record<Values>(model, { noNullPrototype: true });
}

/** Every message that the version can carry. */
export function cmppPdus(version: CmppVersion): fc.Arbitrary<CmppPdu> {
  const terminal = text(version.terminalSize);
  const terminalType = version.terminalTypeSize === 1 ? octet : fc.constant(0);
  const result = version.resultSize === 1 ? octet : uint32;
  const linkId = version.name === 'cmpp3' ? text(version.tailSize) : fc.constant('');
  const empty = fc.constantFrom('terminate', 'terminate_resp', 'active_test', 'active_test_resp');
  const question = { sequence: uint32, day: text(8), queryType: octet, queryCode: text(10) };
  return fc.oneof(
    empty.chain((command) => record({ command: fc.constant(command), sequence: uint32 })),
    record({
      command: fc.constant('connect' as const),
      sequence: uint32,
      sourceAddress: text(6),
      authenticator,
      version: octet,
      timestamp: uint32,
    }),
    record({
      command: fc.constant('connect_resp' as const),
      sequence: uint32,
      status: result,
      authenticator,
      version: octet,
    }),
    record({
      command: fc.constant('submit' as const),
      sequence: uint32,
      messageId,
      segmentCount: octet,
      segmentNumber: octet,
      registeredDelivery: octet,
      level: octet,
      serviceId: text(10),
      feeUserType: octet,
      feeTerminalId: terminal,
      feeTerminalType: terminalType,
      protocolId: octet,
      userDataHeader: octet,
      format: octet,
      messageSource: text(6),
      feeType: text(2),
      feeCode: text(6),
      validUntil: text(17),
      deliverAt: text(17),
      sourceId: text(21),
      destinations: fc.oneof(
        { weight: 4, arbitrary: fc.array(terminal, { minLength: 1, maxLength: 3 }) },
        fc.array(terminal, { minLength: 1, maxLength: mostDestinations }),
      ),
      destinationType: terminalType,
      content,
      linkId,
    }),
    record({
      command: fc.constant('deliver' as const),
      sequence: uint32,
      messageId,
      destinationId: text(21),
      serviceId: text(10),
      protocolId: octet,
      userDataHeader: octet,
      format: octet,
      sourceTerminalId: terminal,
      sourceTerminalType: terminalType,
      registeredDelivery: octet,
      content,
      linkId,
    }),
    record({
      command: fc.constantFrom('submit_resp' as const, 'deliver_resp' as const),
      sequence: uint32,
      messageId,
      result,
    }),
    record({ command: fc.constant('query' as const), ...question }),
    record({
      command: fc.constant('query_resp' as const),
      ...question,
      submittedMessages: uint32,
      submittedDestinations: uint32,
      forwarded: uint32,
      waiting: uint32,
      failed: uint32,
      delivered: uint32,
      deliveryWaiting: uint32,
      deliveryFailed: uint32,
    }),
    record({ command: fc.constant('cancel' as const), sequence: uint32, messageId }),
    record({ command: fc.constant('cancel_resp' as const), sequence: uint32, result }),
  );
}

/** Messages as octets. */
export function cmppFrames(version: CmppVersion): fc.Arbitrary<Buffer> {
  return cmppPdus(version).map((pdu) => encodeCmpp(pdu, version));
}

/** Without the bias to small numbers, by which most faults would stand in the header. */
const place = fc.noBias(fc.nat(0xffff));

const edit = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('overwrite' as const),
      at: place,
      octets: fc.uint8Array({ maxLength: 4 }),
    }),
  },
  fc.record({ kind: fc.constant('insert' as const), at: place, octets: fc.uint8Array({ maxLength: 40 }) }),
  fc.record({ kind: fc.constant('remove' as const), at: place, count: fc.nat(40) }),
  fc.record({ kind: fc.constant('cut' as const), at: place }),
);

/** Messages with a few faults. In most of them the total length is true, so that the faults behind it are reached. */
export function faultyCmppFrames(version: CmppVersion): fc.Arbitrary<Buffer> {
  return fc
    .record({
      frame: cmppFrames(version),
      edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
      isLengthTrue: fc.integer({ min: 0, max: 3 }).map((number) => number > 0),
    })
    .map(({ frame, edits, isLengthTrue }) => {
      const faulty = edits.reduce<Buffer>(applyEdit, frame);
      if (isLengthTrue && faulty.length >= 4) faulty.writeUInt32BE(faulty.length, 0);
      return faulty;
    });
}

type FrameEdit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

/** Anywhere in the frame, or at its end. */
function applyEdit(frame: Buffer, change: FrameEdit): Buffer {
  const at = change.at % (frame.length + 1);
  const [front, back] = [frame.subarray(0, at), frame.subarray(at)];
  switch (change.kind) {
    case 'overwrite':
      return Buffer.concat([front, change.octets, back.subarray(change.octets.length)]);
    case 'insert':
      return Buffer.concat([front, change.octets, back]);
    case 'remove':
      return Buffer.concat([front, back.subarray(change.count)]);
    case 'cut':
      return Buffer.from(front);
  }
}

/** The first half of a message with a user data header. */
export const exampleSubmit: CmppSubmit = {
  command: 'submit',
  sequence: 0x0102_0304,
  messageId: '0',
  segmentCount: 2,
  segmentNumber: 1,
  registeredDelivery: 1,
  level: 3,
  serviceId: 'HELP',
  feeUserType: 2,
  feeTerminalId: '13900139000',
  feeTerminalType: 0,
  protocolId: 0,
  userDataHeader: 1,
  format: 8,
  messageSource: '901234',
  feeType: '01',
  feeCode: '10',
  validUntil: '260101120000032+',
  deliverAt: '',
  sourceId: '10690000',
  destinations: ['13800138000', '13800138001'],
  destinationType: 0,
  content: Buffer.from('0500030702014e2d', 'hex'),
  linkId: '',
};

/** An answer of a phone. */
export const exampleDeliver: CmppDeliver = {
  command: 'deliver',
  sequence: 9,
  messageId: '18446744073709551615',
  destinationId: '10690000',
  serviceId: 'HELP',
  protocolId: 0,
  userDataHeader: 0,
  format: 15,
  sourceTerminalId: '13800138000',
  sourceTerminalType: 0,
  registeredDelivery: 0,
  content: Buffer.from('d6d0', 'hex'),
  linkId: '',
};
