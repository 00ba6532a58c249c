import type { Flag } from './column-types.ts';

/** Pushes and where they go. */
export interface PushTables {
  push_setting: PushSettingRow;
  push_secret: PushSecretRow;
  push: PushRow;
  push_history: PushHistoryRow;
  push_attempt: PushAttemptRow;
  push_resend: PushResendRow;
  push_minute: PushMinuteRow;
}

/** Where an organization's pushes of one kind go. Deleted with the organization alone: what waits always has a setting. */
export interface PushSettingRow {
  organization_id: string;
  id: string;
  kind: 'status' | 'uplink';
  shard: number;
  /** Up to its path; of an earlier version the whole URL until it is sealed. */
  url: string;
  /** What stands behind the path; null where nothing does. */
  sealed_query: Uint8Array | null;
  query_key_id: string | null;
  enabled: Flag;
  timeout_ms: number;
  retries: number;
  concurrency: number;
  created_at: number;
  updated_at: number;
  /** When it was last switched on or off. */
  switched_at: number;
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

/** Buckets of attempts by how long they took; what they hold is in push-minutes.ts. */
export type AttemptBuckets = Record<`b${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13}`, number>;

/** Attempts of one setting that ended in one minute, over all nodes. `minute` is epoch minutes. */
export type PushMinuteRow = {
  organization_id: string;
  setting_id: string;
  minute: number;
  delivered: number;
} & AttemptBuckets;
