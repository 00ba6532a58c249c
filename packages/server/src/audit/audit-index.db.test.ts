import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kysely } from 'kysely';
import type { Database } from '../database/connect.ts';
import { certificateHandOuts } from '../database/migrations/0007-certificate-hand-outs.ts';
import { onBothDatabases } from '../database/testing.ts';
import { type AuditFilter, indexPortion, listEntries } from './audit-index.ts';
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
    assert.equal(await indexPortion(database), false);
    assert.deepEqual(await look(), before);
    await recorded(database, 3);
    const mixed = await look();
    await indexPortion(database);
    assert.deepEqual(await look(), mixed);
    assert.notDeepEqual(mixed[0], before[0]);
  });

  test('goes on in portions, and two servers at once index nothing twice', async (t) => {
    const database = await open(t);
    await recorded(database, 300);
    const more = await Promise.all([indexPortion(database), indexPortion(database)]);
    assert.deepEqual(more, [true, true]);
    // The two of them may have come to the same portion, of which one has done nothing then.
    let portions = 1;
    while (await indexPortion(database)) portions += 1;
    assert.ok(portions === 1 || portions === 2, `${portions}`);
    const { count } = await database.db
      .selectFrom('audit_index')
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    // One entry in three is the hand-out of a private key, and is found by its certificate, too.
    assert.equal(Number(count), 300 * 2 * 2 + 200);
  });

  test('an index from before hand-outs were found by their certificate is completed', async (t) => {
    const database = await open(t);
    await recorded(database, 30);
    await indexPortion(database);
    const look = () => listEntries(database, 0, { handedOut: 'c1', limit: 100 });
    const found = await look();
    await database.db.deleteFrom('audit_index').where('term', 'like', 'c:%').execute();
    assert.deepEqual(await look(), []);
    await certificateHandOuts.up(database.db as unknown as Kysely<unknown>, database.dialect);
    assert.deepEqual(await look(), found);
  });

  test('forgets what retention removes', async (t) => {
    const database = await open(t);
    const audit = await recorded(database, 5);
    await recorded(database, 4, start + dayMs);
    await indexPortion(database);
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
