import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CarrierRecord } from './carrier-proxy.ts';
import { type CarrierTraces, checkCarrier } from './carrier-verdict.ts';

const story = { serverKilledAt: [], cutAt: [], responseTimeoutMs: 1_000, graceEndedAt: 100_000, mostUnanswered: 3 };
const accepted = { at: 11, status: 0, messageId: '1' };
const open = { endedAt: undefined };
const submit = { at: 10, destination: '8613800000000', part: 0, connection: open, answer: accepted };
const receipt = {
  ...{ receipt: { messageId: '1', state: 2 }, from: '8613800000000', text: '', acknowledgedAt: 20 },
};

/** One message that a carrier took and delivered, with one change. */
function verdict(
  change: { record?: Partial<CarrierRecord>; parts?: string; known?: boolean; serverKilledAt?: readonly number[] } = {},
) {
  const { parts = 'D', known = true, serverKilledAt = [] } = change;
  const at = { organization_id: 'o', batch_id: 'b', position: 0 };
  const status = parts === 'D' ? 'DELIVRD' : parts === 'R' ? 'REJECTED' : 'UNDELIV';
  const traces = {
    messages: [{ ...at, number: '+8613800000000', parts, status }],
    replies: [],
    carrierMessages: known ? [{ ...at, carrier_id: 'c', carrier_message_id: '1', part: 0, sent_at: 11 }] : [],
    orphans: [],
  } as unknown as CarrierTraces;
  return checkCarrier({ submits: [submit], deliveries: [receipt], ...change.record }, traces, {
    ...story,
    serverKilledAt,
  });
}

test('the oracle of carriers tells what is lost, forged or sent twice', () => {
  assert.equal(verdict().delivered, 1);
  assert.throws(() => verdict({ parts: 'U' }), /is U, though D was acknowledged/);
  assert.throws(() => verdict({ record: { deliveries: [] } }), /DELIVRD, and no receipt says so/);
  assert.throws(() => verdict({ parts: 'R', record: { deliveries: [] } }), /REJECTED, and nobody says so/);
  assert.throws(() => verdict({ known: false, parts: 'U' }), /was acknowledged and is gone/);
  assert.throws(
    () => verdict({ record: { deliveries: [{ ...receipt, from: '8613800000001' }] } }),
    /is on 8613800000000/,
  );
  const twice = [submit, { ...submit, at: 30 }];
  assert.throws(() => verdict({ record: { submits: twice } }), /came again at 30, though it was accepted at 11/);
  const killed = [
    { ...submit, connection: { endedAt: 12 } },
    { ...submit, at: 30 },
  ];
  assert.equal(verdict({ record: { submits: killed }, serverKilledAt: [9] }).again.unrecorded, 1);
  const ofOtherServer = () => verdict({ record: { submits: twice }, serverKilledAt: [9] });
  assert.throws(ofOtherServer, /came again at 30, though it was accepted at 11/);
  const longAfter = () => verdict({ record: { submits: killed }, serverKilledAt: [-2_000] });
  assert.throws(longAfter, /came again at 30, though it was accepted at 11/);
  const unheard = Array.from({ length: 4 }, (_, index) => ({ ...submit, at: index, answer: undefined }));
  assert.throws(() => verdict({ record: { submits: unheard } }), /came 4 times without an answer/);
  const reply = { receipt: undefined, from: '8613800000000', text: 'Hi', acknowledgedAt: 20 };
  assert.throws(() => verdict({ record: { deliveries: [receipt, reply] } }), /acknowledged and is gone/);
});
