import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzSmpp } from './smpp-fuzz.testing.ts';

const count = process.env.WAXWING_TEST_SCALE === 'full' ? 500_000 : 20_000;
const seed = 20260115;

test(`${count} mutated PDUs end in PDUs or in faults whose answers can be written (seed ${seed})`, (t) => {
  const { pdus, malformed } = fuzzSmpp({ count, seed });
  t.diagnostic(`${pdus} PDUs, ${malformed} malformed`);
  assert.ok(pdus > count / 20 && malformed > count / 20, 'the mutations are too weak or too strong to show anything');
});

test('the same seed gives the same mutations', () => {
  assert.deepEqual(fuzzSmpp({ count: 200, seed }), fuzzSmpp({ count: 200, seed }));
});
