import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatcherFull } from '../runtime/batcher.ts';
import type { Change } from './change-log.ts';
import { createFactMemory, type FactMemoryOptions } from './fact-memory.ts';
import { DatabaseUnavailable } from './sql/database-errors.ts';

interface Key {
  readonly owner: string;
  readonly version: number;
}

/** A memory of tokens by their hashes, on a database and a change feed that the test holds in its hands. */
function tokenMemory(more: Partial<FactMemoryOptions<Key>> = {}) {
  const rows = new Map<string, Key>();
  const queries: string[][] = [];
  const feed = { isProven: true, syncs: 0, isDown: false };
  let tell: (changes: readonly Change[] | undefined) => void = () => {};
  const memory = createFactMemory<Key>({
    feed: {
      listen(listener) {
        tell = listener;
      },
      isProven: (maxAgeMs) => feed.isProven && maxAgeMs === 1_000,
      async sync() {
        feed.syncs += 1;
        if (feed.isDown) throw new DatabaseUnavailable('gone');
      },
    },
    kind: 'token',
    restsOn: ({ owner }) => [`organization:${owner}`],
    async read(hashes) {
      queries.push([...hashes]);
      return new Map(hashes.flatMap((hash) => [[hash, rows.get(hash)] as const]).filter(isThere));
    },
    maxEntries: 100,
    ...more,
  });
  const change = (kind: Change['kind'], subjectId: string) => tell([{ kind, subjectId }]);
  return { memory, rows, queries, feed, change, changeAll: () => tell(undefined) };
}

function isThere(entry: readonly [string, Key | undefined]): entry is readonly [string, Key] {
  return entry[1] !== undefined;
}

const ofOwner = (owner: string, version = 1): Key => ({ owner, version });

test('a fact is read once; a missing one is not remembered', async () => {
  const { memory, rows, queries } = tokenMemory();
  rows.set('a', ofOwner('o1'));
  assert.equal(memory.find('a'), undefined);
  assert.deepEqual([await memory.recall('a'), await memory.recall('a')], [ofOwner('o1'), ofOwner('o1')]);
  assert.equal(await memory.recall('b'), undefined);
  rows.set('b', ofOwner('o2'));
  assert.deepEqual(await memory.recall('b'), ofOwner('o2'));
  assert.deepEqual(queries, [['a'], ['b'], ['b']]);
});

test('all who ask at the same time share one query, which names each key once', async () => {
  const { memory, rows, queries } = tokenMemory();
  rows.set('a', ofOwner('o1'));
  const found = await Promise.all(['a', 'b', 'a'].map((key) => memory.load(key)));
  assert.deepEqual(found, [ofOwner('o1'), undefined, ofOwner('o1')]);
  assert.deepEqual(queries, [['a', 'b']]);
});

test('a change takes away the facts that rest on it, and no others', async () => {
  const { memory, rows, change, changeAll } = tokenMemory();
  for (const key of ['a1', 'a2', 'b1', 'b2']) rows.set(key, ofOwner(key[0] ?? ''));
  const remember = () => Promise.all([...rows.keys()].map((key) => memory.load(key)));
  const held = () => [...rows.keys()].filter((key) => memory.find(key) !== undefined);
  await remember();
  change('token', 'a1');
  assert.deepEqual(held(), ['a2', 'b1', 'b2']);
  change('organization', 'b');
  assert.deepEqual(held(), ['a2']);
  change('deployment', 'a2');
  assert.deepEqual(held(), ['a2'], 'of another kind');
  await remember();
  change('organization', 'a');
  assert.deepEqual(held(), ['b1', 'b2'], 'also what was forgotten before and read again');
  rows.set('b1', ofOwner('a'));
  await remember();
  change('organization', 'b');
  assert.deepEqual(held(), ['a1', 'a2', 'b1'], 'a fact rests on what was read last');
  changeAll();
  assert.equal(memory.size, 0);
});

test('what was read before a change and arrives after it is answered, and not kept', async () => {
  const begun = Promise.withResolvers<void>();
  const proceed = Promise.withResolvers<void>();
  const { memory, change } = tokenMemory({
    async read(hashes) {
      begun.resolve();
      await proceed.promise;
      return new Map(hashes.map((hash) => [hash, ofOwner('o1')]));
    },
  });
  const loading = memory.load('a');
  await begun.promise;
  change('token', 'a');
  proceed.resolve();
  assert.deepEqual(await loading, ofOwner('o1'));
  assert.equal(memory.find('a'), undefined);
  await memory.load('a');
  assert.deepEqual(memory.find('a'), ofOwner('o1'));
});

test('memory is recalled only while it was proven true within the last second', async () => {
  const { memory, rows, feed } = tokenMemory();
  rows.set('a', ofOwner('o1'));
  await memory.recall('a');
  assert.equal(feed.syncs, 0);
  feed.isProven = false;
  await memory.recall('a');
  assert.equal(feed.syncs, 1);
  feed.isDown = true;
  await assert.rejects(memory.recall('a'), DatabaseUnavailable);
});

test('facts are bounded by number and by bytes; one larger than all of the room is read each time', async () => {
  const { memory, rows, change } = tokenMemory({ maxEntries: 3, maxBytes: 100, bytesOf: ({ version }) => version });
  for (let index = 0; index < 10; index += 1) rows.set(`${index}`, ofOwner('o', 20));
  for (const key of rows.keys()) await memory.load(key);
  assert.deepEqual([memory.size, memory.bytes], [3, 60]);
  rows.set('large', ofOwner('o', 101));
  assert.deepEqual(await memory.recall('large'), ofOwner('o', 101));
  assert.equal(memory.find('large'), undefined);
  change('organization', 'o');
  assert.deepEqual([memory.size, memory.bytes], [0, 0]);
});

test('a fact that cannot be read fails alone', async () => {
  const { memory } = tokenMemory({
    async read(hashes) {
      if (hashes.includes('closed')) throw new Error('does not open');
      return new Map(hashes.map((hash) => [hash, ofOwner('o1')]));
    },
  });
  const ends = await Promise.allSettled(['a', 'closed', 'b'].map((key) => memory.load(key)));
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('a flood of suspects waits in a short queue of its own, and in no other', async () => {
  const opened = Promise.withResolvers<void>();
  const { memory } = tokenMemory({
    loadsAtOnce: 2,
    async read(hashes) {
      if (hashes.some((hash) => hash.startsWith('nobody'))) await opened.promise;
      return new Map(hashes.filter((hash) => hash === 'a').map((hash) => [hash, ofOwner('o1')]));
    },
  });
  const flood = Promise.allSettled(Array.from({ length: 1_000 }, (_, index) => memory.load(`nobody-${index}`, true)));
  // The queries of the flood stand still; the others do not even notice.
  assert.deepEqual(await memory.load('a'), ofOwner('o1'));
  opened.resolve();
  const refused = (await flood).filter((end) => end.status === 'rejected' && end.reason instanceof BatcherFull);
  assert.equal(refused.length, 900);
});
