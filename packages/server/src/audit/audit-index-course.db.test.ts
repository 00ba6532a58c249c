import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { AuditEntryRow } from '../database/audit-tables.ts';
import { type Database, DatabaseUnavailable, isUnavailable, openDatabase } from '../database/connect.ts';
import { freshDatabase, onBothDatabases } from '../database/testing.ts';
import { indexAll } from './audit-index.testing.ts';
import { type AuditFilter, listEntries, type Place } from './audit-index.ts';
import { createIndexing, type IndexShape } from './audit-indexer.ts';
import { prunedUpTo } from './audit-store.ts';
import { createAuditTrail } from './audit-trail.ts';
import { hashTerm, type TermHash } from './term-hash.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 1);

/** Nearly every term shares its hash with others. */
const coarse: TermHash = (...term) => hashTerm(...term) % 3;

const upTo = (max: number) => fc.integer({ min: 0, max });
const aShape = fc.record({
  enough: fc.integer({ min: 1, max: 10 }),
  entriesPerRun: fc.integer({ min: 3, max: 22 }),
  fanOut: fc.integer({ min: 2, max: 4 }),
  recordsPerPage: fc.integer({ min: 2, max: 7 }),
  pagesPerRead: fc.integer({ min: 1, max: 3 }),
  pagesPerWrite: fc.integer({ min: 2, max: 5 }),
  hash: fc.constantFrom(hashTerm, coarse),
});
/** Some are in nearly every link, some in few. */
const aNumber = fc.oneof(upTo(1), upTo(9));
const anEntry = fc.record({
  organizationId: upTo(2).map((number) => `o${number}`),
  subject: aNumber.map((number) => `s${number}`),
  detail: aNumber.map((number) => JSON.stringify(number === 9 ? {} : { certificate: `c${number}` })),
});
const aLook = fc.record({
  filter: fc.oneof(
    aNumber.map((number) => ({ subject: `s${number}` })),
    aNumber.map((number) => ({ handedOut: `c${number}` })),
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
  shape: aShape,
  steps: fc.array(aStep, { minLength: 8, maxLength: 8 }),
  outages: fc.constantFrom(0, 7),
});

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
async function keepIndexing(database: Database, shape: IndexShape, signal: AbortSignal): Promise<void> {
  let indexing = createIndexing(database, shape);
  for (let turn = 1; !signal.aborted; turn += 1) {
    // As if it had been killed: nothing that is known in memory is left.
    if (turn % 20 === 0) indexing = createIndexing(database, shape);
    try {
      const isBusy = turn % 3 === 0 ? await indexing.addRun() : await indexing.tendRuns();
      if (!isBusy) await setTimeout(1);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }
}

/** Page by page to the end, and what was removed while that lasted. */
async function allPages(database: Database, { filter, before, limit }: Look, hash: TermHash): Promise<AuditEntryRow[]> {
  const found: AuditEntryRow[] = [];
  for (let end: Place | undefined = before; ; end = found.at(-1)) {
    const rows = await listEntries(database, await prunedUpTo(database.db), { ...filter, before: end, limit }, hash);
    found.push(...rows);
    if (rows.length < limit) return found;
  }
}

onBothDatabases('the index of the audit trail', (_open, kind) => {
  test('is right while two servers work on it, the database fails now and then, and days are removed', async () => {
    const isRight = async ({ shape, steps, outages }: typeof aCourse extends fc.Arbitrary<infer V> ? V : never) => {
      const fresh = await freshDatabase(kind);
      const { database } = fresh;
      const second = kind === 'sqlite' ? database : await openDatabase(fresh.options);
      const servers = [database, second] as const;
      const trails = servers.map((each) => createAuditTrail(each, Buffer.alloc(32, 1)));
      const stop = new AbortController();
      const working = servers.map((each) => keepIndexing(withOutages(each, outages), shape, stop.signal));
      let now = start;
      try {
        for (const { links, by, days, keepDays, looks } of steps) {
          const trail = trails[by] as (typeof trails)[number];
          for (const entries of links) {
            const about = { actor: 'test', action: 'private-key.hand-out', at: now } as const;
            await trail.append(entries.map((entry) => ({ ...about, ...entry })));
          }
          now += days * dayMs;
          await assertFound(
            servers,
            shape.hash,
            looks,
            keepDays === undefined ? undefined : () => prune(trail, now, keepDays),
          );
        }
        stop.abort();
        await Promise.all(working);
        await indexAll(database, { ...shape, enough: 1 });
        const states = await database.db.selectFrom('audit_index_run').select('state').execute();
        assert.ok(states.every(({ state }) => state === 'ready'));
        await assertFound(
          servers,
          shape.hash,
          steps.flatMap(({ looks }) => looks),
        );
      } finally {
        stop.abort();
        await Promise.allSettled(working);
        if (second !== database) await second.close();
        await fresh.close();
      }
    };
    await fc.assert(fc.asyncProperty(aCourse, isRight), { numRuns: 4, endOnFailure: true });
  });
});

async function prune(trail: ReturnType<typeof createAuditTrail>, now: number, keepDays: number): Promise<void> {
  await trail.closeDays(now);
  await trail.prune(now - keepDays * dayMs, now);
}

/** What is kept is found, in its order; what is removed meanwhile may be, or not. */
async function assertFound(
  servers: readonly [Database, Database],
  hash: TermHash,
  looks: readonly Look[],
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  const [{ db }] = servers;
  const all = await listEntries(servers[0], 0, { limit: 10_000 });
  const work = meanwhile();
  const found = await Promise.all(looks.map((look) => allPages(servers[look.by] as Database, look, hash)));
  await work;
  const pruned = await prunedUpTo(db);
  const kept = (rows: readonly AuditEntryRow[]) => rows.filter(({ link }) => link > pruned);
  for (const [index, look] of looks.entries()) {
    const wanted = all.filter((entry) => isWanted(entry, look));
    const rows = found[index] ?? [];
    assert.deepEqual(kept(rows), kept(wanted), JSON.stringify(look));
    const places = new Set(wanted.map(({ link, position }) => `${link} ${position}`));
    assert.ok(rows.every(({ link, position }) => places.has(`${link} ${position}`)));
  }
}

function isWanted(entry: AuditEntryRow, { filter, before }: Look): boolean {
  const { organizationId, subject, handedOut }: Omit<AuditFilter, 'limit'> = filter;
  if (organizationId !== undefined && entry.organization_id !== organizationId) return false;
  if (subject !== undefined && entry.subject !== subject) return false;
  if (handedOut !== undefined && JSON.parse(entry.detail).certificate !== handedOut) return false;
  if (before === undefined) return true;
  return entry.link < before.link || (entry.link === before.link && entry.position < before.position);
}
