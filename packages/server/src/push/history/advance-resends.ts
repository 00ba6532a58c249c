import { type Database, isUnavailable } from '../../database/database.ts';
import type { LimitedLog } from '../../runtime/rate-limited-log.ts';
import type { MissedEvents } from '../outbox/outbox.ts';
import {
  advanceResend,
  listResends,
  lockResend,
  moveMissedMark,
  type ResendUnderWay,
  readUndelivered,
} from './resend-store.ts';

interface Needs {
  readonly database: Database;
  readonly missed: MissedEvents;
  readonly log: LimitedLog;
}

/**
 * Moves the re-sends of these shards on: at most `limit` pushes of each setting, however many are asked for, so that a
 * receiver that is back meets a stream and not a flood. One that fails is logged and tried again with the next call; it
 * stops neither the others nor those who push.
 * @throws DatabaseUnavailable
 */
export async function advanceResends(
  needs: Needs,
  shards: readonly number[],
  limit: number,
  at: number,
): Promise<void> {
  const served = new Set<string>();
  for (const resend of await listResends(needs.database.db, shards)) {
    // One after the other for one setting: together they would exceed its rate.
    if (served.has(resend.setting_id)) continue;
    served.add(resend.setting_id);
    try {
      await advance(needs, resend, limit, at);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      needs.log.error({ resend: resend.id, setting: resend.setting_id, err: error }, 'pushes cannot be sent again');
    }
  }
}

/** First the pushes that have ended, then the events that were never queued. */
async function advance(needs: Needs, resend: ResendUnderWay, limit: number, at: number): Promise<void> {
  const ids = await readUndelivered(needs.database.db, resend, limit);
  if (ids.length === 0 && resend.missed_after !== null) await queueMissed(needs, resend, limit);
  else await advanceResend(needs.database, resend, ids, ids.length < limit && resend.missed_after === null, at);
}

async function queueMissed({ database, missed }: Needs, resend: ResendUnderWay, limit: number): Promise<void> {
  const committed = await database.transaction(async (trx) => {
    const { organization_id: organizationId, kind } = resend;
    const after = (await lockResend(database, trx, resend))?.missed_after;
    // Another server was faster.
    if (after == null) return;
    const step = await missed.enqueue(trx, { organizationId, kind, since: resend.missed_since ?? 0, after, limit });
    await moveMissedMark(trx, resend, step);
    return step.committed;
  });
  committed?.();
}
