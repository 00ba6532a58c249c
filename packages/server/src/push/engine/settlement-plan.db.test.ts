import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { fillTable } from '../../database/sql/query-plan.testing.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { newId } from '../../runtime/clock.ts';
import { type Settlement, settlementQueries } from './settlement-store.ts';

const waiting = 20_000;

onBothDatabases('an outcome', (open, kind) => {
  test('is recorded by look-ups although the planner counted when next to nothing waited', async (t) => {
    const database = await open(t);
    // As it is found when the last of many has just been pushed: many pages, and one row.
    const [last] = await addWaiting(database, waiting);
    await database.db
      .deleteFrom('push')
      .where('id', '<>', last ?? '')
      .execute();
    if (kind === 'postgres') await sql`analyze push`.execute(database.db);
    const ids = await addWaiting(database, waiting);

    const facts = { organizationId: 'o', lease: 'push/1', epoch: 1, attempts: 0 };
    const attempt = { at: 1, ms: 1, address: null, outcome: 'refused', status: null, error: null, excerpt: null };
    const queries = settlementQueries(
      database,
      ids.slice(0, 20).map((id, index) => ({
        ...{ ...facts, id, attempt },
        end: ends[index % ends.length] ?? assert.fail(),
      })),
    );
    await database.transaction(async (trx) => {
      for (const query of database.lookUp.first) await query.execute(trx);
      const explain = kind === 'sqlite' ? sql`explain query plan ` : sql`explain `;
      for (const query of queries) {
        const { rows } = await sql<Record<string, unknown>>`${explain}${query}`.execute(trx);
        const plan = rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
        assert.doesNotMatch(plan, readsThrough[kind], `${query.compile(database.db).sql}\n${plan}`);
      }
    });
  });
});

const ends: readonly Settlement['end'][] = [
  { state: 'delivered', at: 1 },
  { state: 'waiting', dueAt: 1 },
  { state: 'off', at: 1 },
];

/** All of the table, or all of an index. */
const readsThrough = {
  sqlite: /\bSCAN (p|h|push|push_history)\b/,
  postgres: /Scan (using \w+ )?on push(_history)?\b.*\n(?! +Index Cond)/,
};

async function addWaiting(database: Database, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => newId(index));
  const row = { organization_id: 'o', setting_id: 's', shard: 1, due_at: 1, queued_at: 1, created_at: 1, attempts: 0 };
  await fillTable(database, 'push', count, (n) => ({ ...row, id: ids[n] ?? '', attempts_before: 0, payload: '{}' }));
  return ids;
}
