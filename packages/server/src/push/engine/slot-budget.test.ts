import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Pace } from './lane.ts';
import { changePace, freeSlots, holdSlots, openSlots } from './slot-budget.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_260_207 };
const paces: readonly Pace[] = ['new', 'fast', 'slow'];

test('of 100 slots slow lanes get 25, new ones 50, fast ones all', () => {
  const empty = openSlots(100);
  assert.deepEqual(
    paces.map((pace) => freeSlots(empty, pace)),
    [50, 100, 25],
  );
  const full = holdSlots(holdSlots(empty, 'slow', 25), 'new', 50);
  assert.deepEqual(
    paces.map((pace) => freeSlots(full, pace)),
    [0, 25, 0],
  );
  const busy = holdSlots(empty, 'fast', 90);
  assert.deepEqual(
    paces.map((pace) => freeSlots(busy, pace)),
    [10, 10, 10],
  );
});

test('however few there are, slow lanes get one and fast lanes get one', () => {
  for (const cap of [-1, 0, 1, 4, 5, 7]) {
    const empty = openSlots(cap);
    assert.ok(freeSlots(empty, 'slow') >= 1);
    const taken = holdSlots(holdSlots(empty, 'slow', freeSlots(empty, 'slow')), 'new', freeSlots(empty, 'new'));
    assert.ok(freeSlots(taken, 'fast') >= 1, `${cap}`);
  }
});

test('a lane that turns slow keeps what it holds, and slow lanes wait until that is given back', () => {
  const busy = holdSlots(openSlots(100), 'fast', 60);
  const stuck = changePace(busy, 'fast', 'slow', 60);
  assert.deepEqual(
    paces.map((pace) => freeSlots(stuck, pace)),
    [40, 40, 0],
  );
  const later = holdSlots(stuck, 'slow', -40);
  assert.deepEqual(
    paces.map((pace) => freeSlots(later, pace)),
    [50, 80, 5],
  );
});

test('whatever is taken as granted, nothing exceeds the cap, and slow lanes never take beyond their quarter', () => {
  const step = fc.record({
    pace: fc.constantFrom(...paces),
    to: fc.constantFrom(...paces),
    kind: fc.constantFrom('take', 'take', 'give', 'change'),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 5000 }), fc.array(step, { maxLength: 80 }), (cap, steps) => {
      let budget = openSlots(cap);
      for (const { pace, to, kind, part } of steps) {
        const before = budget.held;
        const some = (most: number) => Math.round(most * part);
        if (kind === 'take') budget = holdSlots(budget, pace, some(freeSlots(budget, pace)));
        if (kind === 'give') budget = holdSlots(budget, pace, -some(before[pace]));
        if (kind === 'change') budget = changePace(budget, pace, to, some(before[pace]));
        const { held } = budget;
        const total = held.new + held.fast + held.slow;
        assert.ok(total <= cap && Math.min(held.new, held.fast, held.slow) >= 0);
        assert.equal(freeSlots(budget, 'fast'), cap - total);
        if (kind === 'take' && held.slow > before.slow) assert.ok(held.slow <= cap / 4);
        if (kind === 'take' && held.new > before.new) assert.ok(held.new <= cap / 2);
      }
    }),
    runs,
  );
});
