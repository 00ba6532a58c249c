import type { SubmitResult } from './carrier.ts';

/**
 * What the `command_status` of a submit_sm_resp says (SMPP 3.4 §5.1.3). Only what is known to pass is tried again: a
 * message must come to an end, and most carriers charge for a submit or ban who repeats a hopeless one.
 */
export function resultOfStatus(commandStatus: number, carrierMessageId: string): SubmitResult {
  if (commandStatus === 0) return { kind: 'accepted', carrierMessageId };
  if (throttling.has(commandStatus)) return { kind: 'throttled' };
  const code = `0x${commandStatus.toString(16).padStart(8, '0')}`;
  const passing = passingFaults[commandStatus];
  if (passing !== undefined) return { kind: 'failed', reason: `${passing} (${code})` };
  return { kind: 'refused', reason: `${refusals[commandStatus] ?? 'refused by the carrier'} (${code})` };
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

/** What has been tried with a part so far, the latest submit included. */
export interface SubmitHistory {
  /** Submits in all. */
  readonly attempts: number;
  /** Of them those that were never answered. */
  readonly unanswered: number;
  /** Epoch milliseconds. */
  readonly validUntil: number;
}

/** What to do with a part after a submit. Times are epoch milliseconds. */
export type SubmitStep =
  | { readonly kind: 'sent'; readonly carrierMessageId: string }
  /** It may have been taken and will not be submitted again; only the end of the grace settles it. */
  | { readonly kind: 'sent-perhaps' }
  | { readonly kind: 'submit-again'; readonly at: number }
  /** REJECTED with this memo. */
  | { readonly kind: 'rejected'; readonly memo: string }
  /** UNDELIV: its validity ends before it could be submitted again. */
  | { readonly kind: 'expired' };

const firstWaitMs = 1000;
const longestMs = 60_000;
const spread = 0.2;
/** The longest wait that anything is given. */
export const longestWaitMs = longestMs * (1 + spread);
/** A carrier that takes texts without ever answering would otherwise send the same one to a person all day long. */
const maxUnanswered = 3;

/**
 * Throttled and failed parts are tried again until their validity ends, after 1 s, 2 s, 4 s … 60 s, ±20 %.
 *
 * @param now epoch milliseconds
 * @param random from 0 to 1
 */
export function nextSubmitStep(result: SubmitResult, history: SubmitHistory, now: number, random: number): SubmitStep {
  if (result.kind === 'accepted') return { kind: 'sent', carrierMessageId: result.carrierMessageId };
  if (result.kind === 'refused') return { kind: 'rejected', memo: result.reason };
  if (result.kind === 'unanswered' && history.unanswered >= maxUnanswered) return { kind: 'sent-perhaps' };
  const wait = Math.min(longestMs, firstWaitMs * 2 ** Math.min(history.attempts - 1, 10));
  const at = now + Math.round(wait * (1 - spread + 2 * spread * random));
  if (at < history.validUntil) return { kind: 'submit-again', at };
  return history.unanswered > 0 ? { kind: 'sent-perhaps' } : { kind: 'expired' };
}
