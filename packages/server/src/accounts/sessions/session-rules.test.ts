import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasEnded, isTouchDue } from './session-rules.ts';

const limits = { idleMs: 1_000, absoluteMs: 10_000 };

for (const [name, seenAt, expiresAt, now, ended] of [
  ['just used', 0, 10_000, 0, false],
  ['a moment before the idle limit', 0, 10_000, 999, false],
  ['at the idle limit', 0, 10_000, 1_000, true],
  ['in use until a moment before its end', 9_999, 10_000, 9_999, false],
  ['in use at its end', 10_000, 10_000, 10_000, true],
] as const) {
  test(`a session ${name} ${ended ? 'has ended' : 'lives'}`, () => {
    assert.equal(hasEnded({ seenAt, expiresAt }, limits, now), ended);
  });
}

test('its use is recorded once a minute', () => {
  assert.equal(isTouchDue({ seenAt: 0, expiresAt: 1 }, 59_999), false);
  assert.equal(isTouchDue({ seenAt: 0, expiresAt: 1 }, 60_000), true);
});
