import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Columns, createPackedCache, placedHashes, placedTexts } from './packed-cache.ts';
import { deploymentColumns, type HeldDeployment, type HeldToken, tokenColumns } from './packed-facts.ts';
import type { Reference } from './retrieval-cache.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_261_123 };

function texts(): Columns<string> {
  const held: string[] = [];
  return {
    grow: () => {},
    get: (place) => held[place] ?? '',
    set: (place, text) => {
      held[place] = text;
    },
    forget: (place) => {
      held[place] = 'forgotten';
    },
  };
}

const hashOf = (text: string) => hash('sha256', text, 'hex');
const kinds = [
  { name: 'texts', makeKeys: placedTexts, keyOf: (text: string) => text },
  { name: 'hashes', makeKeys: placedHashes, keyOf: hashOf },
];

for (const { name, makeKeys, keyOf } of kinds) {
  test(`by ${name}: what was used since it was last passed by stays, what was not makes room`, () => {
    const cache = createPackedCache(3, makeKeys(), texts());
    const get = (text: string) => cache.get(keyOf(text));
    for (const text of ['a', 'b', 'c']) cache.put(keyOf(text), text);
    get('a');
    cache.put(keyOf('d'), 'd');
    assert.deepEqual([get('a'), get('b'), get('c'), get('d')], ['a', undefined, 'c', 'd']);
    for (const text of ['e', 'f', 'g']) {
      cache.put(keyOf(text), text);
      assert.equal(get('a'), 'a', 'in use all the time');
    }
  });

  test(`by ${name}: a fleet in use survives any number of strangers`, () => {
    const cache = createPackedCache(1_000, makeKeys(), texts());
    const fleet = Array.from({ length: 500 }, (_, index) => `fleet-${index}`);
    for (const text of fleet) cache.put(keyOf(text), text);
    for (let stranger = 0; stranger < 20_000; stranger += 1) {
      cache.put(keyOf(`stranger-${stranger}`), '');
      if (stranger % 400 === 0) for (const text of fleet) cache.get(keyOf(text));
    }
    assert.equal(fleet.filter((text) => cache.get(keyOf(text)) === text).length, 500);
    assert.equal(cache.size, 1_000);
  });

  test(`by ${name}: whatever is done to it, it holds nothing but what was put last`, () => {
    const key = fc.nat({ max: 700 }).map((number) => keyOf(`${number}`));
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ does: fc.constant('put' as const), keys: fc.array(key, { maxLength: 90 }) }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          does: fc.constantFrom('get' as const, 'delete' as const),
          keys: fc.array(key, { maxLength: 30 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ does: fc.constant('clear' as const), keys: fc.constant<string[]>([]) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const cache = createPackedCache(400, makeKeys(), texts());
        const newest = new Map<string, string>();
        let count = 0;
        for (const { does, keys } of steps) {
          if (does === 'clear') {
            cache.clear();
            newest.clear();
          }
          for (const each of keys) {
            count += 1;
            if (does === 'put') {
              cache.put(each, `${count}`);
              newest.set(each, `${count}`);
              assert.equal(cache.get(each), `${count}`, 'what was just put is there');
            } else if (does === 'delete') {
              cache.delete(each);
              newest.delete(each);
            } else if (cache.get(each) !== undefined) {
              assert.equal(cache.get(each), newest.get(each));
            }
          }
          const found = [...newest].filter(([each, value]) => {
            const held = cache.get(each);
            assert.ok(held === undefined || held === value);
            return held !== undefined;
          });
          assert.equal(found.length, cache.size);
          assert.ok(cache.size === newest.size || cache.size <= 400);
          if (newest.size <= 400 && cache.size < newest.size) assert.ok(count > 400, 'nothing is let go without need');
        }
      }),
      { ...runs, numRuns: runs.numRuns / 5 },
    );
  });
}

test('what is no hash is not held, and is not taken for one that begins alike', () => {
  const cache = createPackedCache(3, placedHashes(), texts());
  const key = hashOf('a');
  assert.equal(cache.get(key), undefined);
  cache.put(key, 'a');
  for (const other of ['', 'nobody', key.slice(1), `${key}00`, `${key.slice(0, -1)}g`]) {
    assert.equal(cache.get(other), undefined);
    cache.delete(other);
    assert.throws(() => cache.put(other, 'b'), TypeError);
  }
  assert.equal(cache.get(key), 'a');
  assert.equal(cache.size, 1, 'nothing of them has taken a place');
  for (const name of ['b', 'c', 'd', 'e']) cache.put(hashOf(name), name);
  assert.equal(cache.size, 3);
  assert.equal(cache.get(hashOf('e')), 'e');
});

test('a place that is in no list is refused instead of looked for without end', () => {
  const keys = placedHashes();
  keys.grow(4);
  assert.throws(() => keys.removeAt(2), RangeError);
});

test('facts are the same when they are asked for again', () => {
  const time = fc.option(fc.nat({ max: 4_102_444_800_000 }));
  const reference = <Value>(): fc.Arbitrary<Reference<Value>> => fc.string().map((key) => ({ key, entry: undefined }));
  const token: fc.Arbitrary<HeldToken> = fc.record({
    organization: reference(),
    deploymentId: fc.option(fc.string(), { nil: undefined }),
    expiresAt: time,
  });
  const deployment: fc.Arbitrary<HeldDeployment> = fc.record({
    certificate: reference(),
    list: reference(),
    expiresAt: time,
    requestsPerMinute: fc.option(fc.nat()),
    enabled: fc.boolean(),
    permitted: fc.boolean(),
    queryToken: fc.boolean(),
  });
  const isKept = <Fact>(facts: readonly Fact[], columns: Columns<Fact>) => {
    columns.grow(facts.length);
    for (const [place, fact] of facts.entries()) columns.set(place, fact);
    columns.grow(2 * facts.length);
    for (const [place, fact] of facts.entries()) assert.deepEqual({ ...columns.get(place) }, { ...fact });
  };
  fc.assert(
    fc.property(fc.array(token), (facts) => isKept(facts, tokenColumns())),
    runs,
  );
  fc.assert(
    fc.property(fc.array(deployment), (facts) => isKept(facts, deploymentColumns())),
    runs,
  );
});
