/**
 * The states of a message. A message is one or more parts (segments), each of which a carrier takes and settles by
 * itself:
 *
 *     part      queued ── submitted ──▶ sent ── verdict ──▶ final
 *                  └─────────── verdict ──────────────────────┘     (refused, or its receipt overtook the submit answer)
 *     message   queued ── all parts sent or final ──▶ sent ── all parts final, or the grace over ──▶ settled
 *
 * A message gets exactly one verdict, once. What contradicts it later changes nothing and is reported, to be logged.
 */
import type { MessageState } from '@waxwing/contract/messaging-api.ts';
import { NO_REASON } from '@waxwing/contract/push-request.ts';

/** A final status; the memo is never empty. */
export type Verdict =
  | { readonly status: 'DELIVRD' }
  | { readonly status: 'UNDELIV' }
  | { readonly status: 'REJECTED'; readonly memo: string };

export type PartState = 'queued' | 'sent' | Verdict;

export interface Delivery {
  readonly parts: readonly PartState[];
  /** Undefined until settled. */
  readonly verdict: Verdict | undefined;
}

export type DeliveryEvent =
  /** A carrier took the part. */
  | { readonly kind: 'submitted'; readonly part: number }
  /** A carrier settled the part, by a receipt or by refusing it. */
  | { readonly kind: 'verdict'; readonly part: number; readonly verdict: Verdict }
  /** Validity and grace have passed: no receipt that is still missing is waited for. */
  | { readonly kind: 'grace-over' };

export interface Step {
  readonly delivery: Delivery;
  /** This event settled the message: its one status push is due. */
  readonly settled: boolean;
  /** A verdict that came too late to count and says something else than the one that holds. */
  readonly contradiction?: { readonly held: Verdict; readonly came: Verdict };
}

export const delivered: Verdict = { status: 'DELIVRD' };
export const undelivered: Verdict = { status: 'UNDELIV' };

/** Longer reasons are cut: the memo travels in a URL. */
const longestMemo = 200;

/** @param reason from us or a carrier, in any state: control characters and surrounding blanks are dropped */
export function rejected(reason: string): Verdict {
  const memo = reason
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return { status: 'REJECTED', memo: [...memo].slice(0, longestMemo).join('') || NO_REASON };
}

export function newDelivery(segments: number): Delivery {
  return { parts: Array.from({ length: segments }, () => 'queued' as const), verdict: undefined };
}

export function messageState({ parts, verdict }: Delivery): MessageState {
  if (verdict !== undefined) return 'settled';
  return parts.includes('queued') ? 'queued' : 'sent';
}

/** @throws RangeError when the event names a part that the message does not have. */
export function advance(delivery: Delivery, event: DeliveryEvent): Step {
  switch (event.kind) {
    case 'submitted': {
      const isNews = partAt(delivery, event.part) === 'queued';
      return { delivery: isNews ? withPart(delivery, event.part, 'sent') : delivery, settled: false };
    }
    case 'verdict':
      return takeVerdict(delivery, event.part, event.verdict);
    case 'grace-over':
      return settle({ ...delivery, parts: delivery.parts.map((part) => (isFinal(part) ? part : undelivered)) });
  }
}

function takeVerdict(delivery: Delivery, index: number, came: Verdict): Step {
  const part = partAt(delivery, index);
  if (isFinal(part)) return { delivery, settled: false, ...contradiction(part, came) };
  const next = withPart(delivery, index, came);
  if (delivery.verdict === undefined) return settle(next);
  return { delivery: next, settled: false, ...contradiction(delivery.verdict, came) };
}

function settle(delivery: Delivery): Step {
  const verdict = delivery.verdict === undefined ? verdictOf(delivery.parts) : undefined;
  return verdict === undefined ? { delivery, settled: false } : { delivery: { ...delivery, verdict }, settled: true };
}

/** Undefined while a part is open. Else DELIVRD when all are, REJECTED (the first reason) before UNDELIV. */
function verdictOf(parts: readonly PartState[]): Verdict | undefined {
  const verdicts = parts.filter(isFinal);
  if (verdicts.length < parts.length) return undefined;
  const refusal = verdicts.find(({ status }) => status === 'REJECTED');
  return refusal ?? (verdicts.every(({ status }) => status === 'DELIVRD') ? delivered : undelivered);
}

/** Two refusals differing in their reasons agree: the status is the same. */
function contradiction(held: Verdict, came: Verdict): Pick<Step, 'contradiction'> {
  return held.status === came.status ? {} : { contradiction: { held, came } };
}

function isFinal(part: PartState): part is Verdict {
  return typeof part === 'object';
}

function partAt(delivery: Delivery, index: number): PartState {
  const part = delivery.parts[index];
  if (part === undefined) throw new RangeError(`the message has no part ${index}`);
  return part;
}

function withPart(delivery: Delivery, index: number, part: PartState): Delivery {
  return { ...delivery, parts: delivery.parts.with(index, part) };
}
