import type { CarrierMessageRow, MessageRow } from '../../database/schema/message-tables.ts';
import { advance, type DeliveryEvent, messageState, type Verdict } from '../state/message-state.ts';
import { type MessageRef, messageId, type PartEvent, type PartRef } from '../state/part-event.ts';
import { toColumns, toDelivery } from '../state/stored-delivery.ts';

/** What happens to a known message: an event with the part that it is about. */
export type LocatedEvent =
  | Extract<PartEvent, { kind: 'taken' | 'taken-perhaps' | 'ended' | 'grace-over' }>
  | { readonly kind: 'verdict'; readonly part: PartRef; readonly verdict: Verdict };

/** What a group of events makes of the messages that it is about. */
export interface DeliveryPlan {
  /** Messages that are not what they were. */
  readonly changed: readonly MessageRow[];
  /** Those of them that have got their final status by it: each once. */
  readonly settled: readonly (MessageRow & { readonly verdict: Verdict })[];
  readonly contradictions: readonly { readonly ref: MessageRef; readonly held: Verdict; readonly came: Verdict }[];
}

/**
 * Applies events in their order. Events of a message that is not in `rows`, because retention has removed it, change
 * nothing.
 * @param now epoch milliseconds
 */
export function planDeliveries(
  rows: readonly MessageRow[],
  events: readonly LocatedEvent[],
  now: number,
): DeliveryPlan {
  const messages = new Map(rows.map((row) => [messageId(refOf(row)), row]));
  const changed = new Map<string, MessageRow>();
  const settled: (MessageRow & { verdict: Verdict })[] = [];
  const contradictions: DeliveryPlan['contradictions'][number][] = [];
  for (const event of events) {
    const ref = event.kind === 'grace-over' ? event.message : event.part;
    const id = messageId(ref);
    const row = changed.get(id) ?? messages.get(id);
    if (row === undefined) continue;
    const step = advance(toDelivery(row), toDeliveryEvent(event));
    if (step.contradiction !== undefined) contradictions.push({ ref, ...step.contradiction });
    const next = { ...withCarrier(row, event), ...toColumns(step.delivery) };
    if (messageState(step.delivery) === 'sent') next.sent_at ??= now;
    if (step.settled) next.settled_at = now;
    if (!isSame(row, next)) changed.set(id, next);
    if (step.settled && step.delivery.verdict !== undefined) settled.push({ ...next, verdict: step.delivery.verdict });
  }
  return { changed: [...changed.values()], settled, contradictions };
}

export function refOf(
  row: Pick<MessageRow | CarrierMessageRow, 'organization_id' | 'batch_id' | 'position'>,
): MessageRef {
  return { organizationId: row.organization_id, batchId: row.batch_id, position: row.position };
}

function toDeliveryEvent(event: LocatedEvent): DeliveryEvent {
  switch (event.kind) {
    case 'taken':
    case 'taken-perhaps':
      return { kind: 'submitted', part: event.part.part };
    case 'ended':
    case 'verdict':
      return { kind: 'verdict', part: event.part.part, verdict: event.verdict };
    case 'grace-over':
      return { kind: 'grace-over' };
  }
}

/**
 * Of several carriers that took or refused parts the latest is named. A message of which the simulator took one part stays marked:
 * as a whole it was not sent.
 */
function withCarrier(row: MessageRow, event: LocatedEvent): MessageRow {
  const carrier = event.kind === 'ended' ? event.refusedBy : 'carrierId' in event ? event : undefined;
  if (carrier === undefined) return { ...row };
  const wasSimulated = row.carrier_id !== null && row.simulated === 1;
  const endsAt = event.kind === 'taken-perhaps' ? event.endsAt : undefined;
  return {
    ...row,
    carrier_id: carrier.carrierId,
    simulated: wasSimulated || carrier.simulated ? 1 : 0,
    ends_at: Math.min(row.ends_at, endsAt ?? row.ends_at),
  };
}

function isSame(a: MessageRow, b: MessageRow): boolean {
  return (
    a.parts === b.parts &&
    a.status === b.status &&
    a.carrier_id === b.carrier_id &&
    a.simulated === b.simulated &&
    a.sent_at === b.sent_at &&
    a.ends_at === b.ends_at
  );
}
