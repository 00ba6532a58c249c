/** What a simulated carrier does, as a script says it (`parse-script.ts`). Times are milliseconds. */

export interface SmscScript {
  readonly messageIds: MessageIdStyle;
  /** Submits per second. Those beyond are throttled. */
  readonly rate: number | undefined;
  /** The connection is cut when more submits than this arrive on it. */
  readonly disconnectAfter: number | undefined;
  /** As `disconnectAfter`, but the connection stays open and nothing is answered on it. */
  readonly halfOpenAfter: number | undefined;
  readonly tls: ScriptTls | undefined;
  /** The first one that applies decides. */
  readonly rules: readonly ScriptRule[];
  /** For submits to which no rule applies. */
  readonly otherwise: Behaviour;
}

/** Paths of PEM files, as the script has them. */
export interface ScriptTls {
  readonly certificate: string;
  readonly key: string;
  /** Authorities of clients, which then must show a certificate. */
  readonly clientAuthorities: string | undefined;
}

export interface ScriptRule {
  /** Digits that the destination begins with, without `+`. Empty: every destination. */
  readonly prefix: string;
  /** Of the submits with this prefix, from 0 to 1. */
  readonly share: number;
  readonly behaviour: Behaviour;
}

export interface Behaviour {
  readonly answer: AnswerPlan;
  readonly answerAfter: Span;
  /** Of each accepted submit that asks for receipts. */
  readonly receipts: readonly ReceiptPlan[];
  readonly replies: readonly ReplyPlan[];
}

export type AnswerPlan =
  | { readonly kind: 'accept' }
  /** The message is taken, but its answer gets lost. */
  | { readonly kind: 'lost' }
  /** The submit gets lost. */
  | { readonly kind: 'none' }
  /** @property code a command_status of SMPP, a Result of CMPP */
  | { readonly kind: 'refuse'; readonly code: number; readonly isThrottling: boolean }
  | { readonly kind: 'disconnect' }
  | { readonly kind: 'half-open' };

/** A time in between is drawn, if `least` and `most` differ. */
export interface Span {
  readonly least: number;
  readonly most: number;
}

export interface ReceiptPlan {
  /** A state of SMPP by its word (`DELIVRD`), or any Stat of CMPP. */
  readonly state: string;
  /** Counts from the answer. */
  readonly after: Span;
  readonly isBeforeAnswer: boolean;
  /** A network's code, 0 to 65535. SMPP alone. */
  readonly error: number;
  readonly form: ReceiptForm;
  readonly dateDigits: DateDigits;
}

export interface ReplyPlan {
  readonly text: string;
  /** Counts from the answer. */
  readonly after: Span;
  /** How the segments of a long text are joined. CMPP has `udh8` alone. */
  readonly long: ReplyLong;
  readonly order: SegmentOrder;
}

/** In the answer and in the receipt. SMPP alone: CMPP has one form of ids. */
export const messageIdStyles = [
  'decimal',
  'hex',
  'decimal-to-hex',
  'hex-to-decimal',
  'leading-zeros',
  'upper-case',
  'text',
] as const;
export type MessageIdStyle = (typeof messageIdStyles)[number];

export const receiptForms = ['both', 'tlv', 'text'] as const;
export type ReceiptForm = (typeof receiptForms)[number];

/** YYMMDDhhmm, with seconds, and with the century as well. */
export const dateDigits = [10, 12, 14] as const;
export type DateDigits = (typeof dateDigits)[number];

export const replyLongs = ['udh8', 'udh16', 'sar'] as const;
export type ReplyLong = (typeof replyLongs)[number];

export const segmentOrders = ['in-order', 'reversed', 'shuffled'] as const;
export type SegmentOrder = (typeof segmentOrders)[number];

const atOnce: Span = { least: 0, most: 0 };

export const plainReceipt: ReceiptPlan = {
  state: 'DELIVRD',
  after: atOnce,
  isBeforeAnswer: false,
  error: 0,
  form: 'both',
  dateDigits: 10,
};

/** Everything is accepted at once, and delivered. */
export const plainScript: SmscScript = {
  messageIds: 'decimal',
  rate: undefined,
  disconnectAfter: undefined,
  halfOpenAfter: undefined,
  tls: undefined,
  rules: [],
  otherwise: { answer: { kind: 'accept' }, answerAfter: atOnce, receipts: [plainReceipt], replies: [] },
};
