import { setImmediate } from 'node:timers/promises';
import type { AuditIndexRunRow } from '../database/audit-tables.ts';
import { type Database, isUnavailable } from '../database/connect.ts';
import type { Worker } from '../runtime/supervisor.ts';
import {
  dropRun,
  type IndexState,
  type IndexWrites,
  indexWrites,
  isOutrun,
  readIndexState,
  readLastPage,
  readPages,
  readRuns,
  readTermText,
  readWaiting,
  removePages,
} from './audit-index-store.ts';
import { prunedUpTo } from './audit-store.ts';
import { keyAt, type RecordKey, recordBytes, recordsPerPage, viewOf } from './index-records.ts';
import { readTerms } from './index-terms.ts';
import { createRunMerge } from './run-merge.ts';
import { nextMerge, nextRemoval, type RunTask } from './run-plan.ts';
import type { TermHash } from './term-hash.ts';

/** Of what size everything is. */
export interface IndexShape {
  /** A run is made when so many entries wait: until then look-ups go through them one by one. */
  readonly enough: number;
  /** So many entries become one run; a link is not cut. */
  readonly entriesPerRun: number;
  /** So many runs of a level become one of the next. */
  readonly fanOut: number;
  readonly recordsPerPage: number;
  /** So many pages are read of each run at once. */
  readonly pagesPerRead: number;
  /** So many pages are written in one transaction, or removed. */
  readonly pagesPerWrite: number;
  readonly hash?: TermHash;
}

const usualShape: IndexShape = {
  enough: 2_000,
  entriesPerRun: 5_000,
  fanOut: 16,
  recordsPerPage,
  pagesPerRead: 4,
  pagesPerWrite: 48,
};

const everyMs = 1_000;
/** Between two steps, so that hand-outs do not wait for one after the other. */
const pauseMs = 5;
/** Between two runs that are added, so many steps put others together: each entry is written once for each level. */
const stepsPerRun = 5;

/** Works on the index in steps, each of which keeps the writer for a millisecond or two. Whatever is left half done, goes on. */
export interface Indexing {
  /** Adds a run of the next entries. @returns whether there were enough of them */
  addRun(): Promise<boolean>;
  /** Puts runs together, or removes what nobody needs. @returns whether there was anything to do */
  tendRuns(): Promise<boolean>;
}

export function createIndexing(database: Database, change: Partial<IndexShape> = {}): Indexing {
  const shape = { ...usualShape, ...change };
  const { db } = database;
  const writes = indexWrites(database);
  /** What was read and is not written yet, by the run that is being built. */
  const merges = new Map<number, BuiltRun>();

  async function addRun(): Promise<boolean> {
    const state = await readIndexState(db);
    const waiting = await readWaiting(db, state.link, shape.enough, shape.entriesPerRun);
    if (waiting === undefined) return false;
    const batch = readTerms(await readTermText(database, waiting), waiting.entries, shape.hash);
    // What waits for the main thread has its turn between the two halves of the work, of 1.5 ms each.
    await setImmediate();
    await database.runBatch(writes.addRun(state, waiting, batch.toPages(shape.recordsPerPage)));
    return true;
  }

  /** @param state as it was before the runs were read, of which the task was made */
  async function perform(task: RunTask, state: IndexState): Promise<void> {
    switch (task.kind) {
      case 'begin':
        await database.runBatch(writes.beginRun(state, task.sources));
        return;
      case 'merge': {
        const built = merges.get(task.run.id) ?? (await resumeRun(database, task.run, task.sources, shape));
        merges.set(task.run.id, built);
        if (await built.goOn(writes)) merges.delete(task.run.id);
        return;
      }
      case 'drop':
        await dropRun(db, task.run.id);
        return;
      case 'remove':
        await removePages(database, task.run.id, shape.pagesPerWrite);
    }
  }

  async function tendRuns(): Promise<boolean> {
    // Before the runs: where another server begins one of these after that, the state has moved, and only one has begun.
    const state = await readIndexState(db);
    const runs = await readRuns(db);
    // What another server has ended, nobody here would ever go on with.
    for (const id of merges.keys()) if (!isBuilding(runs, id)) merges.delete(id);
    const task = nextMerge(runs, shape.fanOut) ?? nextRemoval(runs, await prunedUpTo(db));
    if (task !== undefined) await perform(task, state);
    return task !== undefined;
  }

  /** Whoever is outrun by another server lets it be, and forgets what it had read. */
  async function unlessOutrun(step: () => Promise<boolean>): Promise<boolean> {
    try {
      return await step();
    } catch (error) {
      merges.clear();
      if (isOutrun(error)) return false;
      throw error;
    }
  }

  return {
    addRun: () => unlessOutrun(addRun),
    tendRuns: () => unlessOutrun(tendRuns),
  };
}

function isBuilding(runs: readonly AuditIndexRunRow[], id: number): boolean {
  return runs.some((run) => run.id === id && run.state === 'building');
}

/** A run that is being put together; how far it has come can be seen from its pages. */
interface BuiltRun {
  /** Writes the next pages. @returns whether they are the last */
  goOn(writes: IndexWrites): Promise<boolean>;
}

async function resumeRun(
  database: Database,
  run: AuditIndexRunRow,
  sources: readonly AuditIndexRunRow[],
  shape: IndexShape,
): Promise<BuiltRun> {
  const { db } = database;
  let written = run.pages;
  const after = await lastRecord(database, run.id);
  const merge = createRunMerge(
    sources.length,
    after,
    shape.recordsPerPage,
    (shape.pagesPerWrite + 1) * shape.recordsPerPage,
  );
  const places = await Promise.all(sources.map(({ id }, index) => startOf(id, index)));

  /** Where a source goes on; the page in which it does may have begun before. */
  async function startOf(source: number, index: number): Promise<{ run: number; after: RecordKey }> {
    const page = after && (await readLastPage(db, source, after));
    if (page !== undefined) merge.feed(index, [page.records], false);
    return { run: source, after: page ?? { hash: -1, link: 0, position: 0 } };
  }

  async function read(hungry: readonly number[]): Promise<void> {
    const from = hungry.map((index) => places[index] as (typeof places)[number]);
    const pages = await readPages(db, from, shape.pagesPerRead);
    for (const index of hungry) {
      const place = places[index] as (typeof places)[number];
      const own = pages.filter((page) => page.run === place.run);
      merge.feed(
        index,
        own.map(({ records }) => records),
        own.length < shape.pagesPerRead,
      );
      place.after = own.at(-1) ?? place.after;
    }
  }

  return {
    async goOn(writes) {
      while (!merge.isOver && merge.full < shape.pagesPerWrite) {
        const hungry = merge.hungry();
        if (hungry.length > 0) await read(hungry);
        merge.merge(shape.pagesPerWrite);
      }
      const pages = merge.take();
      const end = merge.isOver ? writes.finishRun(run, sources) : [];
      await database.runBatch([...writes.addPages(run, written, pages), ...end]);
      written += pages.pages.length;
      return merge.isOver;
    },
  };
}

async function lastRecord({ db }: Database, run: number): Promise<RecordKey | undefined> {
  const page = await readLastPage(db, run);
  return page && keyAt(viewOf(page.records), page.records.byteLength - recordBytes);
}

/** Keeps the index a few seconds behind the chain. */
export function createAuditIndexer(
  database: Database,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
): Worker {
  return {
    name: 'audit-index',
    async run(signal) {
      const indexing = createIndexing(database);
      while (!signal.aborted) {
        try {
          while (!signal.aborted && (await workOnce(indexing, () => wait(pauseMs, signal))));
        } catch (error) {
          if (!isUnavailable(error)) throw error;
        }
        await wait(everyMs, signal);
      }
    },
  };
}

/** @returns whether more is to be done */
async function workOnce(indexing: Indexing, pause: () => Promise<void>): Promise<boolean> {
  const isAdded = await indexing.addRun();
  if (isAdded) await pause();
  for (let step = 0; step < stepsPerRun; step += 1) {
    if (!(await indexing.tendRuns())) return isAdded;
    await pause();
  }
  return true;
}
