import type { Flag } from './column-types.ts';

/** Messages, replies, and what decides about them. */
export interface MessageTables {
  messaging_key: MessagingKeyRow;
  organization_messaging: OrganizationMessagingRow;
  daily_usage: DailyUsageRow;
  idempotency_key: IdempotencyKeyRow;
  opt_out: OptOutRow;
  blocked_number: BlockedNumberRow;
  blocked_word: BlockedWordRow;
  message_batch: MessageBatchRow;
  message: MessageRow;
  message_part: MessagePartRow;
  carrier_message: CarrierMessageRow;
  orphan_receipt: OrphanReceiptRow;
  reply: ReplyRow;
  route: RouteRow;
  message_counter: MessageCounterRow;
  message_event: MessageEventRow;
}

/** What a customer's system sends messages with; its tokens are in `token`. */
export interface MessagingKeyRow {
  organization_id: string;
  id: string;
  name: string;
  enabled: Flag;
  permitted: Flag;
  query_token: Flag;
  allow_list: string;
  expires_at: number | null;
  created_at: number;
  updated_at: number;
}

/** How an organization sends; one without a row has no default region and no quotas. */
export interface OrganizationMessagingRow {
  organization_id: string;
  /** ISO 3166-1 alpha-2. */
  default_region: string | null;
  messages_per_second: number | null;
  messages_per_day: number | null;
  updated_at: number;
}

/** Messages that were let through on a UTC day, YYYY-MM-DD. */
export interface DailyUsageRow {
  organization_id: string;
  day: string;
  used: number;
}

/** A request that was answered 200. `key_id` is the messaging key, `idempotency_key` what its request carried. */
export interface IdempotencyKeyRow {
  organization_id: string;
  key_id: string;
  idempotency_key: string;
  fingerprint: string;
  batch_id: string;
  answered_at: number;
}

/** Who wants no more messages of an organization. Numbers are E.164 with `+`. */
export interface OptOutRow {
  organization_id: string;
  number: string;
  source: 'reply' | 'manual';
  created_at: number;
}

/** `organization_id` is empty for what is blocked for all. */
export interface BlockedNumberRow {
  organization_id: string;
  number: string;
  created_at: number;
}

/** `organization_id` is empty for what is blocked for all. */
export interface BlockedWordRow {
  organization_id: string;
  word: string;
  created_at: number;
}

/** One accepted request: its content, once for all of its messages. */
export interface MessageBatchRow {
  organization_id: string;
  id: string;
  key_id: string;
  content: string;
  sender: string | null;
  messages: number;
  accepted_at: number;
}

/** One message to one number. */
export interface MessageRow {
  organization_id: string;
  batch_id: string;
  /** In the batch, from 0. */
  position: number;
  /** As the request wrote it. */
  mobile: string;
  /** E.164 with `+`. */
  number: string;
  segments: number;
  /** How its parts were cut for the carrier that was to take it; null: `standard`. */
  text_cut: 'udh16' | 'ucs2' | 'ucs2-udh16' | 'whole' | null;
  /** The state of each part, a letter each: `q`ueued, `s`ent, `D`ELIVRD, `U`NDELIV, `R`EJECTED. */
  parts: string;
  /** The reasons of the rejected parts in their order, JSON; null while there are none. */
  memos: string | null;
  /** Null until settled. */
  status: 'DELIVRD' | 'UNDELIV' | 'REJECTED' | null;
  memo: string | null;
  /** Who took it, or refused it for good; null while nobody has. */
  carrier_id: string | null;
  /** Why the carrier that is to take it was chosen; null: the simulator, or nobody. */
  carrier_reason: string | null;
  simulated: Flag;
  accepted_at: number;
  sent_at: number | null;
  settled_at: number | null;
  /** When it is settled without further receipts. */
  ends_at: number;
  /** Of its status push; null while there is none. */
  push_id: string | null;
}

/** The submit queue: parts that no carrier has taken yet. */
export interface MessagePartRow {
  organization_id: string;
  batch_id: string;
  position: number;
  /** From 0. */
  part: number;
  /** Who is to take it. */
  carrier_id: string;
  number: string;
  due_at: number;
  valid_until: number;
  /** Submits with a recorded result, and those of them that were not answered. */
  attempts: number;
  unanswered: number;
  /** Ids of carriers that refused it for now, with blanks between them. */
  refused_by: string;
  /** As that of its message. */
  text_cut: MessageRow['text_cut'];
}

/** What a carrier calls a part in its receipts. */
export interface CarrierMessageRow {
  carrier_id: string;
  carrier_message_id: string;
  organization_id: string;
  batch_id: string;
  position: number;
  part: number;
  sent_at: number;
}

/** A final receipt for something that no carrier is known to have taken: it may have overtaken the submit answer. */
export interface OrphanReceiptRow {
  carrier_id: string;
  carrier_message_id: string;
  status: 'DELIVRD' | 'UNDELIV' | 'REJECTED';
  memo: string | null;
  received_at: number;
}

/** `organization_id` is empty for a reply that is nobody's. */
export interface ReplyRow {
  organization_id: string;
  id: string;
  carrier_id: string;
  sender: string;
  recipient: string;
  content: string;
  owned_by: 'number' | 'prefix' | 'latest-message' | 'nothing';
  stop: Flag;
  simulated: Flag;
  received_at: number;
  /** Of its uplink push; null while there is none. */
  push_id: string | null;
}

/** Which organization owns an inbound number, or all that begin with a prefix. */
export interface RouteRow {
  id: string;
  organization_id: string;
  carrier_id: string;
  kind: 'number' | 'prefix';
  /** Without `+` and white space, in lower case. */
  address: string;
  created_at: number;
}

/** The number of an organization's latest event, and of the latest one that retention has removed. */
export interface MessageCounterRow {
  organization_id: string;
  value: number;
  forgotten: number;
}

/** A final status or a reply, by reference: `subject_id` is a batch, with the position in it, or a reply. */
export interface MessageEventRow {
  organization_id: string;
  number: number;
  kind: 'status' | 'reply';
  subject_id: string;
  position: number;
  at: number;
}

// Accounts (0004)
