import type { Ground } from '../../audit/ground.ts';
import type { Database, Db } from '../../database/database.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Worker } from '../../runtime/supervisor.ts';
import { idempotencyMs } from '../send/idempotency.ts';
import { dayOf } from '../send/quota.ts';
import {
  deleteBatches,
  deleteEvents,
  deleteOrphans,
  deleteReferences,
  deleteReplies,
  deleteUsage,
  nextOrganization,
} from './retention-store.ts';

export interface MessageRetentionNeeds extends Pick<Ground, 'database' | 'wait'> {
  readonly clock: Pick<Clock, 'now'>;
  /** How long messages and replies, and how long events are kept, milliseconds. */
  readonly messagesMs: number;
  readonly eventsMs: number;
  /** How long a message may stay open: validity and grace. Nothing younger is ever removed, and nothing that is open. */
  readonly openMs: number;
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

const dayMs = 86_400_000;
const roundMs = 10 * 60_000;
const usageMs = 400 * dayMs;

/** Removes what has been kept long enough, in chunks. Several nodes may do it at once. */
export function createMessageRetention(needs: MessageRetentionNeeds): Worker {
  return {
    name: 'message-retention',
    async run(signal) {
      while (!signal.aborted) {
        await needs.wait(roundMs, signal);
        if (!signal.aborted) await removeOldMessages(needs, signal);
      }
    },
  };
}

/** One round. */
export async function removeOldMessages(needs: MessageRetentionNeeds, signal: AbortSignal): Promise<void> {
  const { database, clock, log } = needs;
  const { db } = database;
  const now = clock.now();
  const openSince = now - needs.openMs - dayMs;
  const messagesBefore = Math.min(now - needs.messagesMs, openSince);
  // An event tells of a message, so it goes first.
  const eventsBefore = Math.max(now - needs.eventsMs, messagesBefore + needs.openMs + dayMs);

  await ofEach(database, 'message_counter', signal, (id) => deleteEvents(database, id, eventsBefore));
  await ofEach(database, 'message_batch', signal, (id) => deleteBatches(database, id, messagesBefore));
  await ofEach(database, 'reply', signal, (id) => deleteReplies(db, id, messagesBefore));
  const references = { sentBefore: openSince, answeredBefore: now - idempotencyMs };
  while (!signal.aborted && (await deleteReferences(db, references)));
  const orphans = await removeOrphans(db, openSince, signal);
  if (orphans > 0) log.warn({ receipts: orphans }, 'receipts were removed that belonged to no message');
  const firstDay = dayOf(now - usageMs);
  await ofEach(database, 'daily_usage', signal, (id) => deleteUsage(db, id, firstDay));
}

async function removeOrphans(db: Db, receivedBefore: number, signal: AbortSignal): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const { removed, isMore } = await deleteOrphans(db, receivedBefore);
    total += removed;
    if (!isMore) break;
  }
  return total;
}

async function ofEach(
  { db }: Database,
  table: Parameters<typeof nextOrganization>[1],
  signal: AbortSignal,
  removeChunk: (organizationId: string) => Promise<boolean>,
): Promise<void> {
  let id = await nextOrganization(db, table, undefined);
  while (id !== undefined && !signal.aborted) {
    while (!signal.aborted && (await removeChunk(id)));
    id = await nextOrganization(db, table, id);
  }
}
