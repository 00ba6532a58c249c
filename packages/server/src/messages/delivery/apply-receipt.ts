/**
 * The door through which carriers tell what becomes of messages. Everything that happens to a part, submit answers and
 * receipts alike, goes through one queue, so that an answer is known before the receipt that follows it, and both share a
 * commit.
 */
import type { CompiledQuery } from 'kysely';
import type { Ground } from '../../audit/ground.ts';
import { type Database, isUnavailable } from '../../database/database.ts';
import type { CarrierMessageRow, MessageRow, OrphanReceiptRow } from '../../database/schema/message-tables.ts';
import type { EnqueueQuery, Outbox, PushEvent } from '../../push/outbox/outbox.ts';
import { createBatcher } from '../../runtime/batcher.ts';
import { never } from '../../runtime/wait.ts';
import { appendingEvents, type NewMessageEvent } from '../state/event-log.ts';
import { type MessageRef, messageId, type PartEvent, type PartRef } from '../state/part-event.ts';
import { statusParameters } from '../state/pushed-parameters.ts';
import { toVerdict } from '../state/stored-delivery.ts';
import { type DeliveryPlan, type LocatedEvent, planDeliveries, refOf } from './delivery-plan.ts';
import {
  deletingParts,
  deletingPartsOf,
  explainingMoves,
  findingCarrierMessages,
  findingOrphans,
  keepingOrphans,
  lockingMessages,
  postponingParts,
  rememberingCarrierMessages,
  removingOrphans,
  updatingMessages,
} from './delivery-store.ts';

export type { PartEvent, PartRef } from '../state/part-event.ts';

export interface Deliveries {
  /**
   * Resolves once the event is durable with all that follows from it: the final status, its event and its push. An event
   * that comes again changes nothing.
   * @throws DatabaseUnavailable; BatcherFull when too many wait already
   */
  apply(event: PartEvent): Promise<void>;
  /** Resolves when everything applied before is settled. */
  drain(): Promise<void>;
}

export interface DeliveriesNeeds extends Pick<Ground, 'database' | 'clock' | 'wait'> {
  readonly outbox: Pick<Outbox, 'enqueueQuery'>;
  /** Hears of what contradicts a final status. No phone numbers. */
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
  readonly onSettled?: (status: NonNullable<MessageRow['status']>, count: number) => void;
}

const eventsPerCommit = 500;
const eventsWaiting = 20_000;
/** After a group of this size, the next group waits for as long as more events come. This saves the writer work. */
const manyEvents = 24;
/** So many fill a group. */
const enoughEvents = eventsPerCommit / 2;
const gatherStepMs = 3;
const gatherSteps = 5;

export function createDeliveries(needs: DeliveriesNeeds): Deliveries {
  let former = 0;
  const batcher = createBatcher<PartEvent, void>({
    maxGroup: eventsPerCommit,
    maxWaiting: eventsWaiting,
    isOutage: isUnavailable,
    async gather() {
      if (former >= manyEvents) await gatherEvents(() => batcher.waiting, needs.wait);
    },
    async commit(events) {
      former = events.length;
      await applyEvents(needs, events);
      return new Array<void>(events.length);
    },
  });
  return { apply: (event) => batcher.offer(event), drain: () => batcher.drain() };
}

/**
 * Waits as long as more events come. It ends with the first step in which none came: a carrier that sends no more before it
 * is answered waits itself then.
 */
export async function gatherEvents(waiting: () => number, wait: DeliveriesNeeds['wait']): Promise<void> {
  for (let step = 0; step < gatherSteps; step += 1) {
    const before = waiting();
    if (before >= enoughEvents) return;
    await wait(gatherStepMs, never);
    if (waiting() <= before) return;
  }
}

/** One transaction for a group of events: it reads and locks their messages, and writes the consequences. */
async function applyEvents(needs: DeliveriesNeeds, events: readonly PartEvent[]): Promise<void> {
  const { database, clock, log } = needs;
  const at = clock.now();
  const reads = readsOf(database, events);
  const first = database.lookUp.firstByKeys.map((query): CompiledQuery => query.compile(database.db));
  const queries = [...first, ...reads.known, ...reads.orphans, ...reads.messages];
  let writing: Writing | undefined;
  const results = await database.runBatch(queries, (answers) => {
    const answered = answers.slice(first.length).values();
    const [known, orphans, messages] = [reads.known, reads.orphans, reads.messages].map((asked) =>
      asked.flatMap(() => answered.next().value?.rows ?? []),
    );
    const located = locate(events, known as CarrierMessageRow[], orphans as OrphanReceiptRow[], at);
    writing = writeOf(needs, events, located, planDeliveries(messages as MessageRow[], located.events, at), at);
    return writing.queries;
  });
  if (writing === undefined) return;
  const { plan, enqueued, enqueuedAt } = writing;
  enqueued?.read(results[queries.length + enqueuedAt]).committed();
  for (const { ref, held, came } of plan.contradictions) {
    log.warn(
      { batch: ref.batchId, position: ref.position, held: held.status, came: came.status },
      'a receipt contradicts the final status of its message, which stands',
    );
  }
  report(needs, plan);
}

/** What has to be known of a group of events; each is one query, or none where there is nothing to ask. */
interface Reads {
  readonly known: readonly CompiledQuery[];
  readonly orphans: readonly CompiledQuery[];
  readonly messages: readonly CompiledQuery[];
}

/** The submit answer is in the same group, so the receipt needs no look-up. */
function readsOf(database: Database, events: readonly PartEvent[]): Reads {
  const takings = events.filter((event) => event.kind === 'taken');
  const takenHere = new Set(takings.map(carrierKey));
  const others = events
    .filter((event) => event.kind === 'receipt')
    .filter((event) => !takenHere.has(carrierKey(event)));
  return {
    known: findingCarrierMessages(database, others),
    orphans: findingOrphans(database, takings),
    messages: lockingMessages(database, namedMessages(events), others),
  };
}

/** What a group of events writes. */
interface Writing {
  readonly plan: DeliveryPlan;
  readonly queries: readonly CompiledQuery[];
  /** Undefined when nothing is to be pushed; else its query stands at `enqueuedAt`. */
  readonly enqueued: EnqueueQuery | undefined;
  readonly enqueuedAt: number;
}

function writeOf(
  { database, outbox }: DeliveriesNeeds,
  events: readonly PartEvent[],
  { taken, orphans, adopted }: Located,
  plan: DeliveryPlan,
  at: number,
): Writing {
  const graceOver = events.flatMap((event) => (event.kind === 'grace-over' ? [event.message] : []));
  const postponed = events.filter((event) => event.kind === 'postponed');
  const enqueued = plan.settled.length === 0 ? undefined : outbox.enqueueQuery(plan.settled.map(toPushEvent));
  const pushIds = new Map(plan.settled.map((row, index) => [messageId(refOf(row)), enqueued?.ids[index] ?? null]));
  const changed = plan.changed.map((row) => ({ ...row, newPushId: pushIds.get(messageId(refOf(row))) ?? null }));
  const before = [
    ...deletingParts(database, partsOutOfQueue(events)),
    ...deletingPartsOf(database, graceOver),
    ...postponingParts(database, postponed),
    ...explainingMoves(database, postponed),
    ...rememberingCarrierMessages(database, taken),
    ...keepingOrphans(database, orphans),
    ...removingOrphans(database, adopted),
    ...appendingEvents(database, plan.settled.map(toStatusEvent), at),
  ];
  const push = enqueued === undefined ? [] : [enqueued.query];
  return {
    plan,
    queries: [...before, ...push, ...updatingMessages(database, changed)],
    enqueued,
    enqueuedAt: before.length,
  };
}

/** What is known of a group of events once the database has been asked. */
interface Located {
  readonly events: readonly LocatedEvent[];
  /** What carriers call the parts that they have just taken. */
  readonly taken: readonly CarrierMessageRow[];
  /** Receipts that fit no known message yet. */
  readonly orphans: readonly OrphanReceiptRow[];
  /** Former orphans that belong to what was just taken. */
  readonly adopted: readonly OrphanReceiptRow[];
}

/**
 * The messages that the events are about. A receipt names its message as the carrier does. Submit results of the same
 * group tell it without a look-up, the database tells the rest, and a receipt that fits no message is kept as an
 * orphan. Orphans of messages just taken come last.
 */
function locate(
  events: readonly PartEvent[],
  rows: readonly CarrierMessageRow[],
  adopted: readonly OrphanReceiptRow[],
  at: number,
): Located {
  const takings = events.filter((event) => event.kind === 'taken');
  const known = new Map(rows.map((row): [string, PartRef] => [keyOf(row), toPartRef(row)]));
  // After what was known: a carrier that uses an id again means the newer part.
  for (const taking of takings) known.set(carrierKey(taking), taking.part);

  const located: LocatedEvent[] = [];
  const orphans: OrphanReceiptRow[] = [];
  for (const event of events) {
    if (event.kind === 'postponed') continue;
    if (event.kind !== 'receipt') {
      located.push(event);
      continue;
    }
    const part = known.get(carrierKey(event));
    if (part === undefined) orphans.push(toOrphan(event, at));
    else located.push({ kind: 'verdict', part, verdict: event.verdict });
  }
  for (const row of adopted) {
    const part = known.get(keyOf(row));
    if (part !== undefined) located.push({ kind: 'verdict', part, verdict: toVerdict(row.status, row.memo) });
  }
  const taken = new Map(takings.map((taking) => [carrierKey(taking), toCarrierMessage(taking, at)]));
  return { events: takingsFirst(located), taken: [...taken.values()], orphans, adopted };
}

/** A receipt may stand before the answer that it belongs to; the answer then tells whose the message is all the same. */
function takingsFirst(events: readonly LocatedEvent[]): LocatedEvent[] {
  return [...events.filter(({ kind }) => kind === 'taken'), ...events.filter(({ kind }) => kind !== 'taken')];
}

function toPushEvent({ organization_id, batch_id, mobile, verdict }: DeliveryPlan['settled'][number]): PushEvent {
  return { organizationId: organization_id, kind: 'status', query: statusParameters(batch_id, mobile, verdict) };
}

function partsOutOfQueue(events: readonly PartEvent[]): PartRef[] {
  return events.flatMap((event) =>
    event.kind === 'taken' || event.kind === 'taken-perhaps' || event.kind === 'ended' ? [event.part] : [],
  );
}

/** The messages that events name by batch and position, each once. */
function namedMessages(events: readonly PartEvent[]): MessageRef[] {
  const named = new Map<string, MessageRef>();
  for (const event of events) {
    if (event.kind === 'receipt' || event.kind === 'postponed') continue;
    const ref = event.kind === 'grace-over' ? event.message : event.part;
    named.set(messageId(ref), ref);
  }
  return [...named.values()];
}

function toStatusEvent(row: MessageRow): NewMessageEvent {
  return { organizationId: row.organization_id, kind: 'status', subjectId: row.batch_id, position: row.position };
}

type Taking = Extract<PartEvent, { kind: 'taken' }>;
type ReceiptEvent = Extract<PartEvent, { kind: 'receipt' }>;

function carrierKey({ carrierId, carrierMessageId }: Taking | ReceiptEvent): string {
  return `${carrierId}\0${carrierMessageId}`;
}

function keyOf(row: { carrier_id: string; carrier_message_id: string }): string {
  return `${row.carrier_id}\0${row.carrier_message_id}`;
}

function toPartRef(row: Parameters<typeof refOf>[0] & { part: number }): PartRef {
  return { ...refOf(row), part: row.part };
}

function toCarrierMessage({ carrierId, carrierMessageId, part }: Taking, at: number) {
  return {
    carrier_id: carrierId,
    carrier_message_id: carrierMessageId,
    organization_id: part.organizationId,
    batch_id: part.batchId,
    position: part.position,
    part: part.part,
    sent_at: at,
  };
}

function toOrphan({ carrierId, carrierMessageId, verdict }: ReceiptEvent, at: number): OrphanReceiptRow {
  return {
    carrier_id: carrierId,
    carrier_message_id: carrierMessageId,
    status: verdict.status,
    memo: verdict.status === 'REJECTED' ? verdict.memo : null,
    received_at: at,
  };
}

function report({ onSettled }: DeliveriesNeeds, { settled }: DeliveryPlan): void {
  if (onSettled === undefined) return;
  for (const [status, rows] of Map.groupBy(settled, ({ verdict }) => verdict.status)) onSettled(status, rows.length);
}
