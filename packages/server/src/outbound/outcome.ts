import type { BlockedReason } from './target-guard.ts';

/** The outcome of one attempt to deliver a push, as facts. retry-policy and lane decide what follows from them. */
export type Outcome = (
  | Answered
  | { readonly kind: 'timedOut' }
  /** No connection came about. */
  | { readonly kind: 'refused'; readonly code: string }
  /** We may not connect there. */
  | { readonly kind: 'blocked'; readonly why: BlockedReason }
  /** The connection ended before the answer did, or what came was not HTTP. */
  | { readonly kind: 'broken'; readonly code: string }
  | { readonly kind: 'badCertificate'; readonly code: string }
  | { readonly kind: 'unresolved'; readonly code: string }
  /** We ended it ourselves (stopping, lease lost): it says nothing about the receiver. */
  | { readonly kind: 'cutOff' }
) & {
  /** The address dialled, as far as it came to that. */
  readonly address?: string;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /**
   * The request went out twice: a reused connection had closed before a byte of answer, as it may at any time
   * (RFC 9112 §9.5). So the receiver may have got one more than there are outcomes.
   */
  readonly sentTwice?: true;
};

/** A whole answer came, or its first 64 KiB. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  /** The header as it came, at most 64 characters. */
  readonly retryAfter?: string;
  /** The first 1 KiB of the body as text; absent where the address is not public. Without U+0000. */
  readonly excerpt?: string;
}

export type Failure = Exclude<Outcome, Answered>;

/** An HTTP answer of any status: somebody is there. */
export function isAnswer(outcome: Outcome): outcome is Outcome & Answered {
  return outcome.kind === 'answered';
}

/** Success is status 200 and nothing else. */
export function isDelivered(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status === 200;
}
