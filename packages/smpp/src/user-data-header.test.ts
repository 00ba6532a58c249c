import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { comparable } from './smpp-pdus.testing.ts';
import { readUserDataHeader, writeUserDataHeader } from './user-data-header.ts';

const runs = { seed: 23040, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500 };
const element = fc.record({ id: fc.nat(255), data: fc.uint8Array({ maxLength: 20 }) });

test(`elements survive being written and read, with what follows them (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 8 }), fc.uint8Array({ maxLength: 20 }), (elements, text) => {
      const header = writeUserDataHeader(elements);
      const read = readUserDataHeader(Buffer.concat([header, text]));
      assert.deepEqual(comparable(read), comparable({ elements, length: header.length }));
    }),
    runs,
  );
});

test('a header whose lengths do not fit is none', () => {
  for (const octets of [[], [1], [5, 0, 3, 1, 2], [3, 0, 2, 1], [2, 0, 1], [1, 0]]) {
    assert.equal(readUserDataHeader(Uint8Array.from(octets)), undefined, String(octets));
  }
  assert.deepEqual(readUserDataHeader(Uint8Array.of(0, 65)), { elements: [], length: 1 });
});

test('a header longer than its length can tell is not written', () => {
  const half = { id: 0x70, data: new Uint8Array(126) };
  assert.throws(() => writeUserDataHeader([half, half]), RangeError);
  assert.throws(() => writeUserDataHeader([{ id: 0x70, data: new Uint8Array(300) }]), RangeError);
});
