import type { Verdict } from './message-state.ts';

/** Which message: a batch and the position in it, from 0. */
export interface MessageRef {
  readonly organizationId: string;
  readonly batchId: string;
  readonly position: number;
}

/** Which part of it, from 0. */
export interface PartRef extends MessageRef {
  readonly part: number;
}

/** One text for one message, unique in the instance. */
export function messageId({ batchId, position }: MessageRef): string {
  return `${batchId}.${position}`;
}

/** One text for one part, unique in the instance. */
export function partId(ref: PartRef): string {
  return `${messageId(ref)}.${ref.part}`;
}

/** What happens to messages on their way. */
export type PartEvent =
  /** The carrier took the part, and will call it so in its receipts. */
  | {
      readonly kind: 'taken';
      readonly part: PartRef;
      readonly carrierId: string;
      readonly carrierMessageId: string;
      readonly simulated: boolean;
    }
  /** The carrier may have taken it, which nobody will ever know: it is not submitted again. */
  | {
      readonly kind: 'taken-perhaps';
      readonly part: PartRef;
      readonly carrierId: string;
      readonly simulated: boolean;
      /** When its message is settled at the latest, epoch milliseconds; undefined: at the end of the grace, as all others. */
      readonly endsAt: number | undefined;
    }
  /** No carrier will take it: refused, by the carrier where one is named, or its validity is over. */
  | {
      readonly kind: 'ended';
      readonly part: PartRef;
      readonly verdict: Verdict;
      readonly refusedBy?: { readonly carrierId: string; readonly simulated: boolean };
    }
  /** It stays in the submit queue until `dueAt`, epoch milliseconds, of its carrier or of `next`. */
  | {
      readonly kind: 'postponed';
      readonly part: PartRef;
      readonly dueAt: number;
      readonly attempts: number;
      readonly unanswered: number;
      /** Ids of carriers that refused it for now. */
      readonly refusedBy: readonly string[];
      readonly next: { readonly id: string; readonly reason?: string | undefined } | undefined;
    }
  /** A carrier's final word on what it took. */
  | {
      readonly kind: 'receipt';
      readonly carrierId: string;
      readonly carrierMessageId: string;
      readonly verdict: Verdict;
    }
  /** Validity and grace have passed. */
  | { readonly kind: 'grace-over'; readonly message: MessageRef };
