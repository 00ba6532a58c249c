import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubmitResult } from './carrier.ts';
import { nextSubmitStep, resultOfStatus } from './submit-result.ts';

const now = 1_000_000;
const history = { attempts: 1, unanswered: 0, mostUnanswered: 3, validUntil: now + 86_400_000 };

test('a status of SMPP is accepted, throttled, a passing fault or a refusal', () => {
  const kinds: Readonly<Record<SubmitResult['kind'], readonly number[]>> = {
    accepted: [0x00],
    throttled: [0x14, 0x58],
    failed: [],
    'refused-for-now': [0x04, 0x08, 0x64],
    refused: [0x01, 0x0a, 0x0b, 0x15, 0x45, 0x62, 0x65, 0x66, 0xfe, 0xff, 0x400, 0xffff_ffff],
    unanswered: [],
  };
  for (const [kind, statuses] of Object.entries(kinds)) {
    for (const status of statuses) assert.equal(resultOfStatus(status, 'id').kind, kind, status.toString(16));
  }
  assert.deepEqual(resultOfStatus(0, 'id'), { kind: 'accepted', carrierMessageId: 'id' });
});

test('the reason names the status, known or not', () => {
  assert.deepEqual(resultOfStatus(0x0b, ''), { kind: 'refused', reason: 'destination address invalid (0x0000000b)' });
  assert.deepEqual(resultOfStatus(0x4a1, ''), { kind: 'refused', reason: 'refused by the carrier (0x000004a1)' });
  assert.deepEqual(resultOfStatus(0x08, ''), {
    kind: 'refused-for-now',
    reason: 'system error of the carrier (0x00000008)',
  });
});

test('an accepted part is sent, a refused one rejected with its reason', () => {
  const step = (result: SubmitResult) => nextSubmitStep(result, history, now, 0.5);
  assert.deepEqual(step({ kind: 'accepted', carrierMessageId: 'id' }), { kind: 'sent', carrierMessageId: 'id' });
  assert.deepEqual(step({ kind: 'refused', reason: 'no' }), { kind: 'rejected', memo: 'no' });
});

test('throttled and failed parts wait 1 s, twice as long each time, a minute at most', () => {
  for (const result of [{ kind: 'throttled' }, { kind: 'failed', reason: 'no link' }] as const) {
    const waits = [1, 2, 3, 6, 7, 8, 5000].map((attempts) => {
      const step = nextSubmitStep(result, { ...history, attempts }, now, 0.5);
      return step.kind === 'submit-again' ? step.at - now : step.kind;
    });
    assert.deepEqual(waits, [1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000]);
  }
});

test('waits are spread by a fifth to either side', () => {
  const waits = [0, 1].map((random) => nextSubmitStep({ kind: 'throttled' }, history, now, random));
  assert.deepEqual(waits, [
    { kind: 'submit-again', at: now + 800 },
    { kind: 'submit-again', at: now + 1200 },
  ]);
});

test('nothing is submitted after its validity', () => {
  const ending = { ...history, validUntil: now + 1000 };
  assert.deepEqual(nextSubmitStep({ kind: 'throttled' }, ending, now, 0.5), { kind: 'expired' });
  assert.deepEqual(nextSubmitStep({ kind: 'throttled' }, { ...ending, unanswered: 1 }, now, 0.5), {
    kind: 'sent-perhaps',
  });
});

test('a part that is never answered is submitted three times and then left alone', () => {
  const kinds = [1, 2, 3].map(
    (count) =>
      nextSubmitStep({ kind: 'unanswered' }, { ...history, attempts: count, unanswered: count }, now, 0.5).kind,
  );
  assert.deepEqual(kinds, ['submit-again', 'submit-again', 'sent-perhaps']);
});
