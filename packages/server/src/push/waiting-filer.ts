/**
 * Files waiting pushes: gives them a place among those of their setting, by which they are found. Nearly every push is
 * delivered from memory a moment after its commit and needs no such place, and to keep one would cost the writer two
 * pages of an index for each setting in a commit. So a push begins unfiled. It is filed
 *
 * - when the lane that is offered it has no room, or lets go of it;
 * - with its first retry, by the same statement;
 * - by the next look of its shard's holder, once a second, when that does not know it: another server committed it, or a
 *   server that died, or its committer could not say so;
 * - by such a look, when it has been in memory for seconds: so that few are unfiled, and a look stays short.
 *
 * Nothing in memory and no clock is needed to find what is unfiled: a partial index holds it, whenever it was committed
 * and whatever its id.
 */
import { type Database, isUnavailable } from '../database/connect.ts';
import { createBatcher } from '../runtime/batcher.ts';
import { filePushes, readUnfiled, type UnfiledPush } from './unfiled-store.ts';

export interface WaitingFiler {
  /** Files a push soon. Should that fail, the next look files it. */
  file(id: string): void;
  /** Resolves when those given before are filed, or left to the next look. */
  drain(): Promise<void>;
  /**
   * Files what is unfiled in these shards and must not be, some thousands at most: the rest with the next call.
   * @param isKnown whether this server has it in memory
   * @throws DatabaseUnavailable
   */
  look(shards: ReadonlySet<number>, isKnown: (settingId: string, id: string) => boolean, now: number): Promise<void>;
}

interface Needs {
  readonly database: Database;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The writer is kept for a few milliseconds. */
const filedPerCommit = 500;
const filesWaiting = 10_000;
/** Lanes have enough in memory for so long. */
const gatherMs = 10;
/** A look takes a tenth of a second at most. */
const filedPerLook = 5_000;
/** Nearly all are delivered by then. */
const unfiledMs = 5_000;

export function createWaitingFiler({ database, wait }: Needs): WaitingFiler {
  const batcher = createBatcher<string, void>({
    maxGroup: filedPerCommit,
    maxWaiting: filesWaiting,
    isOutage: isUnavailable,
    gather: async () => {
      if (batcher.waiting < filedPerCommit) await wait(gatherMs, never);
    },
    async commit(ids) {
      await filePushes(database, ids);
      return new Array<void>(ids.length);
    },
  });

  return {
    file(id) {
      batcher.offer(id).catch(leftToTheNextLook);
    },
    drain: () => batcher.drain(),
    async look(shards, isKnown, now) {
      let filed = 0;
      let after: string | undefined = shards.size === 0 ? undefined : '';
      while (after !== undefined && filed < filedPerLook) {
        const pushes: readonly UnfiledPush[] = await readUnfiled(database.db, after, filedPerCommit);
        const due = pushes.filter(
          (push) => shards.has(push.shard) && (isOld(push, now) || !isKnown(push.setting_id, push.id)),
        );
        if (due.length > 0)
          await filePushes(
            database,
            due.map(({ id }) => id),
          );
        filed += due.length;
        after = pushes.length < filedPerCommit ? undefined : pushes.at(-1)?.id;
      }
    },
  };
}

/** Or from a clock that was ahead: it would seem young for as long. */
function isOld({ queued_at }: UnfiledPush, now: number): boolean {
  return Math.abs(now - queued_at) >= unfiledMs;
}

function leftToTheNextLook(): void {}

const never = new AbortController().signal;
