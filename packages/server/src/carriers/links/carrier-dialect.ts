/** What a carrier's link has to know of its protocol. An implementation is pure and keeps no state. */
import type { BindJudgement } from '@waxwing/carrier-session/link.ts';
import type { SessionPdu, SessionProtocol } from '@waxwing/carrier-session/session-protocol.ts';
import type { MessageIdSetting } from '@waxwing/smpp/message-id-form.ts';
import type { PartToSubmit, SubmitResult } from '../carrier.ts';

/** What a connection is for: `both`, or one direction of a pair. */
export type ConnectionRole = 'both' | 'transmitter' | 'receiver';

export interface CarrierDialect<P extends SessionPdu> {
  readonly protocol: SessionProtocol<P>;
  /** How the ids in receipts may be written. */
  readonly messageIds: MessageIdSetting;
  /** @param now epoch milliseconds */
  bindRequest(role: ConnectionRole, sequence: number, now: number): P;
  judgeBind(response: P): BindJudgement;
  /** The requests that carry a part, mostly one, in their order. @throws Error when a text or number cannot be carried */
  submitRequests(part: PartToSubmit): readonly ((sequence: number) => P)[];
  readSubmitAnswer(response: P): SubmitAnswer;
  readInbound(request: P): InboundRequest;
  /** The answer to what `readInbound` found, if there is one. `not-now` has the carrier send it again. */
  answerInbound(request: P, answer: 'taken' | 'not-now'): P | undefined;
}

export interface SubmitAnswer {
  readonly result: SubmitResult;
  /** How full the carrier is, 0 to 100, if it says so. */
  readonly congestion: number | undefined;
}

export type InboundRequest =
  | InboundReceipt
  | InboundReply
  /** Nothing for us: it is answered and forgotten. */
  | { readonly kind: 'other'; readonly what: string };

export interface InboundReceipt {
  readonly kind: 'receipt';
  /** As the carrier writes it here. Undefined: it names none. */
  readonly messageId: string | undefined;
  /** `message_state` of SMPP. Undefined: it tells none that is known. */
  readonly state: number | undefined;
  readonly networkError: string | undefined;
  /** Whom the message went to, as the carrier writes it; empty where it does not tell. */
  readonly recipient: string;
  /** The carrier still tries. */
  readonly isIntermediate: boolean;
}

export interface InboundReply {
  readonly kind: 'reply';
  /** E.164 with `+` if it can be read as such, else as it came. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** Undefined: it is a text of its own. */
  readonly segment: ReplySegmentPlace | undefined;
}

/** Which part of a longer reply this is. */
export interface ReplySegmentPlace {
  /** The same for all segments of one text from one phone. */
  readonly reference: string;
  readonly total: number;
  /** 1 to `total`. */
  readonly sequence: number;
}
