import type { Ground } from '../../audit/ground.ts';
import type { Worker } from '../../runtime/supervisor.ts';
import { toVerdict } from '../state/stored-delivery.ts';
import type { Deliveries } from './apply-receipt.ts';
import { findAdoptable, findEnded, removingOrphans } from './delivery-store.ts';

export interface GraceWorkerNeeds extends Pick<Ground, 'database' | 'clock' | 'wait'> {
  readonly deliveries: Pick<Deliveries, 'apply'>;
}

const roundMs = 5_000;
const perRound = 1_000;
/** Longer than any transaction, and than clocks of nodes differ. */
const besideMs = 10 * 60_000;

/**
 * Ends messages whose validity and grace have passed, and applies receipts that were committed beside the submit answer
 * that they belong to. Several nodes may do it at once: an event that comes twice changes nothing.
 */
export function createGraceWorker(needs: GraceWorkerNeeds): Worker {
  return {
    name: 'message-grace',
    async run(signal) {
      // All of them once; after that only those beside which an answer may still be committed.
      let receivedSince = 0;
      while (!signal.aborted) {
        const lookedAt = needs.clock.now();
        const isMore = await endOpenMessages(needs, receivedSince);
        if (isMore) continue;
        receivedSince = lookedAt - besideMs;
        await needs.wait(roundMs, signal);
      }
    },
  };
}

/**
 * One round.
 * @param receivedSince receipts before it are not looked at, epoch milliseconds
 * @returns whether there may be more to do at once
 */
export async function endOpenMessages(
  { database, deliveries, clock }: GraceWorkerNeeds,
  receivedSince = 0,
): Promise<boolean> {
  const adoptable = await findAdoptable(database.db, receivedSince, perRound);
  await Promise.all(
    adoptable.map((row) =>
      deliveries.apply({
        kind: 'receipt',
        carrierId: row.carrier_id,
        carrierMessageId: row.carrier_message_id,
        verdict: toVerdict(row.status, row.memo),
      }),
    ),
  );
  for (const query of removingOrphans(database, adoptable)) await database.db.executeQuery(query);
  const ended = await findEnded(database.db, clock.now(), perRound);
  await Promise.all(ended.map((message) => deliveries.apply({ kind: 'grace-over', message })));
  return adoptable.length === perRound || ended.length === perRound;
}
