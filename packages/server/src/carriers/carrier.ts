/** The port of every carrier: the simulator and links to others. A part is one segment of a message to one number. */
import type { TextEncoding } from '@waxwing/smpp/text.ts';
import type { Worker } from '../runtime/supervisor.ts';

/** A carrier. As a worker, `run` holds its links until it is stopped. `submit` answers `failed` before that. */
export interface Carrier extends Worker {
  readonly id: string;
  /** Whether it sends nothing to real phones. Its messages are marked as simulated. */
  readonly simulated: boolean;
  /** The most submits at once. 0 while it has no link. */
  readonly window: number;
  /** Submits per second at most. Undefined: no limit. */
  readonly rate: number | undefined;
  /** So many submits of one part without an answer are the last: 1 where a text must not come twice. */
  readonly mostUnanswered: number;
  /** Since when it has no link, epoch milliseconds. Undefined: it has one. */
  readonly downSince: number | undefined;
  /** Hands over a part. Always resolves, within the carrier's own time limit: faults are results. */
  submit(part: PartToSubmit): Promise<SubmitResult>;
}

export interface PartToSubmit {
  /** The part's id, the same for every submit of it. */
  readonly id: string;
  /** E.164 with `+`. */
  readonly destination: string;
  /** A number or name (contract: `sender`). Undefined: the carrier's own. */
  readonly sender: string | undefined;
  readonly encoding: TextEncoding;
  readonly text: string;
  /** Undefined for a single part, which needs no concatenation header. */
  readonly concatenation: Concatenation | undefined;
  /** The number of this submit, from 1. */
  readonly attempt: number;
  /** When the carrier stops trying to deliver it, epoch milliseconds. */
  readonly validUntil: number;
}

/** 3GPP TS 23.040 §9.2.3.24.1 */
interface Concatenation {
  /** 0 to 255, the same for all parts of one message to one number. */
  readonly reference: number;
  readonly total: number;
  /** 1 to `total`. */
  readonly sequence: number;
}

export type SubmitResult =
  /** The carrier took it. Receipts name it by this id. */
  | {
      readonly kind: 'accepted';
      readonly carrierMessageId: string;
      /** How full the carrier is, 0 to 100, if it says so. */
      readonly congestion?: number | undefined;
    }
  /** The carrier asks for fewer submits. `partAlone`: only this part is to wait, and others may go on. */
  | { readonly kind: 'throttled'; readonly partAlone?: boolean }
  /** The carrier has not seen it: there is no link. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The carrier did not take it, but may later, and another carrier may now. */
  | { readonly kind: 'refused-for-now'; readonly reason: string }
  /** The carrier will never take it. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Sent, but not answered in time: the carrier may have taken it. */
  | {
      readonly kind: 'unanswered';
      /** The carrier did answer, but nobody can read how: another submit would tell no more. */
      readonly wasAnswered?: boolean;
      /** The id, should the carrier say later that it has taken it. It never rejects, and may never resolve. */
      readonly late?: Promise<string>;
    };

export type Inbound = Receipt | Reply;

export interface Receipt {
  readonly kind: 'receipt';
  readonly carrierId: string;
  readonly carrierMessageId: string;
  /** `message_state` of SMPP 3.4 §5.2.28, 0 to 9, or a carrier's own number. */
  readonly state: number;
  /** The cause, in the carrier's words or numbers. */
  readonly networkError: string | undefined;
}

export interface Reply {
  readonly kind: 'reply';
  readonly carrierId: string;
  /** The writer's number: E.164 with `+` if it can be read as such, else as it came. */
  readonly from: string;
  /** The number, with or without `+`, or short code that it was sent to. */
  readonly to: string;
  /** The whole text. The carrier has joined its segments. */
  readonly text: string;
}

/**
 * It resolves when the receipt or reply is on disk. Only then may the carrier acknowledge it; otherwise it comes again.
 */
export type TakeInbound = (inbound: Inbound) => Promise<void>;
