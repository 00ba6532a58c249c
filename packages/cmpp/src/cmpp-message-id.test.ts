import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { messageIdOf, partsOfMessageId } from './cmpp-message-id.ts';

const parts = { month: 12, day: 31, hour: 23, minute: 59, second: 58, gateway: 1001, sequence: 65_535 };

test('the parts of a message id have the bits of §8.4.3.2', () => {
  const bits = ['1100', '11111', '10111', '111011', '111010', '0000000000001111101001', '1111111111111111'].join('');
  assert.equal(bits.length, 64);
  assert.equal(messageIdOf(parts), BigInt(`0b${bits}`).toString());
  assert.deepEqual(partsOfMessageId(messageIdOf(parts)), parts);
});

test('every number of 64 bits has its parts, and they make it again', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (id) => {
      assert.equal(messageIdOf(partsOfMessageId(id.toString())), id.toString());
    }),
    { seed: 843, numRuns: 1000 },
  );
});

test('a part that does not fit is refused', () => {
  for (const change of [{ month: 16 }, { day: 32 }, { gateway: 2 ** 22 }, { sequence: 65_536 }, { second: -1 }]) {
    assert.throws(() => messageIdOf({ ...parts, ...change }), RangeError);
  }
});
