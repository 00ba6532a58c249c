/**
 * The port that every carrier stands behind: the built-in simulator and SMPP links alike. A part is one segment of a
 * message to one number.
 */
import type { TextEncoding } from '@waxwing/smpp/text.ts';
import type { Worker } from '../runtime/supervisor.ts';

/**
 * A carrier. As a worker, `run` holds its links until it is stopped; `submit` may be called before, and then answers
 * `failed`.
 */
export interface Carrier extends Worker {
  readonly id: string;
  /** Whether nothing leaves the house: messages it takes are marked as simulated. */
  readonly simulated: boolean;
  /** How many submits it takes at once at most. */
  readonly window: number;
  /** Hands over a part. Always resolves, within the carrier's own time limit: what goes wrong is a result. */
  submit(part: PartToSubmit): Promise<SubmitResult>;
}

export interface PartToSubmit {
  /** Of the part; stable through all its submits. */
  readonly id: string;
  /** E.164 with `+`. */
  readonly destination: string;
  /** A number or name (contract: `sender`); undefined: the carrier's own. */
  readonly sender: string | undefined;
  readonly encoding: TextEncoding;
  readonly text: string;
  /** Undefined for a message of a single part, which needs no concatenation header. */
  readonly concatenation: Concatenation | undefined;
  /** How often it was submitted, this time included: 1 for the first. */
  readonly attempt: number;
  /** When the carrier shall stop trying to deliver it, epoch milliseconds. */
  readonly validUntil: number;
}

/** 3GPP TS 23.040 §9.2.3.24.1 */
export interface Concatenation {
  /** 0 to 255, the same for all parts of one message to one number. */
  readonly reference: number;
  readonly total: number;
  /** 1 to `total`. */
  readonly sequence: number;
}

export type SubmitResult =
  /** The carrier took it, and will name it by this id in receipts. */
  | { readonly kind: 'accepted'; readonly carrierMessageId: string }
  /** The carrier asks us to go slower. */
  | { readonly kind: 'throttled' }
  /** It was not taken, but may be later: no link, a fault of the carrier. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The carrier will never take it. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Sent, but no answer came in time: nobody knows whether it was taken. */
  | { readonly kind: 'unanswered' };

/** What a carrier hands to us. */
export type Inbound = Receipt | Reply;

export interface Receipt {
  readonly kind: 'receipt';
  readonly carrierId: string;
  readonly carrierMessageId: string;
  /** `message_state` of SMPP 3.4 §5.2.28, 0 to 9 and whatever else a carrier makes up. */
  readonly state: number;
  /** What the carrier tells of the cause, in its own words or numbers. */
  readonly networkError: string | undefined;
}

export interface Reply {
  readonly kind: 'reply';
  readonly carrierId: string;
  /** Who wrote it: E.164 with `+` where the carrier gives a number that can be read as such, else as it came. */
  readonly from: string;
  /** What it was sent to: a number, with or without `+`, or a short code. */
  readonly to: string;
  /** Whole: the carrier has joined its segments. */
  readonly text: string;
}

/**
 * What a carrier does with everything inbound. It resolves once that is durable, and only then may the carrier acknowledge
 * it; when it rejects, the carrier does not acknowledge, so that the other side sends it again.
 */
export type TakeInbound = (inbound: Inbound) => Promise<void>;
