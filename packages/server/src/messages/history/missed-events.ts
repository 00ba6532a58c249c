import type { Database, Db } from '../../database/database.ts';
import type { MessageEventRow } from '../../database/schema/message-tables.ts';
import type { Enqueued, MissedEvents, MissedStep, Outbox } from '../../push/outbox/outbox.ts';
import { findEventCounter } from '../state/event-log.ts';
import { replyParameters, statusParameters } from '../state/pushed-parameters.ts';
import { toVerdict } from '../state/stored-delivery.ts';
import {
  findFirstEventSince,
  findingMissedReplies,
  findingMissedStatuses,
  listEventsIn,
  lockMissedStatuses,
  setPushesOfMessages,
  setPushesOfReplies,
} from './missed-event-store.ts';

interface Needs {
  readonly database: Database;
  readonly outbox: Pick<Outbox, 'enqueue'>;
}

/** The events of one range of numbers, and what became of them. */
interface Queued {
  /** The numbers of what was found. */
  readonly numbers: readonly number[];
  readonly results: readonly Enqueued[];
  readonly committed: () => void;
}

/** Where most events have a push, so many are passed over at a time, by one look into two keys for each. */
const eventsPerStep = 2_000;
/** Clocks of several nodes differ a little, so times are not quite in the order of the numbers. */
const clockSkewMs = 60_000;

/**
 * Finds missed events in the event log, which holds every final status and reply in one order. It reaches as far back
 * as events are kept. Nothing is written for it before somebody asks.
 */
export function createMissedEvents(needs: Needs): MissedEvents {
  return {
    markBefore: (organizationId, since) => findFirstEventSince(needs.database.db, organizationId, since - clockSkewMs),

    async enqueue(trx, question): Promise<MissedStep> {
      const { organizationId, kind, since, after, limit } = question;
      const { value, forgotten } = await findEventCounter(trx, organizationId);
      const from = Math.max(after, forgotten);
      const to = Math.min(from + eventsPerStep, value);
      const isStatus = kind === 'status';
      const range = { organizationId, kind: isStatus ? 'status' : 'reply', from, to, since } as const;
      const queue = isStatus ? queueStatuses : queueReplies;
      const { numbers, results, committed } = await queue(needs, trx, await listEventsIn(trx, range), limit);
      // Switched off again meanwhile, and nothing was queued: all of it stays missed.
      if (results.some(({ state }) => state === 'off')) return { after, queued: 0, isLast: false, committed };
      const reached = numbers.length === limit ? (numbers.at(-1) ?? to) : to;
      return { after: reached, queued: results.length, isLast: reached >= value, committed };
    },
  };
}

async function queueStatuses(
  { database, outbox }: Needs,
  trx: Db,
  events: readonly MessageEventRow[],
  limit: number,
): Promise<Queued> {
  const { rows: found } = await findingMissedStatuses(database, events, limit).execute(trx);
  const missed = await lockMissedStatuses(database, trx, found);
  const { results, committed } = await outbox.enqueue(
    trx,
    missed.map(({ organization_id: organizationId, batch_id, mobile, status, memo }) => {
      return { organizationId, kind: 'status', query: statusParameters(batch_id, mobile, toVerdict(status, memo)) };
    }),
  );
  const pushIds = results.flatMap(idOf);
  if (pushIds.length > 0) await setPushesOfMessages(database, trx, missed, pushIds);
  return { numbers: found.map(({ number }) => number), results, committed };
}

async function queueReplies(
  { database, outbox }: Needs,
  trx: Db,
  events: readonly MessageEventRow[],
  limit: number,
): Promise<Queued> {
  const { rows: missed } = await findingMissedReplies(database, events, limit).execute(trx);
  const { results, committed } = await outbox.enqueue(
    trx,
    missed.map(({ organization_id: organizationId, sender, content }) => {
      return { organizationId, kind: 'uplink', query: replyParameters(sender, content) };
    }),
  );
  const pushIds = results.flatMap(idOf);
  if (pushIds.length > 0) await setPushesOfReplies(database, trx, missed, pushIds);
  return { numbers: missed.map(({ number }) => number), results, committed };
}

/** Events of one organization and kind are queued all or none: one setting decides. */
function idOf(result: Enqueued): string[] {
  return result.state === 'queued' ? [result.pushId] : [];
}
