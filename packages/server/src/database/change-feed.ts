import { ageOf, type Clock, longAgo, type Moment, momentOf } from '../runtime/clock.ts';
import { repeatingWorker, type Worker } from '../runtime/supervisor.ts';
import {
  type Change,
  type ChangedKind,
  type ChangePosition,
  forgetChanges,
  isSamePosition,
  noteChanges,
  readChanges,
  readPosition,
} from './change-log.ts';
import { type Database, type Db, unlessUnavailable } from './database.ts';
import type { DatabaseOutage } from './database-outage.ts';

/** Notes a change. @param organizationId whose it is: its members' event streams tell of it */
export type Note = (kind: ChangedKind, subjectId: string, organizationId?: string) => void;

/**
 * Keeps the memory of every server true. A change is noted in the changing transaction, which also raises a counter.
 * Every server reads the counter several times a second and tells its listeners what to forget.
 */
export interface ChangeFeed {
  /**
   * A transaction that changes something servers keep in memory. What `note` is told goes into the same transaction;
   * when the promise resolves, this server's own listeners have forgotten it.
   */
  write<T>(work: (trx: Db, note: Note) => Promise<T>): Promise<T>;
  /** `undefined` means: forget everything. */
  listen(listener: (changes: readonly Change[] | undefined) => void): void;
  /** Asks the database now. Callers at the same time share one question. */
  sync(): Promise<void>;
  /**
   * Whether the memory of the listeners was proven true within the last `maxAgeMs`. A sleep of the machine counts as
   * time.
   */
  isProven(maxAgeMs: number): boolean;
  /** When what listeners hold was last proven true. */
  provenAt(): Moment;
  /** The revision up to which listeners have heard of all changes; 0 where nothing is known. */
  revision(): number;
  readonly worker: Worker;
}

/** Half of what the contract allows, so that one slow answer does not break the promise. */
const pollMs = 250;
const housekeepingMs = 60_000;
const keepNotesMs = 10 * 60_000;

export interface ChangeFeedOptions {
  /** Answers the question whether anything has changed: `OpenedDatabase.prompt`. The database's other connections when left out. */
  readonly prompt?: Db;
  readonly outage?: DatabaseOutage;
}

export function createChangeFeed(
  database: Database,
  clock: Clock,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
  { prompt = database.db, outage }: ChangeFeedOptions = {},
): ChangeFeed {
  const listeners: ((changes: readonly Change[] | undefined) => void)[] = [];
  let reached: ChangePosition | undefined;
  let reachedAt = longAgo;
  let provenAt = longAgo;
  let asking: Promise<void> | undefined;
  let cleanedAt = clock.monotonic();

  async function ask(): Promise<void> {
    // Proven as of the moment before the question left: what changes while it travels is not covered.
    const askedAt = momentOf(clock);
    const current = await readPosition(prompt);
    // Where notes may have been removed since, nothing tells this course of changes from another any more.
    if (ageOf(reachedAt, clock) > keepNotesMs / 2) reached = undefined;
    if (reached === undefined || !isSamePosition(reached, current)) {
      const changes = reached === undefined ? undefined : await readChanges(prompt, reached, current.revision);
      for (const listener of listeners) listener(changes);
      // Last: had a listener failed, the next question would tell all of them again.
      reached = current;
    }
    reachedAt = askedAt;
    provenAt = askedAt;
  }

  async function sync(): Promise<void> {
    // A question under way may have been answered before the caller's change: wait for it, then ask anew, once for
    // all who came in between.
    if (asking !== undefined) await asking.catch(() => {});
    asking ??= ask()
      .then(outage?.ended, (error: unknown) => {
        outage?.met(error);
        throw error;
      })
      .finally(() => {
        asking = undefined;
      });
    await asking;
  }

  async function look(): Promise<void> {
    await sync();
    if (clock.monotonic() - cleanedAt <= housekeepingMs) return;
    cleanedAt = clock.monotonic();
    await forgetChanges(database.db, clock.now() - keepNotesMs);
  }

  return {
    async write(work) {
      const result = await database.transaction(async (trx) => {
        const changes: Change[] = [];
        const value = await work(trx, (kind, subjectId, organizationId) => {
          changes.push({ kind, subjectId, organizationId });
        });
        await noteChanges(trx, changes, clock.now());
        return value;
      });
      // The change is committed: it must not look failed because this question did. Until the next answer nothing
      // in memory counts as proven.
      await sync().catch(() => {
        provenAt = longAgo;
      });
      return result;
    },
    listen: (listener) => {
      listeners.push(listener);
    },
    sync,
    provenAt: () => provenAt,
    revision: () => reached?.revision ?? 0,
    isProven: (maxAgeMs) => ageOf(provenAt, clock) <= maxAgeMs,
    // An outage shows in isProven and so in the readiness probe.
    worker: repeatingWorker('change-feed', pollMs, wait, async () => {
      await unlessUnavailable(look());
    }),
  };
}
