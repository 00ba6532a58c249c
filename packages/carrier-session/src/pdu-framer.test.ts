import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Frame, PduFramer } from './pdu-framer.ts';
import { encodeToy, toyPdu, toyProtocol } from './toy-protocol.testing.ts';

const texts = fc.array(fc.string({ maxLength: 300 }), { maxLength: 20 });

/** What the framer finds in a stream that arrives in chunks of these sizes, again and again. */
function cut(stream: Uint8Array, sizes: readonly number[], protocol = toyProtocol): readonly Frame[] {
  const framer = new PduFramer(protocol);
  const frames: Frame[] = [];
  for (let at = 0, turn = 0; at < stream.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    framer.push(stream.subarray(at, at + size));
    at += size;
    for (let frame = framer.next(); frame !== undefined; frame = framer.next()) frames.push(frame);
  }
  return frames;
}

const octetsOf = (frame: Frame | undefined): Buffer =>
  Buffer.from(frame?.kind === 'pdu' ? frame.octets : new Uint8Array());

test('PDUs are found whatever the chunks are', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (texts, sizes) => {
      const pdus = texts.map((text, index) => encodeToy(toyPdu('request', index + 1, text)));
      assert.deepEqual(cut(Buffer.concat(pdus), sizes).map(octetsOf), pdus);
    }),
  );
});

test('a PDU that is nothing but its head is found', () => {
  const protocol = { ...toyProtocol, headLength: 9 };
  const pdus = [encodeToy(toyPdu('keepAlive', 1)), encodeToy(toyPdu('keepAlive', 2))];
  for (const size of [1, 8, 9, 10, 18]) {
    assert.deepEqual(cut(Buffer.concat(pdus), [size], protocol).map(octetsOf), pdus);
  }
});

for (const length of [0, 8, 1001, 0xffffffff]) {
  test(`a length of ${length} is impossible, and nothing is found after it`, () => {
    const stream = Buffer.alloc(5000);
    stream.writeUInt32BE(length);
    for (const size of [1, 3, 5000]) {
      const frames = cut(stream, [size]);
      assert.deepEqual(frames, [{ kind: 'impossible-length', head: stream.subarray(0, 4) }]);
    }
  });
}

test('PDUs stay as they are while later ones arrive', () => {
  const pdus = ['one', 'two', 'three'].map((text, index) => encodeToy(toyPdu('request', index, text)));
  const found = cut(Buffer.concat(pdus), [5]).map((frame) => (frame.kind === 'pdu' ? frame.octets : undefined));
  assert.deepEqual(
    found.map((octets) => Buffer.from(octets ?? [])),
    pdus,
  );
});

test('chunks that come before all PDUs were taken are joined', () => {
  const pdus = ['one', 'two', 'three'].map((text, index) => encodeToy(toyPdu('request', index, text)));
  const framer = new PduFramer(toyProtocol);
  for (const pdu of pdus) framer.push(pdu);
  assert.deepEqual([framer.next(), framer.next(), framer.next()].map(octetsOf), pdus);
  assert.equal(framer.next(), undefined);
});

test('a long PDU in single octets costs each octet a constant number of copies', (t) => {
  const protocol = { ...toyProtocol, longestPdu: 1 << 15 };
  const stream = Buffer.alloc(1 << 15);
  stream.writeUInt32BE(stream.length);
  let copied = 0;
  t.mock.method(Uint8Array.prototype, 'set', function (this: Uint8Array, from: Uint8Array, at = 0) {
    copied += from.length;
    from instanceof Buffer ? from.copy(this, at) : this.fill(from[0] ?? 0, at, at + from.length);
  });
  assert.equal(cut(stream, [1], protocol).length, 1);
  assert.ok(copied <= 4 * stream.length, `${copied} octets were copied`);
});

test('a claimed length alone costs no memory', () => {
  const protocol = { ...toyProtocol, longestPdu: 0xffffffff };
  const framers = Array.from({ length: 1000 }, () => new PduFramer(protocol));
  const before = process.memoryUsage().arrayBuffers;
  for (const framer of framers) {
    framer.push(Buffer.from([0x7f, 0xff, 0xff, 0xff]));
    assert.equal(framer.next(), undefined);
  }
  assert.ok(process.memoryUsage().arrayBuffers - before < 5_000_000);
});
