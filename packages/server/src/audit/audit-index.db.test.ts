import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { AuditEntryRow } from '../database/audit-tables.ts';
import { type Database, openDatabase } from '../database/connect.ts';
import { migrate } from '../database/migrate.ts';
import { migrations } from '../database/migrations/list.ts';
import { fillTable } from '../database/query-plan.testing.ts';
import { freshDatabase, onBothDatabases } from '../database/testing.ts';
import { indexAll } from './audit-index.testing.ts';
import { type AuditFilter, listEntries, type Place } from './audit-index.ts';
import { createAuditIndexer, createIndexing, type IndexShape } from './audit-indexer.ts';
import { createAuditTrail } from './audit-trail.ts';
import { hashTerm, type TermHash } from './term-hash.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 1);

/** So small that a few dozen entries make several levels of several pages. */
const small: Partial<IndexShape> = {
  ...{ enough: 1, entriesPerRun: 6, fanOut: 3, recordsPerPage: 4, pagesPerRead: 2, pagesPerWrite: 3 },
};
/** Nearly every term shares its hash with others. */
const coarse: TermHash = (...term) => hashTerm(...term) % 3;

onBothDatabases('the index of the audit trail', (open, kind) => {
  async function recorded(database: Database, count: number, at = start) {
    const audit = createAuditTrail(database, Buffer.alloc(32, 1));
    for (let index = 0; index < count; index += 1) {
      await audit.append([event(index, at), event(index + 1, at)]);
    }
    return audit;
  }

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
  const looks = (database: Database) => Promise.all(filters.map((filter) => listEntries(database, 0, filter)));

  test('finds the same before, while and after entries are indexed', async (t) => {
    const database = await open(t);
    await recorded(database, 30);
    const before = await looks(database);
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
    assert.deepEqual(await looks(database), before);
    await recorded(database, 3);
    const mixed = await looks(database);
    await indexAll(database);
    assert.deepEqual(await looks(database), mixed);
    assert.notDeepEqual(mixed[0], before[0]);
  });

  test('finds what a search of all entries finds, whatever is indexed, however often it was put together', async (t) => {
    const database = await open(t);
    const name = (prefix: string) => fc.integer({ min: 0, max: 3 }).map((number) => `${prefix}${number}`);
    const odd = fc.constantFrom('', 'a\u001fb', 'ab', 'Ünï😀', ':');
    const anEvent = fc.record({
      organizationId: name('o'),
      subject: fc.oneof({ weight: 4, arbitrary: name('s') }, odd),
      certificate: fc.option(fc.oneof({ weight: 4, arbitrary: name('c') }, odd)),
    });
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ append: fc.array(anEvent, { minLength: 1, maxLength: 9 }) }) },
      { weight: 2, arbitrary: fc.constant('add' as const) },
      { weight: 3, arbitrary: fc.constant('tend' as const) },
      { weight: 1, arbitrary: fc.constant('restart' as const) },
    );
    const filter = fc.record(
      {
        organizationId: name('o'),
        subject: fc.oneof(name('s'), odd),
        handedOut: fc.oneof(name('c'), odd),
        before: fc.record({ link: fc.integer({ min: 0, max: 60 }), position: fc.integer({ min: 0, max: 9 }) }),
        limit: fc.integer({ min: 1, max: 40 }),
      },
      { requiredKeys: ['limit'] },
    );
    const course = fc.record({
      steps: fc.array(step, { minLength: 20, maxLength: 60 }),
      looks: fc.array(fc.tuple(filter, fc.integer({ min: 0, max: 20 })), { minLength: 8, maxLength: 8 }),
      hash: fc.constantFrom(hashTerm, coarse),
    });
    let highest = 0;
    const isRight = async ({
      steps,
      looks: wanted,
      hash,
    }: typeof course extends fc.Arbitrary<infer Course> ? Course : never) => {
      await emptied(database);
      const audit = createAuditTrail(database, Buffer.alloc(32, 1));
      let indexing = createIndexing(database, { ...small, hash });
      for (const each of steps) {
        if (each === 'add') await indexing.addRun();
        else if (each === 'tend') await indexing.tendRuns();
        else if (each === 'restart') indexing = createIndexing(database, { ...small, hash });
        else await audit.append(each.append.map(handOut));
      }
      const all = await listEntries(database, 0, { limit: 1_000 });
      for (const [asked, afterLink] of wanted) {
        const found = await listEntries(database, afterLink, asked, hash);
        const expected = all.filter((entry) => isWanted(entry, asked, afterLink)).slice(0, asked.limit);
        assert.deepEqual(found, expected, JSON.stringify({ asked, afterLink }));
      }
      const levels = await database.db
        .selectFrom('audit_index_run')
        .select('level')
        .where('state', '=', 'ready')
        .execute();
      highest = Math.max(highest, ...levels.map(({ level }) => level));
    };
    await fc.assert(fc.asyncProperty(course, isRight), { numRuns: kind === 'sqlite' ? 60 : 30 });
    assert.ok(highest >= 1, 'nothing was put together');
  });

  test('finds the entries of terms with one hash, of each what was asked for', async (t) => {
    const database = await open(t);
    await recorded(database, 40);
    const before = await looks(database);
    const hash: TermHash = () => 7;
    await indexAll(database, { ...small, hash });
    assert.deepEqual(await Promise.all(filters.map((filter) => listEntries(database, 0, filter, hash))), before);
  });

  test('a link with more entries than a record has positions is found to its end', async (t) => {
    const database = await open(t);
    const many = 66_000;
    const audit = createAuditTrail(database, Buffer.alloc(32, 1));
    const subjectOf = (index: number) => (index % 11_000 === 0 || index > 65_530 ? 'rare' : 'common');
    await audit.append(Array.from({ length: many }, (_, index) => ({ ...event(0, start), subject: subjectOf(index) })));
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
    const audit = createAuditTrail(database, Buffer.alloc(32, 1));
    for (let link = 0; link < 100; link += 1) {
      await audit.append(Array.from({ length: 20 }, () => event(2, start)));
    }
    for (let link = 0; link < 10; link += 1) await audit.append([event(2, start)]);
    await indexAll(database);
    const largest = { rows: 0, links: 0 };
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const read = result.rows.filter((row) => 'detail' in row);
        largest.rows = Math.max(largest.rows, read.length);
        largest.links = Math.max(largest.links, new Set(read.map(({ link }) => link)).size);
        return result;
      },
    });
    for (const filter of [{ subject: 's2' }, { organizationId: 'o0' }, { handedOut: 'c1' }]) {
      assert.equal((await listEntries({ ...database, db }, 0, { ...filter, limit: 50 })).length, 50);
      assert.ok(largest.rows <= 50, `${largest.rows} entries were read at once`);
      const all = await listEntries({ ...database, db }, 0, { ...filter, limit: 3_000 });
      assert.equal(all.length, 2_010);
      assert.ok(largest.links <= 64, `${largest.links} links were read at once`);
      largest.rows = 0;
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
      const expected = all.filter((entry) => isWanted(entry, filter, 0)).slice(0, filter.limit);
      assert.deepEqual(await listEntries({ ...database, db }, 0, filter), expected);
    }
    assert.ok(largest <= 20_000 + 2 * perLink, `${largest} entries were gone through at once`);
  });

  test('two servers at once index and put together everything once', async (t) => {
    const fresh = await freshDatabase(kind);
    t.after(() => fresh.close());
    const { database } = fresh;
    // One server has a SQLite file to itself; two of its connections stand for two of PostgreSQL's servers.
    const other = kind === 'sqlite' ? database : await openDatabase(fresh.options);
    t.after(() => other === database || other.close());
    await recorded(database, 60);
    const before = await looks(database);
    const servers = [database, other].map((each) => createIndexing(each, small));
    for (let isBusy = true; isBusy; ) {
      const done = await Promise.all(servers.flatMap((each) => [each.addRun(), each.tendRuns()]));
      isBusy = done.includes(true);
    }
    await indexAll(database, small);
    assert.deepEqual(await looks(database), before);
    await assertSound(database);
  });

  test('what was read of a run that another server has ended is in memory no longer', async (t) => {
    const database = await open(t);
    const read: WeakRef<Uint8Array>[] = [];
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        for (const { records } of result.rows) if (records instanceof Uint8Array) read.push(new WeakRef(records));
        return result;
      },
    });
    const one = createIndexing({ ...database, db }, small);
    const other = createIndexing(database, small);
    await recorded(database, 60);
    while (await other.addRun());
    // It begins a run, and goes on with it once.
    assert.deepEqual([await one.tendRuns(), await one.tendRuns()], [true, true]);
    assert.ok(read.length > 0);
    while (await other.tendRuns());
    assert.equal(await one.tendRuns(), false);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let turn = 0; turn < 10 && read.some((each) => each.deref() !== undefined); turn += 1) {
      await setImmediate();
      collect();
    }
    assert.deepEqual(
      read.map((each) => each.deref()).filter((each) => each !== undefined),
      [],
    );
  });

  test('a run that would be built of runs that are gone is dropped, and all else goes on', async (t) => {
    const database = await open(t);
    await recorded(database, 60);
    const before = await looks(database);
    await indexAll(database, small);
    const { last_run } = await database.db.selectFrom('audit_index_state').select('last_run').executeTakeFirstOrThrow();
    const orphan = { id: last_run + 1, level: 1, first_link: 1, last_link: 3, state: 'building', pages: 0 } as const;
    await database.db.insertInto('audit_index_run').values(orphan).execute();
    await database.db.updateTable('audit_index_state').set({ last_run: orphan.id }).execute();
    await indexAll(database, small);
    assert.deepEqual(await looks(database), before);
    await assertSound(database);
  });

  test('a server that stops between any two steps leaves what the next one goes on with', async (t) => {
    const database = await open(t);
    await recorded(database, 60);
    const before = await looks(database);
    // Nothing that is known in memory survives a step.
    const next = () => createIndexing(database, small);
    let steps = 0;
    while ((await next().addRun()) || (await next().tendRuns())) {
      steps += 1;
      if (steps % 10 === 0) assert.deepEqual(await looks(database), before);
    }
    assert.deepEqual(await looks(database), before);
    await assertSound(database);
    const levels = await database.db.selectFrom('audit_index_run').select('level').distinct().execute();
    assert.ok(
      levels.some(({ level }) => level >= 2),
      JSON.stringify(levels),
    );
  });

  test('goes on before any place that can be named', async (t) => {
    const database = await open(t);
    await recorded(database, 30);
    const look = (before: Place) =>
      Promise.all(filters.map((filter) => listEntries(database, 0, { ...filter, before, limit: 20 })));
    const farthest = 10 ** 15 - 1;
    for (const rest of ['in no run', 'in runs']) {
      assert.deepEqual(await look({ link: 17, position: farthest }), await look({ link: 18, position: 0 }), rest);
      assert.deepEqual(await look({ link: farthest, position: farthest }), await look({ link: 31, position: 0 }), rest);
      assert.deepEqual((await look({ link: 0, position: farthest })).flat(), [], rest);
      await indexAll(database, small);
    }
  });

  test('waits until there is enough', async (t) => {
    const database = await open(t);
    await recorded(database, 9);
    const indexing = createIndexing(database, { enough: 20 });
    assert.equal(await indexing.addRun(), false);
    await recorded(database, 1);
    assert.equal(await indexing.addRun(), true);
    assert.equal(await indexing.addRun(), false);
  });

  test('works by itself until nothing is left to do', async (t) => {
    const database = await open(t);
    await recorded(database, 1_100);
    const before = await looks(database);
    const stopped = new AbortController();
    const waits: number[] = [];
    const worker = createAuditIndexer(database, async (ms) => {
      waits.push(ms);
      if (ms > 100) stopped.abort();
    });
    await worker.run(stopped.signal);
    assert.ok(waits.length > 1, 'it paused between its steps');
    const { link } = await database.db.selectFrom('audit_index_state').select('link').executeTakeFirstOrThrow();
    assert.equal(link, 1_100);
    assert.deepEqual(await looks(database), before);
  });

  test('the index of a former schema is made anew, and look-ups are right meanwhile', async (t) => {
    const database = await open(t, { empty: true });
    await migrate(database, { migrations: migrations.slice(0, 10) });
    await recorded(database, 30);
    const { db } = database;
    await sql`insert into audit_index (term, link, positions)
      select 's:' || subject, link, string_agg(cast(position as text), ',') from audit_entry group by link, subject`.execute(
      db,
    );
    await sql`update audit_index_state set link = 30`.execute(db);
    await migrate(database);
    const before = await looks(database);
    assert.equal(before[0]?.length, 20);
    const indexing = createIndexing(database, small);
    while ((await indexing.addRun()) || (await indexing.tendRuns())) assert.deepEqual(await looks(database), before);
    await assertSound(database);
  });

  test('forgets what retention removes, once a whole run is removed', async (t) => {
    const database = await open(t);
    const audit = await recorded(database, 30);
    await indexAll(database, small);
    await recorded(database, 15, start + dayMs);
    await indexAll(database, small);
    await audit.closeDays(start + dayMs);
    assert.equal(await audit.prune(start + dayMs, start + 2 * dayMs), 1);
    const kept = await Promise.all(filters.map((filter) => audit.list(filter)));
    await indexAll(database, small);
    const runs = await database.db.selectFrom('audit_index_run').selectAll().execute();
    assert.ok(runs.length > 0);
    assert.ok(runs.every(({ last_link }) => last_link > 30));
    await assertSound(database, 31);
    assert.deepEqual(await Promise.all(filters.map((filter) => audit.list(filter))), kept);
    assert.ok((kept[0]?.length ?? 0) > 0);
    assert.deepEqual((await audit.verify()).faults, []);
  });
});

/** Each page belongs to a run that is ready, and each term has one record for each of its links. */
async function assertSound({ db }: Database, firstLink = 1): Promise<void> {
  const runs = await db.selectFrom('audit_index_run').selectAll().orderBy('first_link').execute();
  assert.deepEqual([...new Set(runs.map(({ state }) => state))], ['ready']);
  for (const [index, run] of runs.entries()) {
    const next = runs[index + 1];
    assert.ok(next === undefined || run.last_link < next.first_link, 'runs stand for links of their own');
  }
  const pages = await db.selectFrom('audit_index_page').selectAll().execute();
  assert.deepEqual(
    [...new Set(pages.map(({ run }) => run))].sort((one, two) => one - two),
    runs.map(({ id }) => id).sort((one, two) => one - two),
  );
  const { rows } = await sql<{ terms: number }>`
    select count(distinct concat(link, ' ', subject)) + count(distinct concat(link, ' ', organization_id))
      + count(distinct case when detail like '%certificate%' and action = 'private-key.hand-out'
        then concat(link, ' ', detail) end) as terms
    from audit_entry where link >= ${Math.min(firstLink, runs[0]?.first_link ?? 0)}`.execute(db);
  const records = pages.reduce((sum, page) => sum + page.records.byteLength / 12, 0);
  if (firstLink === 1) assert.equal(records, Number(rows[0]?.terms));
  else assert.ok(records >= Number(rows[0]?.terms));
}

async function emptied({ db }: Database): Promise<void> {
  for (const table of ['audit_index_page', 'audit_index_run', 'audit_entry', 'audit_link'] as const) {
    await db.deleteFrom(table).execute();
  }
  await db.updateTable('audit_index_state').set({ link: 0, last_run: 0 }).execute();
  await db.updateTable('audit_head').set({ link: 0, mac: '', day: '' }).execute();
}

function isWanted(entry: AuditEntryRow, filter: AuditFilter, afterLink: number): boolean {
  const { organizationId, subject, handedOut, before } = filter;
  if (entry.link <= afterLink) return false;
  if (organizationId !== undefined && entry.organization_id !== organizationId) return false;
  if (subject !== undefined && entry.subject !== subject) return false;
  if (handedOut !== undefined && certificateIn(entry) !== handedOut) return false;
  if (before === undefined) return true;
  return entry.link < before.link || (entry.link === before.link && entry.position < before.position);
}

function certificateIn({ action, detail }: AuditEntryRow): unknown {
  return action === 'private-key.hand-out' ? JSON.parse(detail).certificate : undefined;
}

function handOut(given: { organizationId: string; subject: string; certificate: string | null }) {
  const { organizationId, subject, certificate } = given;
  const detail = JSON.stringify(certificate === null ? {} : { certificate });
  return { organizationId, subject, actor: 'test', action: 'private-key.hand-out' as const, detail, at: start };
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
