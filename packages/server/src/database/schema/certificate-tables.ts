import type { Flag } from './column-types.ts';

/** Certificates, and the deployments that fetch them. */
export interface CertificateTables {
  certificate: CertificateRow;
  certificate_version: CertificateVersionRow;
  certificate_name: CertificateNameRow;
  deployment: DeploymentRow;
  deployment_activity: DeploymentActivityRow;
  deployment_refusal: DeploymentRefusalRow;
}

export interface CertificateRow {
  organization_id: string;
  id: string;
  name: string;
  state: 'pending' | 'issued' | 'failed' | 'revoked';
  source: 'imported' | 'acme';
  current_version: string | null;
  /** When `current_version` became the current one. */
  current_since: number | null;
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
  /** JSON: what is worth a look in leaf and chain. Null: not judged yet. */
  remarks: string | null;
  /** PEM. A root that was given at the import counts as known for this version. */
  given_root: string | null;
}

/** The domains of the current version of every certificate that is issued. */
export interface CertificateNameRow {
  organization_id: string;
  name: string;
  certificate_id: string;
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
  /** When it began to fetch `last_version`; 0: not known, from before this was kept. */
  version_since: number;
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
