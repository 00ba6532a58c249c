import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { longestLeaseMs } from '../runtime/lease.ts';
import type { Database } from './database.ts';
import { createLeaseStore } from './lease-store.ts';
import { onBothDatabases } from './testing.ts';

const all = ['work/1', 'work/2'];

onBothDatabases('lease rows', (open) => {
  test('are taken once, and by somebody else only when they have ended', async (t) => {
    const database = await open(t);
    const store = createLeaseStore({ database, group: 'work', all, durationMs: 60_000 });
    assert.deepEqual(await store.renew('a', []), { renewed: new Map(), free: all, holders: 1 });
    assert.deepEqual(await store.take('a', all), epochs(1, 1));
    assert.deepEqual(await store.take('b', all), new Map());
    assert.deepEqual(await store.renew('b', []), { renewed: new Map(), free: [], holders: 2 });
    await end(database, 'work/2');
    assert.deepEqual((await store.renew('b', [])).free, ['work/2']);
    assert.deepEqual(await store.take('b', all), new Map([['work/2', 2]]));
    assert.deepEqual((await store.renew('a', all)).renewed, new Map([['work/1', 1]]));
  });

  test('that ended, but that nobody took, are renewed under the same epoch', async (t) => {
    const database = await open(t);
    const store = createLeaseStore({ database, group: 'work', all, durationMs: 60_000 });
    await store.take('a', all);
    await end(database, 'work/1');
    assert.deepEqual((await store.renew('a', all)).renewed, epochs(1, 1));
    assert.deepEqual(await store.take('b', all), new Map());
  });

  test('of an earlier run of the same holder are taken at once, under a new epoch', async (t) => {
    const database = await open(t);
    const store = createLeaseStore({ database, group: 'work', all, durationMs: 60_000 });
    await store.take('a', all);
    assert.deepEqual((await store.renew('a', [])).free, all);
    assert.deepEqual(await store.take('a', all), epochs(2, 2));
  });

  test('that are given up are free at once, and who leaves takes part no longer', async (t) => {
    const database = await open(t);
    const store = createLeaseStore({ database, group: 'work', all, durationMs: 60_000 });
    await store.renew('a', []);
    await store.take('a', all);
    await store.release('a', ['work/2'], false);
    assert.deepEqual(await store.renew('b', []), { renewed: new Map(), free: ['work/2'], holders: 2 });
    await store.release('a', ['work/1'], true);
    assert.deepEqual(await store.renew('b', []), { renewed: new Map(), free: all, holders: 1 });
  });

  test('that end later than any lease can are free: the clock was ahead when they were written', async (t) => {
    const database = await open(t);
    const store = createLeaseStore({ database, group: 'work', all, durationMs: longestLeaseMs });
    await store.renew('a', []);
    await store.take('a', all);
    assert.deepEqual(await store.renew('b', []), { renewed: new Map(), free: [], holders: 2 });
    await database.db
      .updateTable('lease')
      .set({ until: sql<number>`until + 3600000` })
      .where('name', '!=', 'work/2')
      .execute();
    assert.deepEqual(await store.renew('b', []), { renewed: new Map(), free: ['work/1'], holders: 1 });
    assert.deepEqual(await store.take('b', all), new Map([['work/1', 2]]));
  });
});

function epochs(first: number, second: number): Map<string, number> {
  return new Map([
    ['work/1', first],
    ['work/2', second],
  ]);
}

async function end(database: Database, name: string): Promise<void> {
  await database.db.updateTable('lease').set({ until: 1 }).where('name', '=', name).execute();
}
