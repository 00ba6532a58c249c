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
  operator: OperatorRow;
  token: TokenRow;
  certificate: CertificateRow;
  certificate_version: CertificateVersionRow;
  deployment: DeploymentRow;
  deployment_activity: DeploymentActivityRow;
  deployment_refusal: DeploymentRefusalRow;
}

export type Flag = 0 | 1;

/** One sealed or plain fact about the whole instance, such as the sealed key of the audit trail. */
export interface InstanceFactRow {
  name: string;
  value: Uint8Array;
}

/** One running server, by its heartbeat: which master keys it holds. */
export interface NodeRow {
  id: string;
  version: string;
  started_at: number;
  seen_at: number;
  key_ids: string;
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

/** A person who runs the instance. */
export interface OperatorRow {
  id: string;
  email: string;
  created_at: number;
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
