import type { SubmitResult } from './carrier.ts';

/**
 * The meaning of a submit_sm_resp's `command_status` (SMPP 3.4 §5.1.3). Only passing faults lead to another submit:
 * most carriers charge for each, or ban clients that repeat a hopeless one.
 */
export function resultOfStatus(commandStatus: number, carrierMessageId: string): SubmitResult {
  if (commandStatus === 0) return { kind: 'accepted', carrierMessageId };
  if (throttling.has(commandStatus)) return { kind: 'throttled' };
  const code = statusCode(commandStatus);
  const passing = passingFaults[commandStatus];
  if (passing !== undefined) return { kind: 'refused-for-now', reason: `${passing} (${code})` };
  return { kind: 'refused', reason: `${refusals[commandStatus] ?? 'refused by the carrier'} (${code})` };
}

/** As the specification writes it: `0x0000000e`. */
export function statusCode(commandStatus: number): string {
  return `0x${commandStatus.toString(16).padStart(8, '0')}`;
}

/** ESME_RMSGQFUL, ESME_RTHROTTLED */
const throttling: ReadonlySet<number> = new Set([0x14, 0x58]);

const passingFaults: Readonly<Record<number, string>> = {
  4: 'link not bound for sending',
  8: 'system error of the carrier',
  100: 'temporary error of the receiving application',
};

const refusals: Readonly<Record<number, string>> = {
  1: 'message length invalid',
  10: 'sender address invalid',
  11: 'destination address invalid',
  21: 'service type invalid',
  67: 'message class invalid',
  69: 'submit failed',
  72: 'sender address type invalid',
  73: 'sender numbering plan invalid',
  80: 'destination address type invalid',
  81: 'destination numbering plan invalid',
  98: 'validity period invalid',
  101: 'permanent error of the receiving application',
  102: 'rejected by the receiving application',
  254: 'delivery failed',
};

/** The submits of a part so far, the latest included. */
interface SubmitHistory {
  readonly attempts: number;
  /** How many of them were never answered, and how many may be. */
  readonly unanswered: number;
  readonly mostUnanswered: number;
  /** Epoch milliseconds. */
  readonly validUntil: number;
}

/** What to do after a submit. Times are epoch milliseconds. */
type SubmitStep =
  | { readonly kind: 'sent'; readonly carrierMessageId: string }
  /** The carrier may have taken it, so it is not submitted again. The end of the grace settles it. */
  | { readonly kind: 'sent-perhaps' }
  | { readonly kind: 'submit-again'; readonly at: number }
  /** REJECTED with this memo. */
  | { readonly kind: 'rejected'; readonly memo: string }
  /** UNDELIV: its validity ends before the next submit. */
  | { readonly kind: 'expired' };

const firstWaitMs = 1000;
const longestMs = 60_000;
const spread = 0.2;
/** The longest wait between two submits. */
export const longestWaitMs = longestMs * (1 + spread);

/**
 * A carrier that takes texts without answering would send one text to a person all day, so the part is left alone after
 * some. Parts that were not taken are tried again until their validity ends, after 1 s, 2 s, 4 s … 60 s, ±20 %.
 */
export function nextSubmitStep(result: SubmitResult, history: SubmitHistory, now: number, random: number): SubmitStep {
  if (result.kind === 'accepted') return { kind: 'sent', carrierMessageId: result.carrierMessageId };
  if (result.kind === 'refused') return { kind: 'rejected', memo: result.reason };
  const isLast = history.unanswered >= history.mostUnanswered;
  if (result.kind === 'unanswered' && (isLast || result.wasAnswered)) return { kind: 'sent-perhaps' };
  const wait = Math.min(longestMs, firstWaitMs * 2 ** Math.min(history.attempts - 1, 10));
  const at = now + Math.round(wait * (1 - spread + 2 * spread * random));
  if (at < history.validUntil) return { kind: 'submit-again', at };
  return history.unanswered > 0 ? { kind: 'sent-perhaps' } : { kind: 'expired' };
}
