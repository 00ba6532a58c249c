/** What a verification of the audit trail can find: stable codes and parameter names. The server has the sentences. */
import type { ParametersNamed } from './shared-schemas.ts';

export const auditFaults = {
  // The head.
  head_removed: [],
  head_of_another_link: [],
  head_of_another_day: [],
  chain_cut_off: ['end', 'head'],
  // Links and their entries.
  links_missing: ['first', 'last'],
  link_changed: [],
  entries_miscounted: ['entries', 'expected'],
  entries_without_link: [],
  rows_without_link: [],
  // The summaries of closed days.
  summary_changed: ['day'],
  summary_missing: ['day'],
  summary_out_of_sequence: ['day'],
  summary_of_other_links: ['day'],
  // The head that was noted elsewhere.
  expected_head_removed: [],
  expected_head_not_passed: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type AuditFaultCode = keyof typeof auditFaults;

/** The parameters of a fault's sentence. */
export type AuditFaultParameters<Code extends AuditFaultCode> = ParametersNamed<(typeof auditFaults)[Code]>;
