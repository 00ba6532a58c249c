import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { createRetrievalCache, type RetrievalCache } from './retrieval-cache.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_260_106 };

test('what was used since it was last passed by stays, what was not makes room', () => {
  const cache = createRetrievalCache<number>(3);
  for (const [value, key] of ['a', 'b', 'c'].entries()) cache.put(key, value);
  cache.get('a');
  cache.put('d', 3);
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c'), cache.get('d')], [0, undefined, 2, 3]);
  for (const key of ['e', 'f', 'g']) {
    cache.put(key, 9);
    assert.equal(cache.get('a'), 0, 'in use all the time');
  }
});

test('a fleet in use survives any number of strangers', () => {
  const cache = createRetrievalCache<string>(1_000);
  const fleet = Array.from({ length: 500 }, (_, index) => `fleet-${index}`);
  for (const key of fleet) cache.put(key, key);
  for (let stranger = 0; stranger < 20_000; stranger += 1) {
    cache.put(`stranger-${stranger}`, '');
    if (stranger % 400 === 0) for (const key of fleet) cache.get(key);
  }
  assert.equal(fleet.filter((key) => cache.get(key) !== undefined).length, 500);
  assert.equal(cache.size, 1_000);
});

test('a fleet in use survives strangers of several sizes, which leave room now and then', () => {
  const cache = createRetrievalCache<string>(10_000, 1_000_000);
  const fleet = Array.from({ length: 500 }, (_, index) => `fleet-${index}`);
  const sizeOf = (index: number) => 600 + ((index * 7_919) % 800);
  for (const [index, key] of fleet.entries()) cache.put(key, key, sizeOf(index));
  for (let stranger = 0; stranger < 20_000; stranger += 1) {
    cache.put(`stranger-${stranger}`, '', sizeOf(stranger));
    if (stranger % 300 === 0) for (const key of fleet) cache.get(key);
  }
  assert.equal(fleet.filter((key) => cache.get(key) !== undefined).length, 500);
});

test('it is bounded by bytes too, and what is larger than all of it is not kept', () => {
  const cache = createRetrievalCache<string>(100, 1_000);
  for (let index = 0; index < 50; index += 1) cache.put(`${index}`, '', 300);
  assert.deepEqual([cache.size, cache.bytes], [3, 900]);
  cache.put('large', '', 950);
  assert.deepEqual([cache.size, cache.bytes, cache.get('large')], [1, 950, '']);
  cache.put('large', 'grown', 1_001);
  assert.deepEqual([cache.size, cache.bytes, cache.get('large')], [0, 0, undefined]);
});

test('a reference leads to what the cache holds now, whatever became of what it led to before', () => {
  const cache = createRetrievalCache<number>(2);
  const early = cache.refer('a');
  assert.equal(cache.follow(early), undefined);
  cache.put('a', 1);
  const reference = cache.refer('a');
  assert.equal(cache.refer('a'), reference, 'one for all');
  assert.deepEqual([cache.follow(early), cache.follow(reference)], [1, 1]);
  cache.put('a', 2);
  assert.deepEqual([cache.follow(early), cache.follow(reference)], [2, 2]);
  cache.delete('a');
  assert.equal(cache.follow(reference), undefined);
  cache.put('a', 3);
  assert.equal(cache.follow(reference), 3);
  cache.clear();
  assert.equal(cache.follow(reference), undefined);
  cache.put('a', 4);
  cache.put('b', 0);
  cache.follow(reference);
  cache.put('c', 0);
  assert.deepEqual([cache.follow(reference), cache.get('b')], [4, undefined], 'who follows it uses what it leads to');
  const other = cache.refer('c');
  cache.put('d', 0);
  assert.equal(cache.follow(other), undefined, 'it made room');
});

test('what was replaced or deleted is in memory no longer, also beside a cache that was full before', async () => {
  const cache = createRetrievalCache<object>(100);
  for (let index = 0; index < 150; index += 1) cache.put(`${index}`, {});
  for (let index = 50; index < 100; index += 1) cache.delete(`${index}`);
  const former = replaceAndDelete(cache);
  // A weak reference keeps what it names until the end of the turn in which it was made.
  await new Promise(setImmediate);
  collectGarbage();
  assert.equal(former.filter((each) => each.deref() !== undefined).length, 0);
});

// A function of its own: the frame of a test that waits would keep what its variables named last.
function replaceAndDelete(cache: RetrievalCache<object>): WeakRef<object>[] {
  const former: WeakRef<object>[] = [];
  for (let index = 0; index < 5_000; index += 1) {
    const value = {};
    former.push(new WeakRef(value));
    cache.put(`again ${index % 20}`, value);
    if (index % 3 === 0) cache.delete(`again ${index % 20}`);
  }
  for (let index = 0; index < 20; index += 1) cache.delete(`again ${index}`);
  return former;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

test('after anything that is done to it, its figures are those of what it holds', () => {
  const key = fc.nat({ max: 12 }).map(String);
  const step = fc.oneof(
    fc.record({ does: fc.constant('put' as const), key, bytes: fc.nat({ max: 60 }) }),
    fc.record({ does: fc.constantFrom('get' as const, 'delete' as const), key }),
    fc.record({ does: fc.constant('clear' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const cache = createRetrievalCache<number>(8, 200);
      // What was put last under each key, unless deleted: the cache may hold less, and nothing else.
      const newest = new Map<string, number>();
      for (const each of steps) {
        if (each.does === 'put') {
          cache.put(each.key, each.bytes, each.bytes);
          newest.set(each.key, each.bytes);
          assert.equal(cache.get(each.key), each.bytes, 'what was just put is there');
        } else if (each.does === 'clear') {
          cache.clear();
          newest.clear();
        } else if (each.does === 'delete') {
          cache.delete(each.key);
          newest.delete(each.key);
        } else {
          cache.get(each.key);
        }
        const held = [...Array(13).keys()].map((index) => [`${index}`, cache.get(`${index}`)] as const);
        const present = held.filter(([, bytes]) => bytes !== undefined);
        for (const [name, bytes] of present) assert.equal(bytes, newest.get(name));
        assert.equal(cache.size, present.length);
        assert.equal(
          cache.bytes,
          present.reduce((sum, [, bytes]) => sum + (bytes ?? 0), 0),
        );
        assert.ok(cache.size <= 8 && cache.bytes <= 200);
      }
    }),
    runs,
  );
});
