import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRecentlyUsed } from './recently-used.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_260_106 };

test('an entry in use stays, one that is not makes room', () => {
  const map = createRecentlyUsed<number>({ maxEntries: 3 });
  for (const [value, key] of ['a', 'b', 'c'].entries()) map.set(key, value);
  map.get('a');
  map.set('d', 3);
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c'), map.get('d')], [0, undefined, 2, 3]);
  for (const key of ['e', 'f', 'g']) {
    map.set(key, 9);
    assert.equal(map.get('a'), 0, 'in use all the time');
  }
});

test('a fleet in use survives any number of strangers, of whatever sizes', () => {
  const map = createRecentlyUsed<string>({ maxEntries: 1_000, maxBytes: 1_000_000 });
  const fleet = Array.from({ length: 500 }, (_, index) => `fleet-${index}`);
  const sizeOf = (index: number) => 600 + ((index * 7_919) % 800);
  for (const [index, key] of fleet.entries()) map.set(key, key, sizeOf(index));
  for (let stranger = 0; stranger < 20_000; stranger += 1) {
    map.set(`stranger-${stranger}`, '', sizeOf(stranger));
    if (stranger % 300 === 0) for (const key of fleet) map.get(key);
  }
  assert.equal(fleet.filter((key) => map.get(key) !== undefined).length, 500);
  assert.ok(map.size > 900);
});

test('when all are in use, some of them make room all the same', () => {
  const map = createRecentlyUsed<number>({ maxEntries: 5_000 });
  for (let index = 0; index < 20_000; index += 1) {
    map.set(`${index}`, index);
    map.get(`${index}`);
  }
  assert.ok(map.size > 4_990 && map.size <= 5_000);
});

test('it is bounded by bytes too, and what is larger than all of it is not kept', () => {
  const map = createRecentlyUsed<string>({ maxEntries: 100, maxBytes: 1_000 });
  for (let index = 0; index < 50; index += 1) map.set(`${index}`, '', 300);
  assert.deepEqual([map.size, map.bytes], [3, 900]);
  assert.equal(map.set('large', '', 950), true);
  assert.deepEqual([map.size, map.bytes, map.get('large')], [1, 950, '']);
  assert.equal(map.set('large', 'grown', 1_001), false);
  assert.deepEqual([map.size, map.bytes, map.get('large')], [0, 0, undefined]);
});

test('after anything that is done to it, its figures are those of its entries, and each removal was told', () => {
  const key = fc.nat({ max: 12 }).map(String);
  const step = fc.oneof(
    fc.record({ does: fc.constant('set' as const), key, bytes: fc.nat({ max: 60 }) }),
    fc.record({ does: fc.constantFrom('get' as const, 'delete' as const), key }),
    fc.record({ does: fc.constant('clear' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const held = new Map<string, number>();
      const onRemoved = (name: string, bytes: number) => {
        assert.equal(held.get(name), bytes);
        held.delete(name);
      };
      const map = createRecentlyUsed<number>({ maxEntries: 8, maxBytes: 200, onRemoved });
      for (const each of steps) {
        if (each.does === 'set') {
          map.set(each.key, each.bytes, each.bytes);
          held.set(each.key, each.bytes);
        } else if (each.does === 'clear') {
          map.clear();
          held.clear();
        } else if (each.does === 'delete') {
          map.delete(each.key);
          assert.equal(held.has(each.key), false);
        } else {
          map.get(each.key);
        }
        assert.equal(map.size, held.size);
        let sum = 0;
        for (const [name, bytes] of held) {
          assert.equal(map.get(name), bytes);
          sum += bytes;
        }
        assert.equal(map.bytes, sum);
        assert.ok(map.size <= 8 && map.bytes <= 200);
      }
    }),
    runs,
  );
});
