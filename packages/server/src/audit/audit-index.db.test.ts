import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { type Database, DatabaseUnavailable, isUnavailable } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import type { AuditEntryRow } from '../database/schema/audit-tables.ts';
import { migrations } from '../database/schema/migrations/list.ts';
import { fillTable } from '../database/sql/query-plan.testing.ts';
import { freshDatabase, onBothDatabases } from '../database/testing.ts';
import {
  type AuditFilter,
  createAuditIndexer,
  indexingQueries,
  indexLinks,
  listEntries,
  type Place,
} from './audit-index.ts';
import { prunedUpTo } from './audit-store.ts';
import { createAuditTrail } from './audit-trail.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 1);

const filters: readonly AuditFilter[] = [
  { subject: 's1', limit: 100 },
  { subject: 's1', limit: 7 },
  { organizationId: 'o0', limit: 100 },
  { organizationId: 'o1', subject: 's1', limit: 100 },
  { organizationId: 'o0', subject: 's1', limit: 100 },
  { handedOut: 'c1', limit: 100 },
  { handedOut: 'c1', before: { link: 17, position: 1 }, limit: 4 },
  { subject: 'nobody', limit: 5 },
  { limit: 11 },
];
const lookUps = (database: Database) => Promise.all(filters.map((filter) => listEntries(database, 0, filter)));

const trailOf = (database: Database) => createAuditTrail(database, Buffer.alloc(32, 1));

async function recorded(database: Database, count: number, at = start) {
  const audit = trailOf(database);
  for (let index = 0; index < count; index += 1) await audit.append([event(index, at), event(index + 1, at)]);
  return audit;
}

async function indexAll(database: Database): Promise<void> {
  while (await indexLinks(database));
}

onBothDatabases('the index of the audit trail', (open, kind) => {
  /** One server has a SQLite file to itself; two of its connections stand for two of PostgreSQL's servers. */
  async function openTwice(t: TestContext): Promise<readonly [Database, Database]> {
    const fresh = await freshDatabase(kind);
    const other = kind === 'sqlite' ? fresh.database : await openDatabase(fresh.options);
    t.after(async () => {
      if (other !== fresh.database) await other.close();
      await fresh.close();
    });
    return [fresh.database, other];
  }

  test('finds the same before, while and after entries are indexed', async (t) => {
    const database = await open(t);
    await recorded(database, 30);
    const before = await lookUps(database);
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
    await indexAll(database);
    assert.deepEqual(await lookUps(database), before);
    await recorded(database, 3);
    const mixed = await lookUps(database);
    await indexAll(database);
    assert.deepEqual(await lookUps(database), mixed);
    assert.notDeepEqual(mixed[0], before[0]);
    await assertSound(database);
  });

  test('is right while two servers work on it, the database fails now and then, and days are removed', async (t) => {
    const servers = await openTwice(t);
    const [database] = servers;
    const isRight = async ({ steps, outages }: Course) => {
      await empty(database);
      const stop = new AbortController();
      const indexing = servers.map((each) => keepIndexing(withOutages(each, outages), stop.signal));
      let now = start;
      try {
        for (const { links, by, days, keepDays, looks } of steps) {
          const trail = trailOf(servers[by] as Database);
          for (const entries of links) {
            const about = { actor: 'test', action: 'private-key.hand-out', at: now } as const;
            await trail.append(entries.map((entry) => ({ ...about, ...entry })));
          }
          now += days * dayMs;
          const meanwhile = keepDays === undefined ? undefined : () => prune(trail, now, keepDays);
          await assertFound(servers, looks, meanwhile);
        }
      } finally {
        stop.abort();
        await Promise.all(indexing);
      }
      await indexAll(database);
      await assertSound(database);
      const looks = steps.flatMap((step) => step.looks);
      await assertFound(servers, looks);
    };
    await fc.assert(fc.asyncProperty(aCourse, isRight), { numRuns: 10, endOnFailure: true });
  });

  test('a link with very many entries is found to its end', async (t) => {
    const database = await open(t);
    const many = 66_000;
    const subjectOf = (index: number) => (index % 11_000 === 0 || index > 65_530 ? 'rare' : 'common');
    const entries = Array.from({ length: many }, (_, index) => ({ ...event(0, start), subject: subjectOf(index) }));
    await trailOf(database).append(entries);
    await recorded(database, 3);
    const asked: readonly AuditFilter[] = [
      { subject: 'rare', limit: 1_000 },
      { subject: 'rare', limit: 3 },
      { subject: 'rare', limit: 5, before: { link: 1, position: 65_540 } },
      { subject: 'rare', limit: 5, before: { link: 1, position: 65_535 } },
      { subject: 'common', limit: 3, before: { link: 1, position: 40_000 } },
    ];
    const look = () => Promise.all(asked.map((filter) => listEntries(database, 0, filter)));
    const before = await look();
    assert.equal(before[0]?.length, 6 + (many - 1 - 65_530));
    await indexAll(database);
    assert.deepEqual(await look(), before);
  });

  test('what is read is bounded where links of one entry follow links of many', async (t) => {
    const database = await open(t);
    const audit = trailOf(database);
    for (let link = 0; link < 100; link += 1) {
      await audit.append(Array.from({ length: 20 }, () => event(2, start)));
    }
    for (let link = 0; link < 10; link += 1) await audit.append([event(2, start)]);
    await indexAll(database);
    const largest = { entries: 0, links: 0 };
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const read = result.rows.filter((row) => 'detail' in row);
        largest.entries = Math.max(largest.entries, read.length);
        largest.links = Math.max(largest.links, new Set(read.map(({ link }) => link)).size);
        return result;
      },
    });
    for (const filter of [{ subject: 's2' }, { organizationId: 'o0' }, { handedOut: 'c1' }]) {
      assert.equal((await listEntries({ ...database, db }, 0, { ...filter, limit: 50 })).length, 50);
      assert.ok(largest.entries <= 50, `${largest.entries} entries were read at once`);
      const all = await listEntries({ ...database, db }, 0, { ...filter, limit: 3_000 });
      assert.equal(all.length, 2_010);
      assert.ok(largest.links <= 65, `${largest.links} links were read at once`);
      largest.entries = 0;
    }
  });

  test('what is not indexed yet is gone through in portions, between which others can read', async (t) => {
    const database = await open(t);
    const perLink = 700;
    const row = (index: number) => ({
      ...{ link: Math.floor(index / perLink) + 1, position: index % perLink, organization_id: 'o0', at: start },
      ...{ actor: 'test', action: 'thing.done', subject: index % 1_234 === 0 ? 'rare' : 'common', detail: '{}' },
    });
    const all = Array.from({ length: 65_000 }, (_, index) => row(index)).reverse();
    await fillTable(database, 'audit_entry', all.length, (number) => all[number] as AuditEntryRow);
    let largest = 0;
    const db = database.db.withPlugin({
      transformQuery({ node, queryId }) {
        const { parameters, sql: text } = database.db.getExecutor().compileQuery(node, queryId);
        if (text.includes('select *')) largest = Math.max(largest, entriesWithin(parameters));
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    /** How many entries a reading of links behind one, and before another, goes through. */
    const entriesWithin = ([after, ...rest]: readonly unknown[]) => {
      const end = rest.length > 3 ? Number(rest.at(-3)) : Number.POSITIVE_INFINITY;
      return all.filter(({ link }) => link > Number(after) && link < end).length;
    };
    const asked: readonly AuditFilter[] = [
      { subject: 'rare', limit: 1_000 },
      { subject: 'rare', limit: 20 },
      { subject: 'rare', limit: 30, before: { link: 60, position: 17 } },
      { subject: 'nobody', limit: 1 },
    ];
    for (const filter of asked) {
      const expected = all.filter((entry) => isWanted(entry, filter)).slice(0, filter.limit);
      assert.deepEqual(await listEntries({ ...database, db }, 0, filter), expected);
    }
    assert.ok(largest <= 20_000 + 2 * perLink, `${largest} entries were gone through at once`);
  });

  test('two servers at once index everything once', async (t) => {
    const [database, other] = await openTwice(t);
    await recorded(database, 600);
    const before = await lookUps(database);
    await Promise.all([indexAll(database), indexAll(other)]);
    await assertSound(database);
    assert.deepEqual(await lookUps(database), before);
  });

  test('goes on before any place that can be named', async (t) => {
    const database = await open(t);
    await recorded(database, 30);
    const look = (before: Place) =>
      Promise.all(filters.map((filter) => listEntries(database, 0, { ...filter, before, limit: 20 })));
    const farthest = 10 ** 15 - 1;
    for (const state of ['not indexed', 'indexed']) {
      assert.deepEqual(await look({ link: 17, position: farthest }), await look({ link: 18, position: 0 }), state);
      assert.deepEqual(
        await look({ link: farthest, position: farthest }),
        await look({ link: 31, position: 0 }),
        state,
      );
      assert.deepEqual((await look({ link: 0, position: farthest })).flat(), [], state);
      await indexAll(database);
    }
  });

  test('a server keeps it up to date by itself, and pauses between portions', async (t) => {
    const database = await open(t);
    await recorded(database, 600);
    const before = await lookUps(database);
    const stopped = new AbortController();
    const waits: number[] = [];
    const worker = createAuditIndexer(database, async (ms) => {
      waits.push(ms);
      if (ms > 100) stopped.abort();
    });
    await worker.run(stopped.signal);
    assert.ok(waits.length >= 600 / 125, `${waits}`);
    assert.equal(await reachedLink(database), 600);
    await assertSound(database);
    assert.deepEqual(await lookUps(database), before);
  });

  test('a server that stops leaves the rest to the next one', async (t) => {
    const database = await open(t);
    await recorded(database, 200);
    const stopped = new AbortController();
    await createAuditIndexer(database, async () => stopped.abort()).run(stopped.signal);
    assert.equal(await reachedLink(database), 125);
    await indexAll(database);
    await assertSound(database);
  });

  test('the index of the former schema is made anew, and look-ups are right meanwhile', async (t) => {
    const database = await open(t, { empty: true });
    await migrate(database, { migrations: migrations.slice(0, 16) });
    const audit = await recorded(database, 300);
    const { db } = database;
    await sql`insert into audit_index_run (id, level, first_link, last_link, state, pages)
      values (1, 0, 1, 300, 'ready', 1), (2, 1, 1, 300, 'building', 0)`.execute(db);
    const records = Buffer.alloc(12);
    await sql`insert into audit_index_page (run, hash, link, position, records)
      values (1, 7, 1, 0, ${records})`.execute(db);
    await sql`update audit_index_state set link = 300, last_run = 2`.execute(db);
    await migrate(database);
    const before = await lookUps(database);
    assert.deepEqual(
      before.map((entries) => entries.length),
      [100, 7, 100, 100, 0, 100, 4, 0, 11],
    );
    while (await indexLinks(database, undefined, async () => false)) assert.fail('it stops after a portion');
    assert.equal(await reachedLink(database), 125);
    assert.deepEqual(await lookUps(database), before);
    await indexAll(database);
    assert.deepEqual(await lookUps(database), before);
    await assertSound(database);
    assert.deepEqual((await audit.verify()).faults, []);
  });

  test('forgets what retention removes, and never indexes what was removed before', async (t) => {
    const database = await open(t);
    const audit = await recorded(database, 200);
    await indexLinks(database, undefined, async () => false);
    await recorded(database, 15, start + dayMs);
    await audit.closeDays(start + dayMs);
    assert.equal(await audit.prune(start + dayMs, start + 2 * dayMs), 1);
    assert.equal(await reachedLink(database), 200);
    const kept = await Promise.all(filters.map((filter) => audit.list(filter)));
    assert.ok((kept[0]?.length ?? 0) > 0);
    await assertSound(database, 200);
    await indexAll(database);
    await assertSound(database);
    assert.deepEqual(await Promise.all(filters.map((filter) => audit.list(filter))), kept);
    assert.deepEqual((await audit.verify()).faults, []);
  });

  if (kind === 'sqlite') return;
  test('what one server is indexing while another removes it is forgotten as well', async (t) => {
    const [database, other] = await openTwice(t);
    const audit = await recorded(database, 20);
    await recorded(database, 5, start + dayMs);
    await audit.closeDays(start + dayMs);
    let isPruned = false;
    let pruning: Promise<unknown> | undefined;
    await database.transaction(async (trx) => {
      for (const query of indexingQueries(database)(15)) await trx.executeQuery(query);
      pruning = trailOf(other)
        .prune(start + dayMs, start + 2 * dayMs)
        .finally(() => {
          isPruned = true;
        });
      while (!isPruned && !(await isSomebodyWaiting(database)));
    });
    await pruning;
    await indexAll(database);
    await assertSound(database);
  });
});

/** Whether a transaction waits for what another one has locked. */
async function isSomebodyWaiting({ db }: Database): Promise<boolean> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waiting.execute(db)).rows.length > 0;
}

async function reachedLink({ db }: Database): Promise<number> {
  return (await db.selectFrom('audit_index_state').select('link').executeTakeFirstOrThrow()).link;
}

/** The index names each entry that there is up to `lastLink`, by each of its terms, and nothing else. */
async function assertSound({ db }: Database, lastLink = Number.MAX_SAFE_INTEGER): Promise<void> {
  const entries = await db.selectFrom('audit_entry').selectAll().where('link', '<=', lastLink).execute();
  const expected = entries.flatMap((entry) => {
    const certificate = certificateIn(entry);
    const terms = [
      `s:${entry.subject}`,
      `o:${entry.organization_id}`,
      ...(certificate === undefined ? [] : [`c:${certificate}`]),
    ];
    return terms.map((term) => `${term} ${entry.link} ${entry.position}`);
  });
  const rows = await db.selectFrom('audit_index').selectAll().execute();
  const found = rows.flatMap(({ term, link, positions }) =>
    positions.split(',').map((position) => `${term} ${link} ${position}`),
  );
  assert.deepEqual(found.sort(), expected.sort());
}

const upTo = (max: number) => fc.integer({ min: 0, max });
/** Some are in nearly every link, some in few, and some are odd. */
const aName = (prefix: string) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.oneof(upTo(1), upTo(9)).map((number) => `${prefix}${number}`) },
    { weight: 1, arbitrary: fc.constantFrom('', 'a\u001fb', 'ab', 'Ünï😀', ':', ',') },
  );
const anEntry = fc.record({
  organizationId: upTo(2).map((number) => `o${number}`),
  subject: aName('s'),
  detail: fc.option(aName('c')).map((certificate) => JSON.stringify(certificate === null ? {} : { certificate })),
});
const aLook = fc.record({
  filter: fc.oneof(
    aName('s').map((subject) => ({ subject })),
    aName('c').map((handedOut) => ({ handedOut })),
    upTo(3).map((number) => ({ organizationId: `o${number}` })),
    fc.tuple(upTo(1), upTo(2)).map(([subject, of]) => ({ subject: `s${subject}`, organizationId: `o${of}` })),
  ),
  before: fc.option(fc.record({ link: upTo(60), position: upTo(20) }), { nil: undefined }),
  limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 30 })),
  by: upTo(1),
});
type Look = typeof aLook extends fc.Arbitrary<infer Value> ? Value : never;
const aStep = fc.record({
  links: fc.array(fc.array(anEntry, { minLength: 1, maxLength: 20 }), { maxLength: 8 }),
  by: upTo(1),
  days: upTo(1),
  keepDays: fc.option(upTo(2), { nil: undefined }),
  looks: fc.array(aLook, { minLength: 3, maxLength: 3 }),
});
const aCourse = fc.record({
  steps: fc.array(aStep, { minLength: 8, maxLength: 8 }),
  outages: fc.constantFrom(0, 7),
});
type Course = typeof aCourse extends fc.Arbitrary<infer Value> ? Value : never;

/** Every so many batches fail, by turns before they are committed and after. */
function withOutages(database: Database, every: number): Database {
  let batches = 0;
  return {
    ...database,
    async runBatch(queries, next) {
      batches += 1;
      const fails = every > 0 && batches % every === 0;
      if (fails && batches % 2 === 0) throw new DatabaseUnavailable('before');
      const results = await database.runBatch(queries, next);
      if (fails) throw new DatabaseUnavailable('after');
      return results;
    },
  };
}

/** Works on the index as a server does, without its pauses, until it is told to stop. */
async function keepIndexing(database: Database, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!(await indexLinks(database))) await setImmediate();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }
}

async function empty({ db }: Database): Promise<void> {
  for (const table of ['audit_index', 'audit_entry', 'audit_link', 'audit_segment'] as const) {
    await db.deleteFrom(table).execute();
  }
  await db.updateTable('audit_index_state').set({ link: 0 }).execute();
  await db.updateTable('audit_head').set({ link: 0, mac: '', day: '' }).execute();
}

async function prune(trail: ReturnType<typeof createAuditTrail>, now: number, keepDays: number): Promise<void> {
  await trail.closeDays(now);
  await trail.prune(now - keepDays * dayMs, now);
}

/** Page by page to the end. */
async function allPages(database: Database, { filter, before, limit }: Look): Promise<AuditEntryRow[]> {
  const found: AuditEntryRow[] = [];
  for (let end: Place | undefined = before; ; end = found.at(-1)) {
    const rows = await listEntries(database, await prunedUpTo(database.db), { ...filter, before: end, limit });
    found.push(...rows);
    if (rows.length < limit) return found;
  }
}

/** What is kept is found, in its order; what is removed meanwhile may be, or not. */
async function assertFound(
  servers: readonly [Database, Database],
  looks: readonly Look[],
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  const [{ db }] = servers;
  const all = await listEntries(servers[0], 0, { limit: 10_000 });
  const work = meanwhile();
  const found = await Promise.all(looks.map((look) => allPages(servers[look.by] as Database, look)));
  await work;
  const pruned = await prunedUpTo(db);
  const kept = (rows: readonly AuditEntryRow[]) => rows.filter(({ link }) => link > pruned);
  for (const [index, look] of looks.entries()) {
    const wanted = all.filter((entry) => isWanted(entry, { ...look.filter, before: look.before }));
    const rows = found[index] ?? [];
    assert.deepEqual(kept(rows), kept(wanted), JSON.stringify(look));
    const places = new Set(wanted.map(({ link, position }) => `${link} ${position}`));
    assert.ok(rows.every(({ link, position }) => places.has(`${link} ${position}`)));
  }
}

function isWanted(entry: AuditEntryRow, filter: Omit<AuditFilter, 'limit'>): boolean {
  const { organizationId, subject, handedOut, before } = filter;
  if (organizationId !== undefined && entry.organization_id !== organizationId) return false;
  if (subject !== undefined && entry.subject !== subject) return false;
  if (handedOut !== undefined && certificateIn(entry) !== handedOut) return false;
  if (before === undefined) return true;
  return entry.link < before.link || (entry.link === before.link && entry.position < before.position);
}

function certificateIn({ action, detail }: AuditEntryRow): unknown {
  return action === 'private-key.hand-out' ? JSON.parse(detail).certificate : undefined;
}

function event(index: number, at: number) {
  return {
    organizationId: `o${index % 3 === 1 ? 1 : 0}`,
    actor: 'test',
    ...(index % 3 === 2
      ? { action: 'private-key.hand-out' as const, detail: '{"certificate":"c1"}' }
      : { action: index % 6 === 0 ? ('private-key.hand-out' as const) : ('push.resend' as const), detail: '{}' }),
    subject: `s${index % 3}`,
    at,
  };
}
