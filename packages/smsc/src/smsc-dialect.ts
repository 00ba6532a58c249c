import type { SessionPdu, SessionProtocol } from '@waxwing/carrier-session/session-protocol.ts';
import type { AnswerPlan, ReceiptPlan, ReplyPlan } from './smsc-script.ts';

/** Who may bind. */
export interface SmscAccount {
  readonly id: string;
  readonly password: string;
}

/** What a simulated carrier has to know of a protocol. */
export interface SmscDialect<P extends SessionPdu> {
  readonly protocol: SessionProtocol<P>;
  readRequest(request: P): ClientRequest<P>;
  /** Takes the same time whatever of a password is wrong. */
  judgeBind(request: P): BindVerdict<P>;
  /** The answer to a bind of a client that is bound. */
  refuseBind(request: P): P;
  /** The answer to a submit that is not taken. */
  refuse(submit: P, refusal: SubmitRefusal): P;
  /** Gives the message its id. @param now epoch milliseconds */
  take(submit: P, now: number): TakenSubmit<P>;
  /** Whether the response to a receipt or reply says that the client has it. */
  isAcknowledged(response: P): boolean;
}

export type ClientRequest<P extends SessionPdu> =
  | { readonly kind: 'bind' }
  /** @property destination the first one; no submit of SMPP has more */
  | { readonly kind: 'submit'; readonly destination: string }
  /** Undefined: the protocol has no answer to it. */
  | { readonly kind: 'other'; readonly answer: P | undefined };

export type BindVerdict<P extends SessionPdu> =
  | { readonly isTaken: false; readonly answer: P }
  | { readonly isTaken: true; readonly answer: P; readonly role: ClientRole };

export interface ClientRole {
  readonly submits: boolean;
  /** Whether it gets receipts and replies. */
  readonly receives: boolean;
}

export type SubmitRefusal =
  | { readonly kind: 'not-bound' }
  | { readonly kind: 'throttled' }
  /** The carrier can remember no more. */
  | { readonly kind: 'full' }
  | Extract<AnswerPlan, { readonly kind: 'refuse' }>;

/** A message that has an id. It keeps nothing of the request's octets. */
export interface TakenSubmit<P extends SessionPdu> {
  readonly answer: P;
  /** One for each destination, without a sequence number. None if the client did not ask for them. @param now as above */
  receipts(plan: ReceiptPlan, now: number): readonly P[];
  /** One for each segment, without a sequence number. @param random from 0 to 1 */
  replies(plan: ReplyPlan, random: () => number): readonly P[];
}
