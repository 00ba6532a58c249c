import type { Database } from '../database/database.ts';
import type { Clock } from '../runtime/clock.ts';
import { repeatingWorker, type Worker } from '../runtime/supervisor.ts';
import { deleteSessionsThatEnded, forgetFamiliarDevices } from './sessions/session-store.ts';
import { familiarMs } from './sign-in/sign-in.ts';
import { forgetChallenges } from './store/challenge-store.ts';
import { forgetLinks } from './store/link-store.ts';
import { forgetGuesses } from './store/sign-in-limit-store.ts';

const pauseMs = 10 * 60_000;

/** Removes expired rows. They count no more, and only take room. */
export function createAccountHousekeeping(
  database: Database,
  clock: Pick<Clock, 'now'>,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
): Worker {
  return repeatingWorker('account-housekeeping', pauseMs, wait, () => forgetEnded(database, clock.now()));
}

/** @param now epoch milliseconds */
export async function forgetEnded({ db }: Pick<Database, 'db'>, now: number): Promise<void> {
  await deleteSessionsThatEnded(db, now);
  await forgetChallenges(db, now);
  await forgetLinks(db, now);
  await forgetGuesses(db, now);
  await forgetFamiliarDevices(db, now - familiarMs);
}
