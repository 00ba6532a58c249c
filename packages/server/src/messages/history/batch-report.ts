import type { BatchReportSuccess, MessageReport, PushState } from '@waxwing/contract/messaging-api.ts';
import type { Db } from '../../database/database.ts';
import type { MessageRow } from '../../database/schema/message-tables.ts';
import type { Outbox } from '../../push/outbox/outbox.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { messageState } from '../state/message-state.ts';
import { findBatch, findMessagesOf } from '../state/message-store.ts';
import { toDelivery, toVerdict } from '../state/stored-delivery.ts';

export type ReadPushStates = Outbox['readStates'];

const idForm = /^[0-9a-f-]{36}$/;

/**
 * What became of a batch.
 * @throws Problem `not_found` also for a batch of another organization
 */
export async function reportBatch(
  db: Db,
  readPushStates: ReadPushStates,
  organizationId: string,
  batchId: string,
): Promise<BatchReportSuccess['data']> {
  // Only ids of our form are looked up: another text may hold what no database can store.
  const batch = idForm.test(batchId) ? await findBatch(db, organizationId, batchId) : undefined;
  if (batch === undefined) {
    throw new Problem('not_found', { field: 'batch_id', detail: `There is no batch ${batchId}.` });
  }
  const rows = await findMessagesOf(db, batch);
  const pushIds = rows.flatMap(({ push_id }) => (push_id === null ? [] : [push_id]));
  const pushes = await readPushStates(organizationId, pushIds);
  return {
    batch_id: batch.id,
    accepted_at: toRfc3339(batch.accepted_at),
    messages: rows.map((row) => toReport(row, pushes)),
  };
}

/** One message as its customer sees it. */
export function toReport(row: MessageRow, pushes: ReadonlyMap<string, PushState>): MessageReport {
  const push = row.push_id === null ? 'off' : pushes.get(row.push_id);
  return {
    mobile: row.mobile,
    state: messageState(toDelivery(row)),
    ...(row.status !== null && toVerdict(row.status, row.memo)),
    segments: row.segments,
    simulated: row.simulated === 1,
    ...(row.status !== null && push !== undefined && { push }),
    accepted_at: toRfc3339(row.accepted_at),
    ...(row.sent_at !== null && { sent_at: toRfc3339(row.sent_at) }),
    ...(row.settled_at !== null && { settled_at: toRfc3339(row.settled_at) }),
  };
}
