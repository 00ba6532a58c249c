import { createHash } from 'node:crypto';
import type { SendMessagesRequest } from '@waxwing/contract/messaging-api.ts';

/** How long the answer to a key is remembered, milliseconds. */
export const idempotencyMs = 24 * 3600 * 1000;

/**
 * What makes two requests the same: SHA-256, hexadecimal, over the parsed body. Spacing, escapes and the order of fields
 * do not matter; `mobile` and `mobiles` with one entry differ.
 */
export function fingerprintOf(body: SendMessagesRequest): string {
  const recipients = 'mobiles' in body ? body.mobiles : body.mobile;
  const canonical = JSON.stringify([recipients, body.content, body.sender ?? null]);
  return createHash('sha256').update(canonical).digest('hex');
}

/** What is known of a key: a request with it is under way, or one was answered 200. */
export type KeyRecord =
  | { readonly kind: 'under-way' }
  | {
      readonly kind: 'answered';
      readonly fingerprint: string;
      readonly batchId: string;
      /** Epoch milliseconds. */
      readonly answeredAt: number;
    };

export type KeyDecision =
  /** Do it, and remember the answer when it is a 200. */
  | { readonly kind: 'proceed' }
  /** The same request was answered: the same answer again, and nothing is charged. */
  | { readonly kind: 'replay'; readonly batchId: string }
  /** Decide again when the request under way has ended. Until then nobody can tell: only a 200 takes the key. */
  | { readonly kind: 'wait' }
  /** The key belongs to another request. */
  | { readonly kind: 'conflict' };

/**
 * @param record undefined when the messaging key knows nothing of this idempotency key
 * @param now epoch milliseconds
 */
export function decideKey(record: KeyRecord | undefined, fingerprint: string, now: number): KeyDecision {
  if (record === undefined) return { kind: 'proceed' };
  if (record.kind === 'under-way') return { kind: 'wait' };
  if (now >= record.answeredAt + idempotencyMs) return { kind: 'proceed' };
  return record.fingerprint === fingerprint ? { kind: 'replay', batchId: record.batchId } : { kind: 'conflict' };
}
