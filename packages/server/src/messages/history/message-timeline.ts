import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type { MessageBatch, MessageTimeline } from '@waxwing/contract/management-api/operations/message-operations.ts';
import type { PushDetails } from '@waxwing/contract/management-api/operations/push-operations.ts';
import { segmentsOf } from '@waxwing/smpp/text.ts';
import type { Db } from '../../database/database.ts';
import type { MessageBatchRow, MessageRow } from '../../database/schema/message-tables.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import type { PartState } from '../state/message-state.ts';
import {
  findBatch,
  findCarrierMessagesOf,
  findMessage,
  findMessagesOf,
  findQueuedPartsOf,
} from '../state/message-store.ts';
import { toDelivery } from '../state/stored-delivery.ts';
import { type ReadPushStates, toReport } from './batch-report.ts';
import { type CarrierNames, carrierName, type ReadCarrierNames } from './carrier-name.ts';

/** A push with its attempts; undefined when it is no longer kept. */
export type ReadPush = (organizationId: string, pushId: string) => Promise<Shown<PushDetails> | undefined>;

export interface TimelineNeeds {
  readonly db: Db;
  readonly readPushStates: ReadPushStates;
  readonly readPush: ReadPush;
  readonly carrierNames: ReadCarrierNames;
}

/** One batch with all of its messages. @throws Problem `not_found` */
export async function showBatch(
  { db, readPushStates, carrierNames }: Omit<TimelineNeeds, 'readPush'>,
  organizationId: string,
  batchId: string,
): Promise<MessageBatch> {
  const batch = (await findBatch(db, organizationId, batchId)) ?? absent();
  const rows = await findMessagesOf(db, batch);
  const pushIds = rows.flatMap(({ push_id }) => (push_id === null ? [] : [push_id]));
  const pushes = await readPushStates(organizationId, pushIds);
  const names = await carrierNames();
  return { ...factsOf(batch), messages: rows.map((row) => toMessage(row, pushes, names)) };
}

/** The way of one message. @throws Problem `not_found` */
export async function showTimeline(
  { db, readPushStates, readPush, carrierNames }: TimelineNeeds,
  organizationId: string,
  batchId: string,
  position: string,
): Promise<Shown<MessageTimeline>> {
  // A position that cannot be is that of no message.
  if (!/^\d{1,4}$/.test(position)) return absent();
  const batch = (await findBatch(db, organizationId, batchId)) ?? absent();
  const row = (await findMessage(db, organizationId, batchId, Number(position))) ?? absent();
  const { push_id: pushId } = row;
  const states = await readPushStates(organizationId, pushId === null ? [] : [pushId]);
  return {
    ...factsOf(batch),
    message: toMessage(row, states, await carrierNames()),
    parts: await readParts(db, batch, row),
    push: (pushId === null ? undefined : await readPush(organizationId, pushId)) ?? null,
  };
}

async function readParts(db: Db, batch: MessageBatchRow, row: MessageRow): Promise<MessageTimeline['parts']> {
  const queued = new Map((await findQueuedPartsOf(db, row)).map((part) => [part.part, part]));
  const taken = new Map((await findCarrierMessagesOf(db, row)).map((part) => [part.part, part]));
  const { parts } = toDelivery(row);
  const { segments } = segmentsOf(batch.content, row.text_cut ?? 'standard');
  return parts.map((state, index) => {
    const waits = queued.get(index);
    const sent = taken.get(index);
    return {
      part: index + 1,
      text: segments[index] ?? '',
      ...shownState(state),
      submits: waits?.attempts ?? 0,
      next_submit_at: waits === undefined ? null : toRfc3339(waits.due_at),
      carrier_message_id: sent?.carrier_message_id ?? null,
      sent_at: sent === undefined ? null : toRfc3339(sent.sent_at),
    };
  });
}

function shownState(state: PartState): Pick<MessageTimeline['parts'][number], 'state' | 'memo'> {
  if (typeof state === 'string') return { state, memo: null };
  return { state: state.status, memo: state.status === 'REJECTED' ? state.memo : null };
}

function factsOf(batch: MessageBatchRow) {
  return {
    batch_id: batch.id,
    organization_id: batch.organization_id,
    messaging_key_id: batch.key_id === '' ? null : batch.key_id,
    content: batch.content,
    sender: batch.sender,
    accepted_at: toRfc3339(batch.accepted_at),
  };
}

function toMessage(row: MessageRow, pushes: Awaited<ReturnType<ReadPushStates>>, names: CarrierNames) {
  const { batch_id, position, number, carrier_reason } = row;
  const carrier = carrierName(row.carrier_id, names);
  return { batch_id, position, number, carrier, carrier_reason, ...toReport(row, pushes) };
}

function absent(): never {
  throw new Problem('not_found');
}
