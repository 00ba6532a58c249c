import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { migrate } from '../database/migrate.ts';
import { migrations } from '../database/schema/migrations/list.ts';
import { onBothDatabases } from '../database/testing.ts';
import { newId } from '../runtime/clock.ts';
import { readDue, readWaitingSettings } from './history/waiting-store.ts';

const before = migrations.filter(({ id }) => id < 18);

onBothDatabases('pushes that waited when the server was brought up to date', (open) => {
  test('are all found by their settings, in the order in which they are due', async (t) => {
    const database = await open(t, { empty: true });
    await migrate(database, { migrations: before });
    const ids = Array.from({ length: 60 }, (_, index) => newId(1_000 + index));
    for (const [index, id] of ids.entries()) {
      // Half of them in the index of their setting, as retries are, the others as they are committed.
      const isFiled = index % 2;
      await sql`insert into push (organization_id, id, setting_id, shard, due_at, queued_at, created_at, attempts,
          attempts_before, payload, filed)
        values ('o', ${id}, ${`s${index % 3}`}, 7, ${10_000 - index}, 1, ${1_000 + index}, ${isFiled}, 0,
          ${JSON.stringify({ batch_id: `b${index}`, mobile: '13800138000', status: 'DELIVRD' })}, ${isFiled})`.execute(
        database.db,
      );
    }
    await migrate(database);

    const settings = await readWaitingSettings(database, [7]);
    assert.deepEqual(settings.map(({ settingId, dueAt }) => [settingId, dueAt]).sort(), [
      ['s0', 10_000 - 57],
      ['s1', 10_000 - 58],
      ['s2', 10_000 - 59],
    ]);
    for (const [index, id] of ['s0', 's1', 's2'].entries()) {
      const due = await readDue(database.db, { shard: 7, id }, 10_000, 100);
      const mine = ids.filter((_, each) => each % 3 === index);
      assert.deepEqual(
        due.map((push) => [push.id, push.attempts]),
        mine.map((each) => [each, ids.indexOf(each) % 2]).reverse(),
      );
      assert.deepEqual(due.at(-1)?.content, {
        query: { batch_id: `b${index}`, mobile: '13800138000', status: 'DELIVRD' },
      });
    }
  });
});
