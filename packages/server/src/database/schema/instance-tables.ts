/** What belongs to the instance as a whole. */
export interface InstanceTables {
  schema_migration: { id: number; name: string; applied_at: number };
  instance_fact: InstanceFactRow;
  node: NodeRow;
  master_key: MasterKeyRow;
  change_counter: { name: string; value: number };
  change_log: ChangeLogRow;
  lease: LeaseRow;
  api_answer: ApiAnswerRow;
}

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
  /** Its organization; null: only operators may hear of it. */
  organization_id: string | null;
}

/** Who alone may do something at the moment. `until` is by the database's clock; `epoch` rises with each holder. */
export interface LeaseRow {
  name: string;
  holder: string;
  epoch: number;
  until: number;
}

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
