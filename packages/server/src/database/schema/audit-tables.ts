/** The audit trail. */
export interface AuditTables {
  audit_head: AuditHeadRow;
  audit_link: AuditLinkRow;
  audit_entry: AuditEntryRow;
  audit_index: AuditIndexRow;
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

/** What entries are found by: once for each term that concerns an entry of a link. */
export interface AuditIndexRow {
  /** `s:` and a subject, `o:` and an organization, or `c:` and the certificate whose private key was handed out. */
  term: string;
  link: number;
  /** Which entries of the link, with commas between them. */
  positions: string;
}

/** How far the index has come. Its one row is a lock. */
export interface AuditIndexStateRow {
  id: number;
  link: number;
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
