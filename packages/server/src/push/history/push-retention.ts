import type { Ground } from '../../audit/ground.ts';
import type { Database, Db } from '../../database/database.ts';
import { ROTATION_MS } from '../../outbound/signature.ts';
import { type Clock, firstIdAt } from '../../runtime/clock.ts';
import { repeatingWorker, type Worker } from '../../runtime/supervisor.ts';
import { listPushingOrganizations } from '../settings/push-setting-store.ts';
import { forgetOldestMinute } from './minute-store.ts';
import { minuteMs } from './push-figures.ts';

const checkEveryMs = 3_600_000;
/** Figures are shown of the last day. */
const minutesKeptMs = 25 * 3_600_000;
/** Few enough that a push, which waits for the same writer, waits for milliseconds. */
const rowsPerDelete = 500;

interface Needs extends Pick<Ground, 'database' | 'wait'> {
  readonly clock: Pick<Clock, 'now'>;
  /** How long ended pushes and attempts are kept after the push was accepted, ms. */
  readonly keepMs: number;
}

/** Removes what retention has passed: ended pushes, logs of attempts, and secrets that sign no longer. */
export function createPushRetention({ database, clock, keepMs, wait }: Needs): Worker {
  return repeatingWorker('push-retention', checkEveryMs, wait, async (signal) => {
    await forgetOldPushes(database, clock.now() - keepMs, signal);
    await forgetOldSecrets(database.db, clock.now() - ROTATION_MS);
    const oldest = Math.floor((clock.now() - minutesKeptMs) / minuteMs);
    while (!signal.aborted && (await forgetOldestMinute(database.db, oldest)));
  });
}

/**
 * Removes pushes accepted before `before`, in the order of their keys and in chunks. An id begins with its time, so the
 * key alone finds them: no index on times is kept for it. Several servers doing so at once do no harm.
 */
export async function forgetOldPushes(database: Database, before: number, signal: AbortSignal): Promise<void> {
  const oldest = firstIdAt(before);
  for (const organizationId of await listPushingOrganizations(database.db)) {
    while (!signal.aborted && (await deleteEnded(database.db, organizationId, oldest)));
  }
  while (!signal.aborted && (await deleteAttempts(database.db, oldest)));
}

/** @returns whether there may be more */
async function deleteEnded(db: Db, organizationId: string, oldest: string): Promise<boolean> {
  // Up to the last of the next so many, found by the key.
  const { numDeletedRows } = await db
    .deleteFrom('push_history')
    .where('organization_id', '=', organizationId)
    .where('id', '<=', (from) =>
      from
        .selectFrom((chunk) =>
          chunk
            .selectFrom('push_history')
            .select('id')
            .where('organization_id', '=', organizationId)
            .where('id', '<', oldest)
            .orderBy('organization_id')
            .orderBy('id')
            .limit(rowsPerDelete)
            .as('chunk'),
        )
        .select((select) => select.fn.max('chunk.id').as('last')),
    )
    .executeTakeFirst();
  return numDeletedRows >= BigInt(rowsPerDelete);
}

/** @returns whether there may be more */
async function deleteAttempts(db: Db, oldest: string): Promise<boolean> {
  // The end of the chunk is asked for first: PostgreSQL takes what lies before an end that it does not know for a third
  // of the table, and reads all of it for each chunk.
  const chunk = db
    .selectFrom('push_attempt')
    .select('push_id')
    .where('push_id', '<', oldest)
    .orderBy('push_id')
    .limit(rowsPerDelete);
  const last = await db
    .selectFrom(chunk.as('chunk'))
    .select((select) => select.fn.max('chunk.push_id').as('push_id'))
    .executeTakeFirst();
  if (last?.push_id == null) return false;
  const { numDeletedRows } = await db
    .deleteFrom('push_attempt')
    .where('push_id', '<=', last.push_id)
    .executeTakeFirst();
  return numDeletedRows >= BigInt(rowsPerDelete);
}

async function forgetOldSecrets(db: Db, before: number): Promise<void> {
  await db.deleteFrom('push_secret').where('replaced_at', '<', before).execute();
}
