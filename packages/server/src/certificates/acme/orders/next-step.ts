/**
 * The steps of an order. A row says which step comes next and when; the worker acts, and this function decides from
 * what it met.
 *
 *   delegate        wait until the customer has set the CNAME of managed delegation
 *   register        find or make the account
 *   place           write the intent, then ask for the order
 *   find            the answer to `place` is unknown: look for the order; where there is none, wait for an hour
 *   authorizations  read which names are to be proved
 *   present         make the proofs
 *   check           wait until they are visible (DNS-01)
 *   offer           tell the authority that it can look
 *   wait            wait until it has looked
 *   key             make the private key, and keep it before anything is asked for it
 *   finalize        send the request for the certificate
 *   issue           wait for the certificate
 *   store           fetch it, check it, and make it the current version
 *   clean           remove the proofs, after a failure as well
 *   ended
 */
import type { AcmeFailure, AcmeOrder } from '../protocol/acme-port.ts';

export const steps = [
  ...(['delegate', 'register', 'place', 'find', 'authorizations', 'present', 'check', 'offer', 'wait'] as const),
  ...(['key', 'finalize', 'issue', 'store', 'clean', 'ended'] as const),
] as const;
export type Step = (typeof steps)[number];

/** What the decision needs of an order. Times are epoch milliseconds. */
export interface OrderState {
  readonly step: Step;
  /** Attempts at this step that brought it no further. Where the step is polled, only the polls. */
  readonly attempts: number;
  /** When this step began. */
  readonly stepSince: number;
  /** When the authority was about to be asked for the order; null: never. */
  readonly intentAt: number | null;
  /** Null: nothing has failed. */
  readonly failure: string | null;
  /** Its records are proved by DNS-01. */
  readonly byDns: boolean;
  /** A person sets the records. */
  readonly byHand: boolean;
  /** A version is handed out meanwhile. */
  readonly isRenewal: boolean;
}

/** What the worker met in a step. */
export type StepAnswer =
  /** The step is done. */
  | { readonly kind: 'done' }
  /** What is waited for is not there yet. */
  | { readonly kind: 'notYet'; readonly words: string; readonly retryAfterMs: number | null }
  /** The order as the authority has it. */
  | {
      readonly kind: 'order';
      readonly status: AcmeOrder['status'];
      readonly words: string | null;
      readonly retryAfterMs: number | null;
    }
  /** The authority's list of orders has none for these names. */
  | { readonly kind: 'noOrder' }
  /** No account is known. */
  | { readonly kind: 'noAccount' }
  | Pick<AcmeFailure, 'kind' | 'type' | 'words' | 'temporary' | 'retryAfterMs'>;

export type Decision =
  | { readonly kind: 'step'; readonly step: Step; readonly at: number; readonly attempts: number }
  /** The order has failed. Its proofs are removed next. */
  | ({ readonly kind: 'failed'; readonly words: string } & Pick<AcmeFailure, 'type' | 'temporary' | 'retryAfterMs'>);

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** No second order for the same names is placed within this time of the first, unless a person asks for it. */
export const orderSpacingMs = hourMs;

/** How what is waited for is asked after: the first wait, doubling to the longest, for so long in all. */
const polls: Partial<Record<Step, { readonly firstMs: number; readonly mostMs: number; readonly limitMs: number }>> = {
  delegate: { firstMs: 10 * secondMs, mostMs: minuteMs, limitMs: 90 * dayMs },
  check: { firstMs: 2 * secondMs, mostMs: minuteMs, limitMs: hourMs },
  wait: { firstMs: secondMs, mostMs: 30 * secondMs, limitMs: hourMs },
  finalize: { firstMs: secondMs, mostMs: 30 * secondMs, limitMs: hourMs },
  issue: { firstMs: secondMs, mostMs: 30 * secondMs, limitMs: 12 * hourMs },
  store: { firstMs: secondMs, mostMs: minuteMs, limitMs: hourMs },
};
/** Of steps that are not meant to wait. */
const otherPoll = { firstMs: secondMs, mostMs: minuteMs, limitMs: hourMs };
const longestPollMs = 10 * minuteMs;
/** For records that a person sets. */
const byHandLimitMs = 7 * dayMs;
/** The CNAMEs of a renewal were there once. That they are gone has to be told long before the version expires. */
const renewalDelegateLimitMs = hourMs;

/** After attempts that failed, but may succeed later. */
const retryWaitsMs = [5 * secondMs, 15 * secondMs, 45 * secondMs, 2 * minuteMs, 5 * minuteMs] as const;
/** The attempts of an order that is placed for the second time begin here. Those of the first time never come so far. */
const secondTime = 100;
/** In about an hour: no order for the same names comes before that, and a provider may be away for as long. */
const mostCleanAttempts = 15;
/** Who asks for a longer pause has refused the order: the next one, or another authority, comes then. */
const longestRetryMs = 10 * minuteMs;

/** Of each step the one that follows when it is done. */
const following: Readonly<Record<Exclude<Step, 'ended'>, Step>> = {
  delegate: 'register',
  register: 'place',
  place: 'authorizations',
  find: 'authorizations',
  authorizations: 'present',
  present: 'check',
  check: 'offer',
  offer: 'wait',
  wait: 'key',
  key: 'finalize',
  finalize: 'issue',
  issue: 'store',
  store: 'clean',
  clean: 'ended',
};

export function nextStep(order: OrderState, answer: StepAnswer, now: number): Decision {
  if (order.step === 'ended') throw new Error('an order that has ended has no next step');
  switch (answer.kind) {
    case 'done':
      return goTo(following[order.step], now);
    case 'notYet':
      return poll(order, answer.words, answer.retryAfterMs, now);
    case 'order':
      return afterOrder(order, answer, now);
    case 'noOrder':
      return afterSearch(order, now);
    case 'noAccount':
      return goTo('register', now);
    case 'failed':
      return afterFailure(order, answer, now);
  }
}

function goTo(step: Step, at: number): Decision {
  return { kind: 'step', step, at, attempts: 0 };
}

function afterOrder(
  order: OrderState,
  { status, words, retryAfterMs }: Extract<StepAnswer, { kind: 'order' }>,
  now: number,
): Decision {
  switch (status) {
    case 'invalid':
      return failed(words ?? 'The authority gave the order up, and did not say why.');
    case 'valid':
      return goTo('store', now);
    case 'processing':
      return order.step === 'issue' ? poll(order, 'The authority is issuing.', retryAfterMs, now) : goTo('issue', now);
    case 'ready':
      if (order.step === 'finalize') return poll(order, 'The authority has not begun to issue.', retryAfterMs, now);
      return goTo(order.step === 'issue' ? 'finalize' : 'key', now);
    case 'pending':
      return poll(order, 'The order is not ready yet.', retryAfterMs, now);
  }
}

/** The authority lists no such order, or no orders at all. Only the passing of the hour makes sure of it. */
function afterSearch(order: OrderState, now: number): Decision {
  const again = (order.intentAt ?? now) + orderSpacingMs;
  return now >= again ? placeOnceMore(now) : { kind: 'step', step: 'find', at: again, attempts: order.attempts };
}

/** The second time in which nothing is heard of it ends the order: people are told then, and the next authority is asked. */
function placeOnceMore(now: number): Decision {
  return { kind: 'step', step: 'place', at: now, attempts: secondTime };
}

function afterFailure(order: OrderState, answer: Extract<StepAnswer, { kind: 'failed' }>, now: number): Decision {
  const { step, attempts } = order;
  // What cannot be removed stays where it is; the order has ended all the same.
  if (step === 'clean') {
    if (attempts + 1 >= mostCleanAttempts) return goTo('ended', now);
    return { kind: 'step', step, at: now + retryWait(attempts, answer.retryAfterMs), attempts: attempts + 1 };
  }
  // The next order makes the account anew. This one belongs to the account that is gone.
  if (answer.type === 'accountDoesNotExist') return answer;
  // Nobody knows whether it was placed.
  if (step === 'place' && answer.type === null) {
    if (attempts >= secondTime) return answer;
    return { kind: 'step', step: 'find', at: now + retryWaitsMs[0], attempts: 0 };
  }
  if (step === 'find') {
    const again = (order.intentAt ?? now) + orderSpacingMs;
    if (now >= again) return placeOnceMore(now);
    return {
      kind: 'step',
      step,
      at: Math.min(again, now + retryWait(attempts, answer.retryAfterMs)),
      attempts: attempts + 1,
    };
  }
  const isPatient = (answer.retryAfterMs ?? 0) <= longestRetryMs;
  if (!answer.temporary || !isPatient) return answer;
  if (polls[step] !== undefined) return pollAfterFailure(order, answer, now);
  const failures = attempts % secondTime;
  if (failures >= retryWaitsMs.length) return answer;
  return { kind: 'step', step, at: now + retryWait(failures, answer.retryAfterMs), attempts: attempts + 1 };
}

/**
 * What is polled goes on at the authority whether it answers or not, so failures have as long as the polls. They are not
 * counted: the waits grow with the time that the step has taken.
 */
function pollAfterFailure(order: OrderState, answer: Extract<StepAnswer, { kind: 'failed' }>, now: number): Decision {
  const { step, attempts, stepSince } = order;
  const taken = now - stepSince;
  if (taken >= limitOf(order)) return answer;
  const wait = Math.min(Math.max(taken / 4, retryWaitsMs[0]), retryWaitsMs[4]);
  return { kind: 'step', step, at: now + Math.max(Math.round(wait), answer.retryAfterMs ?? 0), attempts };
}

function retryWait(attempts: number, retryAfterMs: number | null): number {
  const wait = retryWaitsMs[Math.min(attempts, retryWaitsMs.length - 1)] ?? retryWaitsMs[0];
  return Math.max(wait, Math.min(retryAfterMs ?? 0, longestRetryMs));
}

function poll(order: OrderState, words: string, retryAfterMs: number | null, now: number): Decision {
  const { step, attempts, stepSince } = order;
  const { firstMs, mostMs } = polls[step] ?? otherPoll;
  if (now - stepSince >= limitOf(order)) return failed(`Waited for too long. ${words}`);
  const wait = retryAfterMs ?? Math.min(mostMs, firstMs * 2 ** Math.min(attempts, 20));
  const at = now + Math.min(Math.max(wait, secondMs), longestPollMs);
  return { kind: 'step', step, at, attempts: attempts + 1 };
}

function limitOf({ step, byHand, isRenewal }: OrderState): number {
  if (step === 'check' && byHand) return byHandLimitMs;
  if (step === 'delegate' && isRenewal) return renewalDelegateLimitMs;
  return (polls[step] ?? otherPoll).limitMs;
}

/** What the order itself met; it tells nothing of the authority. */
function failed(words: string): Decision {
  return { kind: 'failed', type: 'refused', words, temporary: false, retryAfterMs: null };
}
