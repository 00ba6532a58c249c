import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageTimeline } from '../../api/shown-things.ts';
import { isUnderWay, messageSteps, stepTone } from './message-steps.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

function timeline(
  message: Partial<MessageTimeline['message']>,
  push: Partial<NonNullable<MessageTimeline['push']>> | null = null,
): MessageTimeline {
  const sent = { batch_id: 'b', position: 0, mobile: '138', number: '+86138', segments: 1 };
  return {
    ...{ batch_id: 'b', organization_id: 'o', messaging_key_id: null, content: 'Hi', sender: null },
    accepted_at: at(0),
    message: {
      ...sent,
      carrier: null,
      carrier_reason: null,
      state: 'queued',
      simulated: false,
      accepted_at: at(0),
      ...message,
    },
    parts: [],
    push: push && {
      ...{ id: 'p', organization_id: 'o', kind: 'status', state: 'waiting', attempts: 0 },
      parameters: { batch_id: 'b', mobile: '138', status: 'DELIVRD' },
      ...{ created_at: at(2), due_at: null, ended_at: null, attempt_log: [] },
      ...push,
    },
  };
}

const attempt = (number: number, status: number | null) => ({
  ...{ number, at: at(3), ms: 7, address: '192.0.2.1', error: null, answer: null, withheld: false },
  ...{ outcome: status === null ? 'timedOut' : 'answered', status },
});
const taken = { carrier: 'simulator', sent_at: at(1) } as const;
const delivered = { ...taken, state: 'settled', status: 'DELIVRD', settled_at: at(2) } as const;

test('the reason of the choice is told with the carrier, and while the message waits for it', () => {
  const reason = 'the only matching carrier';
  assert.deepEqual(messageSteps(timeline({ carrier_reason: reason }))[2], { kind: 'carrierWaits', reason });
  const sent = messageSteps(timeline({ carrier: 'c', carrier_reason: reason, state: 'sent', sent_at: at(1) }));
  assert.deepEqual(sent[2], { kind: 'carrier', name: 'c', reason, at: at(1) });
});

const ways: readonly [name: string, given: MessageTimeline, steps: string, isOpen: boolean][] = [
  ['waits for a carrier', timeline({}), 'accepted segments carrierWaits:open', true],
  ['waits for its receipt', timeline({ state: 'sent', ...taken }), 'accepted segments carrier receiptWaits:open', true],
  [
    'was refused by us',
    timeline({ state: 'settled', status: 'REJECTED', memo: 'blocked', settled_at: at(0), push: 'off' }),
    'accepted segments carrierNone:plain receipt:bad noPush:plain',
    false,
  ],
  [
    'was refused by its carrier',
    timeline({ carrier: 'c', state: 'settled', status: 'REJECTED', memo: 'no', settled_at: at(1) }),
    'accepted segments carrier receipt:bad noPush:plain',
    false,
  ],
  ['has lost its push', timeline(delivered), 'accepted segments carrier receipt noPush:plain', false],
  [
    'is pushed at the second attempt',
    timeline(delivered, { state: 'delivered', attempt_log: [attempt(1, 204), attempt(2, 200)] }),
    'accepted segments carrier receipt push:plain attempt:bad attempt',
    false,
  ],
  [
    'waits for its next attempt',
    timeline(delivered, { due_at: at(4), attempt_log: [attempt(1, null)] }),
    'accepted segments carrier receipt push:plain attempt:bad nextAttempt:open',
    true,
  ],
  [
    'is pushed to nobody',
    timeline(delivered, { state: 'failed', ended_at: at(4), attempt_log: [attempt(1, 500)] }),
    'accepted segments carrier receipt push:plain attempt:bad pushFailed:bad',
    false,
  ],
  [
    'had its switch turned off meanwhile',
    timeline(delivered, { state: 'off', ended_at: at(4) }),
    'accepted segments carrier receipt push:plain noPush:plain',
    false,
  ],
];

for (const [name, given, expected, isOpen] of ways) {
  test(`the way of a message that ${name}`, () => {
    const steps = messageSteps(given).map((step) => {
      const tone = stepTone(step);
      return tone === 'good' ? step.kind : `${step.kind}:${tone}`;
    });
    assert.equal(steps.join(' '), expected);
    assert.equal(isUnderWay(given), isOpen);
  });
}
