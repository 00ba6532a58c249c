import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../database/connect.ts';
import { migrate } from '../database/migrate.ts';
import { migrations } from '../database/migrations/list.ts';
import { onBothDatabases } from '../database/testing.ts';
import { type AuditFilter, indexLinks, listEntries } from './audit-index.ts';
import { createAuditTrail } from './audit-trail.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 1);

onBothDatabases('the index of the audit trail', (open) => {
  async function recorded(database: Database, count: number, at = start) {
    const audit = createAuditTrail(database, Buffer.alloc(32, 1));
    for (let index = 0; index < count; index += 1) {
      await audit.append([event(index, at), event(index + 1, at)]);
    }
    return audit;
  }

  test('finds the same before, while and after entries are indexed', async (t) => {
    const database = await open(t);
    await recorded(database, 30);
    const filters: AuditFilter[] = [
      { subject: 's1', limit: 100 },
      { subject: 's1', limit: 7 },
      { organizationId: 'o0', limit: 100 },
      { organizationId: 'o1', subject: 's1', limit: 100 },
      { organizationId: 'o0', subject: 's1', limit: 100 },
      { handedOut: 'c1', limit: 100 },
      { handedOut: 'c1', before: { link: 17, position: 1 }, limit: 4 },
      { limit: 11 },
    ];
    const look = () => Promise.all(filters.map((filter) => listEntries(database, 0, filter)));
    const before = await look();
    assert.equal(before[0]?.length, 20);
    assert.equal(before[1]?.length, 7);
    assert.equal(before[4]?.length, 0);
    assert.equal(before[5]?.length, 20);
    assert.deepEqual(
      before[6]?.map(({ link, position }) => [link, position]),
      [
        [15, 0],
        [14, 1],
        [12, 0],
        [11, 1],
      ],
    );
    assert.equal(await indexLinks(database), false);
    assert.deepEqual(await look(), before);
    await recorded(database, 3);
    const mixed = await look();
    await indexLinks(database);
    assert.deepEqual(await look(), mixed);
    assert.notDeepEqual(mixed[0], before[0]);
  });

  test('goes on in portions, and two servers at once index nothing twice', async (t) => {
    const database = await open(t);
    await recorded(database, 300);
    const more = await Promise.all([indexLinks(database), indexLinks(database)]);
    assert.ok(more.includes(true), 'there is more than one look takes');
    // The two of them may have come to the same portions, of which one has done nothing then.
    let looks = 1;
    while (await indexLinks(database)) looks += 1;
    assert.ok(looks <= 3, `${looks}`);
    const rows = await database.db.selectFrom('audit_index').selectAll().execute();
    // One entry in three is the hand-out of a private key, and is found by its certificate, too.
    assert.equal(rows.flatMap(({ positions }) => positions.split(',')).length, 300 * 2 * 2 + 200);
    // Two entries of one organization in one link are one row.
    assert.equal(rows.filter(({ term }) => term === 'o:o0').length, 300);
    assert.equal(rows.filter(({ term, positions }) => term === 'o:o0' && positions.length === 3).length, 100);
  });

  test('an index of former schemas is completed and put together', async (t) => {
    const database = await open(t, { empty: true });
    const without = (count: number) => ({ migrations: migrations.slice(0, count) });
    await migrate(database, without(6));
    await recorded(database, 30);
    const { db } = database;
    await sql`insert into audit_index (term, link, position)
      select 's:' || subject, link, position from audit_entry
      union all select 'o:' || organization_id, link, position from audit_entry`.execute(db);
    await db.updateTable('audit_index_state').set({ link: 30 }).execute();
    await migrate(database);
    const filters: AuditFilter[] = [
      { subject: 's1', limit: 100 },
      { organizationId: 'o0', limit: 100 },
      { handedOut: 'c1', limit: 100 },
    ];
    const look = () => Promise.all(filters.map((filter) => listEntries(database, 0, filter)));
    const found = await look();
    assert.deepEqual(
      found.map((entries) => entries.length),
      [20, 40, 20],
    );
    await db.deleteFrom('audit_index').execute();
    await db.updateTable('audit_index_state').set({ link: 0 }).execute();
    assert.deepEqual(await look(), found);
  });

  test('forgets what retention removes', async (t) => {
    const database = await open(t);
    const audit = await recorded(database, 5);
    await recorded(database, 4, start + dayMs);
    await indexLinks(database);
    await audit.closeDays(start + dayMs);
    assert.equal(await audit.prune(start + dayMs, start + 2 * dayMs), 1);
    const kept = await database.db.selectFrom('audit_index').select('link').distinct().orderBy('link').execute();
    assert.deepEqual(
      kept.map((row) => row.link),
      [6, 7, 8, 9],
    );
    assert.deepEqual((await audit.verify()).faults, []);
  });
});

function event(index: number, at: number) {
  return {
    organizationId: `o${index % 3 === 1 ? 1 : 0}`,
    actor: 'test',
    ...(index % 3 === 2
      ? { action: 'private-key.hand-out', detail: '{"certificate":"c1"}' }
      : { action: index % 6 === 0 ? 'private-key.hand-out' : 'thing.done', detail: '{}' }),
    subject: `s${index % 3}`,
    at,
  };
}
