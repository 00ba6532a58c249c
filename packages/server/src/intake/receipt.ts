import { networkMemos } from '@waxwing/contract/memos.ts';
import type { Receipt } from '../carriers/carrier.ts';
import { delivered, rejected, undelivered, type Verdict } from '../messages/state/message-state.ts';

type ReceiptReading =
  | { readonly kind: 'final'; readonly verdict: Verdict }
  /** Not final: no push. */
  | { readonly kind: 'interim' }
  /** A state that SMPP does not have: logged and ignored. */
  | { readonly kind: 'unknown' };

/** `message_state` of SMPP 3.4 §5.2.28; 0 is SCHEDULED of SMPP 5.0 §4.7.15. */
const readings: Readonly<Record<number, ReceiptReading>> = {
  // SCHEDULED, ENROUTE, ACCEPTED
  0: { kind: 'interim' },
  1: { kind: 'interim' },
  6: { kind: 'interim' },
  // DELIVERED
  2: { kind: 'final', verdict: delivered },
  // EXPIRED, DELETED, UNDELIVERABLE, UNKNOWN, SKIPPED
  3: { kind: 'final', verdict: undelivered },
  4: { kind: 'final', verdict: undelivered },
  5: { kind: 'final', verdict: undelivered },
  7: { kind: 'final', verdict: undelivered },
  9: { kind: 'final', verdict: undelivered },
};

const rejectedState = 8;

/** A receipt's verdict on its part. The memo of a rejection is the network error that came with it. */
export function readReceipt({ state, networkError }: Pick<Receipt, 'state' | 'networkError'>): ReceiptReading {
  if (state !== rejectedState) return readings[state] ?? { kind: 'unknown' };
  const cause = networkError?.trim();
  return {
    kind: 'final',
    verdict: rejected(cause ? `${networkMemos.networkError} ${cause}` : networkMemos.networkRejected),
  };
}
