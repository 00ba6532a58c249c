import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DecodedPdu } from '@waxwing/carrier-session/session-protocol.ts';
import fc from 'fast-check';
import { encodeCmpp } from './cmpp-codec.ts';
import type { CmppPdu } from './cmpp-pdu.ts';
import { cmpp2Protocol, cmpp3Protocol } from './cmpp-protocol.ts';
import { cmppPdus, exampleDeliver, exampleSubmit, faultyCmppFrames } from './cmpp-values.testing.ts';
import { cmpp2, cmpp3 } from './cmpp-version.ts';

const runs = { seed: 7891, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 500_000 : 20_000 };

for (const [protocol, version] of [
  [cmpp2Protocol, cmpp2],
  [cmpp3Protocol, cmpp3],
] as const) {
  test(`no octets make ${protocol.name} throw, and every answer can be sent (seed ${runs.seed})`, () => {
    const kinds = { pdu: 0, malformed: 0, answered: 0 };
    fc.assert(
      fc.property(faultyCmppFrames(version), (octets) => {
        const decoded = protocol.decode(octets);
        kinds[decoded.kind] += 1;
        if (decoded.kind === 'pdu') {
          const { pdu } = decoded;
          // A response read in the size of 3.0 can have a result that only 3.0 can write.
          const written = encodeCmpp(pdu, protocol.isResponse(pdu) ? cmpp3 : version);
          assert.deepEqual(protocol.decode(written), decoded);
        } else if (decoded.answer !== undefined) {
          kinds.answered += 1;
          assert.ok(protocol.isResponse(decoded.answer));
          assert.equal(decoded.answer.sequence, decoded.sequence);
          assert.deepEqual(protocol.decode(protocol.encode(decoded.answer)), { kind: 'pdu', pdu: decoded.answer });
        }
      }),
      runs,
    );
    for (const [kind, count] of Object.entries(kinds)) assert.ok(count > runs.numRuns / 20, `${kind}: ${count}`);
  });

  test(`what ${protocol.name} answers by itself is an answer to the request`, () => {
    const answered = new Set<string>();
    fc.assert(
      fc.property(cmppPdus(version), (pdu) => {
        const answer = protocol.ownAnswer(pdu);
        if (answer === undefined) return;
        answered.add(pdu.command);
        assert.ok(protocol.canAnswer(answer, pdu));
        assert.equal(answer.sequence, pdu.sequence);
        assert.deepEqual(protocol.decode(protocol.encode(answer)), { kind: 'pdu', pdu: answer });
      }),
      { seed: runs.seed, numRuns: 500 },
    );
    assert.deepEqual([...answered].sort(), ['active_test', 'cancel', 'query', 'terminate']);
  });
}

test('a response answers the request of its own command, and no other', () => {
  const submitResponse: CmppPdu = { command: 'submit_resp', sequence: 1, messageId: '1', result: 0 };
  const deliverResponse: CmppPdu = { command: 'deliver_resp', sequence: 1, messageId: '1', result: 0 };
  const test = cmpp3Protocol.keepAlive(1);
  const pong: CmppPdu = { command: 'active_test_resp', sequence: 1 };
  assert.ok(cmpp3Protocol.canAnswer(submitResponse, exampleSubmit));
  assert.ok(cmpp3Protocol.canAnswer(deliverResponse, exampleDeliver));
  assert.ok(cmpp3Protocol.canAnswer(pong, test));
  assert.ok(!cmpp3Protocol.canAnswer(submitResponse, exampleDeliver));
  assert.ok(!cmpp3Protocol.canAnswer(pong, exampleSubmit));
  assert.ok(!cmpp3Protocol.canAnswer(test, test));
  assert.ok(cmpp3Protocol.isResponse(pong) && !cmpp3Protocol.isResponse(test));
  assert.ok(cmpp3Protocol.isFarewell(cmpp3Protocol.farewell(2)));
  assert.ok(!cmpp3Protocol.isFarewell({ command: 'terminate_resp', sequence: 2 }));
});

test('the head claims a length of up to 32 bits', () => {
  assert.equal(cmpp3Protocol.claimedLength(Uint8Array.of(0xff, 0xff, 0xff, 0xff)), 2 ** 32 - 1);
  const pooled = Buffer.from('00000000000000ff', 'hex').subarray(4);
  assert.equal(cmpp3Protocol.claimedLength(pooled), 255);
  assert.equal(cmpp3Protocol.lengthFault(pooled), undefined);
});

/** Without the sentence. */
function faultOf(octets: Uint8Array): unknown {
  const decoded: DecodedPdu<CmppPdu> = cmpp3Protocol.decode(octets);
  assert.equal(decoded.kind, 'malformed');
  const { reason: _, ...rest } = decoded as Extract<typeof decoded, { kind: 'malformed' }>;
  return rest;
}

/** With its total length made true. */
function resized(octets: Buffer, length: number): Buffer {
  const result = Buffer.alloc(length);
  octets.copy(result);
  result.writeUInt32BE(length, 0);
  return result;
}

test('a submit of the wrong length is answered with result 4', () => {
  const octets = encodeCmpp(exampleSubmit, cmpp3);
  const expected = {
    kind: 'malformed',
    sequence: 0x0102_0304,
    isResponse: false,
    answer: { command: 'submit_resp', sequence: 0x0102_0304, messageId: '0', result: 4 },
  };
  for (const length of [12, 13, 150, octets.length - 1, octets.length + 1, 4096]) {
    assert.deepEqual(faultOf(resized(octets, length)), expected, `${length}`);
  }
  // The total length is not that of the octets.
  assert.deepEqual(faultOf(Buffer.concat([octets, Buffer.alloc(1)])), expected);
  const longer = Buffer.from(octets);
  longer.writeUInt8(9, octets.length - 20 - 8 - 1);
  assert.deepEqual(faultOf(longer), expected);
});

test('a submit to nobody, or to more than 100, is answered with result 1', () => {
  const octets = encodeCmpp(exampleSubmit, cmpp3);
  const countAt = 12 + 129 - 1;
  assert.equal(octets[countAt], 2);
  for (const count of [0, 101, 255]) {
    octets[countAt] = count;
    const answer = { command: 'submit_resp', sequence: 0x0102_0304, messageId: '0', result: 1 };
    assert.deepEqual(faultOf(octets), { kind: 'malformed', sequence: 0x0102_0304, isResponse: false, answer });
  }
});

test('a deliver of 2.0 on a link of 3.0 is answered with result 4 and its own Msg_Id', () => {
  const answer = { command: 'deliver_resp', sequence: 9, messageId: exampleDeliver.messageId, result: 4 };
  const expected = { kind: 'malformed', sequence: 9, isResponse: false, answer };
  assert.deepEqual(faultOf(encodeCmpp(exampleDeliver, cmpp2)), expected);
});

test('connects and cancellations of the wrong length are refused', () => {
  const authenticator = Buffer.alloc(16);
  assert.deepEqual(faultOf(Buffer.from('0000000d000000010000000700', 'hex')), {
    kind: 'malformed',
    sequence: 7,
    isResponse: false,
    answer: { command: 'connect_resp', sequence: 7, status: 1, authenticator, version: 0x30 },
  });
  assert.deepEqual(faultOf(Buffer.from('0000000d000000070000000700', 'hex')), {
    kind: 'malformed',
    sequence: 7,
    isResponse: false,
    answer: { command: 'cancel_resp', sequence: 7, result: 1 },
  });
});

test('what CMPP has no answer for leaves the session alone', () => {
  const unanswered = { kind: 'malformed', answer: undefined };
  const row = (hex: string) => faultOf(Buffer.from(hex, 'hex'));
  assert.deepEqual(row('0000000c0000000900000007'), { ...unanswered, sequence: 7, isResponse: false });
  assert.deepEqual(row('0000000c8000000900000007'), { ...unanswered, sequence: 7, isResponse: true });
  assert.deepEqual(row('0000000d000000080000000700'), { ...unanswered, sequence: 7, isResponse: false });
  assert.deepEqual(row('0000000e80000008000000070000'), { ...unanswered, sequence: 7, isResponse: true });
  assert.deepEqual(row('0000000d800000040000000700'), { ...unanswered, sequence: 7, isResponse: true });
  assert.deepEqual(row('0000000b'), { ...unanswered, sequence: 0, isResponse: false });
  assert.deepEqual(row(''), { ...unanswered, sequence: 0, isResponse: false });
});

test('the reason tells the command, and nothing of the content', () => {
  const decoded = cmpp3Protocol.decode(resized(encodeCmpp(exampleSubmit, cmpp3), 100));
  assert.ok(decoded.kind === 'malformed');
  assert.equal(decoded.reason, 'The submit has more or fewer octets than its fields take.');
});
