/**
 * Rows as both databases hold them: ids are UUIDv7 text, instants are epoch milliseconds, flags are 0 or 1, lists and
 * details are JSON text, sealed bytes are blobs. Tables of volume carry `organization_id` in their key.
 */
export interface Tables {
  schema_migration: { id: number; name: string; applied_at: number };
  instance_fact: InstanceFactRow;
  node: NodeRow;
  master_key: MasterKeyRow;
  change_counter: { name: string; value: number };
  change_log: ChangeLogRow;
  audit_head: AuditHeadRow;
  audit_link: AuditLinkRow;
  audit_entry: AuditEntryRow;
  audit_index: AuditIndexRow;
  audit_index_state: { id: number; link: number };
  audit_segment: AuditSegmentRow;
  organization: OrganizationRow;
  token: TokenRow;
  certificate: CertificateRow;
  certificate_version: CertificateVersionRow;
  deployment: DeploymentRow;
  deployment_activity: DeploymentActivityRow;
  deployment_refusal: DeploymentRefusalRow;
  // Pushes (0002)
  lease: LeaseRow;
  push_setting: PushSettingRow;
  push_secret: PushSecretRow;
  push: PushRow;
  push_history: PushHistoryRow;
  push_attempt: PushAttemptRow;
  push_resend: PushResendRow;
  // Messages (0003)
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
  // Accounts (0004)
  account: AccountRow;
  membership: MembershipRow;
  sso_identity: SsoIdentityRow;
  one_time_link: OneTimeLinkRow;
  session: SessionRow;
  challenge: ChallengeRow;
  guess: GuessRow;
  familiar_device: FamiliarDeviceRow;
  totp: TotpRow;
  passkey: PasskeyRow;
  recovery_code: RecoveryCodeRow;
  management_key: ManagementKeyRow;
  // Management API (0005)
  api_answer: ApiAnswerRow;
  // Figures of pushing (0006)
  push_minute: PushMinuteRow;
}

export type Flag = 0 | 1;

/** One sealed or plain fact about the whole instance, such as the sealed key of the audit trail. */
export interface InstanceFactRow {
  name: string;
  value: Uint8Array;
}

/** One running server, by its heartbeat: which master keys it holds, and what it has to do. */
export interface NodeRow {
  id: string;
  version: string;
  started_at: number;
  seen_at: number;
  key_ids: string;
  /** Accepted messages, and answered retrievals, in its last whole minutes (`recentMinutes`) before that. */
  recent_messages: number;
  recent_retrievals: number;
}

/** A master key this database has been sealed with; `key_check` proves the key without revealing it. */
export interface MasterKeyRow {
  id: string;
  key_check: string;
  created_at: number;
}

/** What changed, in the order of the counter that is raised in the changing transaction. */
export interface ChangeLogRow {
  revision: number;
  kind: string;
  subject_id: string;
  at: number;
  /** Whose it is; null where nobody but operators may hear of it. */
  organization_id: string | null;
}

/** The end of the audit chain; its one row is the lock that puts commits in order. */
export interface AuditHeadRow {
  id: number;
  link: number;
  mac: string;
  day: string;
}

/** One link per commit group: the HMAC over the former link's and all entries of the group. */
export interface AuditLinkRow {
  link: number;
  day: string;
  at: number;
  entries: number;
  mac: string;
}

export interface AuditEntryRow {
  link: number;
  position: number;
  organization_id: string;
  at: number;
  actor: string;
  action: string;
  subject: string;
  detail: string;
}

/** `s:` and a subject, or `o:` and an organization, and where an entry about it stands. */
export interface AuditIndexRow {
  term: string;
  link: number;
  position: number;
}

/** A closed day. Its head outlives the entries, which retention removes. */
export interface AuditSegmentRow {
  day: string;
  first_link: number;
  last_link: number;
  entries: number;
  former_mac: string;
  mac: string;
  seal: string;
  closed_at: number;
  pruned_at: number | null;
}

export interface OrganizationRow {
  id: string;
  name: string;
  created_at: number;
  suspended_at: number | null;
}

/** Every API token of every kind, by the SHA-256 of its text (hex). `subject_id` is what it speaks for. */
export interface TokenRow {
  hash: string;
  kind: 'deployment' | 'messaging' | 'management';
  organization_id: string;
  subject_id: string;
  hint: string;
  created_at: number;
  expires_at: number | null;
}

export interface CertificateRow {
  organization_id: string;
  id: string;
  name: string;
  state: 'pending' | 'issued' | 'failed' | 'revoked';
  source: 'imported' | 'acme';
  current_version: string | null;
  former_version: string | null;
  versions: number;
  created_at: number;
  updated_at: number;
}

export interface CertificateVersionRow {
  organization_id: string;
  certificate_id: string;
  id: string;
  number: number;
  state: 'issued' | 'revoked';
  domains: string;
  chain: string;
  sealed_key: Uint8Array;
  key_id: string;
  key_type: string;
  serial: string;
  fingerprint: string;
  issuer: string;
  subject: string;
  not_before: number;
  not_after: number;
  created_at: number;
  revoked_at: number | null;
}

export interface DeploymentRow {
  organization_id: string;
  id: string;
  certificate_id: string;
  name: string;
  enabled: Flag;
  permitted: Flag;
  query_token: Flag;
  allow_list: string;
  requests_per_minute: number | null;
  expires_at: number | null;
  created_at: number;
  updated_at: number;
}

/** What a deployment fetched last, brought up to date every few seconds. */
export interface DeploymentActivityRow {
  organization_id: string;
  deployment_id: string;
  last_seen_at: number;
  last_address: string;
  last_user_agent: string;
  last_version: string;
  successes: number;
  not_modified: number;
}

/** Refused requests with a known token, counted by reason, address and minute. */
export interface DeploymentRefusalRow {
  organization_id: string;
  deployment_id: string;
  minute: number;
  reason: string;
  address: string;
  count: number;
}

// Pushes (0002)

/** Who alone may do something at the moment. `until` is by the database's clock; `epoch` rises with each holder. */
export interface LeaseRow {
  name: string;
  holder: string;
  epoch: number;
  until: number;
}

/** Where an organization's pushes of one kind go. Never deleted, so that what waits always has a setting. */
export interface PushSettingRow {
  organization_id: string;
  id: string;
  kind: 'status' | 'uplink';
  shard: number;
  url: string;
  enabled: Flag;
  timeout_ms: number;
  retries: number;
  concurrency: number;
  created_at: number;
  updated_at: number;
}

/** A signing secret of a setting, sealed. `replaced_at` is null for the current one. */
export interface PushSecretRow {
  organization_id: string;
  setting_id: string;
  id: string;
  sealed: Uint8Array;
  key_id: string;
  created_at: number;
  replaced_at: number | null;
}

/** The hot table: only what is still to be pushed. */
export interface PushRow {
  organization_id: string;
  id: string;
  setting_id: string;
  /** Of the setting, so that one index finds what a shard has to do. */
  shard: number;
  due_at: number;
  /** When its budget of attempts began: when it was accepted, or last sent again. */
  queued_at: number;
  created_at: number;
  /** Recorded outcomes in all. */
  attempts: number;
  /** Those of budgets before this one. */
  attempts_before: number;
  /** The parameters of the push, JSON. */
  payload: string;
  /** 1 when it is found by its setting; 0 while it need not be: see push/waiting-filer.ts. */
  filed: number;
}

/** What is recorded of an attempt. */
export interface AttemptColumns {
  at: number;
  ms: number;
  address: string | null;
  outcome: string;
  status: number | null;
  error: string | null;
  excerpt: string | null;
}

/**
 * A push that has ended, with its last attempt: most have no other, and are one row instead of two. The columns of the
 * attempt are null when it ended without one.
 */
export type PushHistoryRow = {
  organization_id: string;
  id: string;
  setting_id: string;
  state: 'delivered' | 'failed' | 'off';
  created_at: number;
  ended_at: number;
  attempts: number;
  payload: string;
} & { [Column in keyof AttemptColumns]: AttemptColumns[Column] | null };

/** An attempt that did not end its push. */
export interface PushAttemptRow extends AttemptColumns {
  organization_id: string;
  push_id: string;
  /** From 1, through re-sends. */
  number: number;
}

/** Ended pushes that are being sent again, in the order of their ids: those up to `reached` have been. */
export interface PushResendRow {
  organization_id: string;
  id: string;
  setting_id: string;
  shard: number;
  /** Which are sent again, separated by commas. */
  states: string;
  reached: string;
  /** Events that have no push, because the switch was off, count from this moment on; null when they are left out. */
  missed_since: number | null;
  /** The number of the last event that was looked at for that. */
  missed_after: number | null;
  moved: number;
  created_at: number;
}

// Messages (0003)

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
  /** The state of each part, a letter each: `q`ueued, `s`ent, `D`ELIVRD, `U`NDELIV, `R`EJECTED. */
  parts: string;
  /** The reasons of the rejected parts in their order, JSON; null while there are none. */
  memos: string | null;
  /** Null until settled. */
  status: 'DELIVRD' | 'UNDELIV' | 'REJECTED' | null;
  memo: string | null;
  /** Who took it; null while nobody has. */
  carrier_id: string | null;
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

/** A person. Told apart by the mail address in lower case. */
export interface AccountRow {
  id: string;
  email: string;
  /** Whether the person runs the instance, by our own word and by that of the identity provider. */
  operator: Flag;
  operator_by_sso: Flag;
  /** Argon2id with its parameters in the PHC string format; null while none is set. */
  password: string | null;
  disabled_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface MembershipRow {
  organization_id: string;
  account_id: string;
  role: 'owner' | 'admin' | 'developer' | 'viewer';
  /** Given by the identity provider, which takes it back, too. */
  by_sso: Flag;
  created_at: number;
}

/** Whom an identity provider calls by `subject`. */
export interface SsoIdentityRow {
  issuer: string;
  subject: string;
  account_id: string;
  created_at: number;
}

/** A link that does one thing once; by the SHA-256 of its token (hex). It is removed when it is used. */
export interface OneTimeLinkRow {
  id: string;
  hash: string;
  kind: 'activation' | 'reset' | 'invitation';
  email: string;
  /** Null for an invitation: who takes it may have no account yet. */
  account_id: string | null;
  /** Where an invitation leads to; empty for the others. */
  organization_id: string;
  role: MembershipRow['role'] | null;
  created_by: string;
  created_at: number;
  expires_at: number;
}

/** By the SHA-256 of its cookie (hex), which changes at each step up; the id stays. */
export interface SessionRow {
  id: string;
  hash: string;
  account_id: string;
  method: 'password' | 'passkey' | 'sso' | 'link';
  created_at: number;
  /** When the person last proved who they are. */
  authenticated_at: number;
  seen_at: number;
  expires_at: number;
  address: string;
  user_agent: string;
}

/** Something that was asked and waits for its one answer, by the SHA-256 of what the answer must carry (hex). */
export interface ChallengeRow {
  hash: string;
  kind: 'second-factor' | 'passkey-sign-in' | 'passkey-second-factor' | 'passkey-fresh' | 'passkey-enrolment' | 'sso';
  account_id: string | null;
  /** JSON. */
  facts: string;
  created_at: number;
  expires_at: number;
}

/** Wrong guesses about a subject: when all of them are forgotten tells how many weigh at the moment. */
export interface GuessRow {
  subject: string;
  empty_at: number;
}

/** A browser from which a person has signed in, by the SHA-256 of its cookie (hex). */
export interface FamiliarDeviceRow {
  account_id: string;
  hash: string;
  created_at: number;
  seen_at: number;
}

export interface TotpRow {
  account_id: string;
  id: string;
  sealed: Uint8Array;
  key_id: string;
  /** Null while the person has not shown a first code. */
  confirmed_at: number | null;
  /** The time step of the newest code that was accepted: none up to it is accepted again. */
  last_step: number;
  created_at: number;
}

export interface PasskeyRow {
  id: string;
  account_id: string;
  /** Base64url, as the authenticator names it. */
  credential_id: string;
  /** COSE_Key (RFC 9052 §7). */
  public_key: Uint8Array;
  counter: number;
  /** JSON list. */
  transports: string;
  name: string;
  created_at: number;
  used_at: number | null;
}

/** By the SHA-256 of the code (hex). */
export interface RecoveryCodeRow {
  account_id: string;
  hash: string;
  used_at: number | null;
}

/** What automation manages with; its tokens are in `token`. `organization_id` is empty for the whole instance. */
export interface ManagementKeyRow {
  organization_id: string;
  id: string;
  name: string;
  role: MembershipRow['role'] | 'operator';
  enabled: Flag;
  allow_list: string;
  expires_at: number | null;
  created_by: string;
  created_at: number;
  updated_at: number;
}

// Management API (0005)

/** A creation with an Idempotency-Key. `sealed` is its answer, null while it is under way. */
export interface ApiAnswerRow {
  actor: string;
  /** SHA-256 of the key (hex). */
  key_hash: string;
  fingerprint: string;
  begun_at: number;
  sealed: Uint8Array | null;
}

// Figures of pushing (0006)

/** Buckets of attempts by how long they took; what they hold is in push-minutes.ts. */
export type AttemptBuckets = Record<`b${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13}`, number>;

/** Attempts of one setting that ended in one minute, over all nodes. `minute` is epoch minutes. */
export type PushMinuteRow = {
  organization_id: string;
  setting_id: string;
  minute: number;
  delivered: number;
} & AttemptBuckets;
