/** The audit trail. */
export interface AuditTables {
  audit_head: AuditHeadRow;
  audit_link: AuditLinkRow;
  audit_entry: AuditEntryRow;
  audit_index_run: AuditIndexRunRow;
  audit_index_page: AuditIndexPageRow;
  audit_index_state: AuditIndexStateRow;
  audit_segment: AuditSegmentRow;
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

/** How far the index has come, and the highest number a run was given. Its one row is the lock of the two. */
export interface AuditIndexStateRow {
  id: number;
  link: number;
  last_run: number;
}

/** The terms of the entries of some links, in the order of their hashes. */
export interface AuditIndexRunRow {
  id: number;
  level: number;
  first_link: number;
  last_link: number;
  /** `building` of others, whose links it will stand for; `ready`; `dropped`, with pages that are still to be removed. */
  state: 'building' | 'ready' | 'dropped';
  /** How many pages were written. */
  pages: number;
}

/** A part of a run, by its first record. */
export interface AuditIndexPageRow {
  run: number;
  hash: number;
  link: number;
  position: number;
  records: Uint8Array;
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
