import type { Flag } from './column-types.ts';

/** Authorities, DNS providers, and how certificates are issued by them. */
export interface AcmeTables {
  authority: AuthorityRow;
  dns_provider: DnsProviderRow;
  certificate_request: CertificateRequestRow;
  acme_order: AcmeOrderRow;
  acme_step: AcmeStepRow;
  acme_challenge: AcmeChallengeRow;
}

/** A certification authority with our account there. It is the instance's. */
export interface AuthorityRow {
  id: string;
  name: string;
  preset: string | null;
  directory: string;
  /** PEM. Roots that its HTTPS may end at, beside those of the machine. */
  root_pem: string | null;
  email: string;
  account_key: string;
  /** PKCS#8 in PEM. */
  sealed_key: Uint8Array;
  /** The key that the account is about to get. Null: it keeps its key. */
  next_sealed_key: Uint8Array | null;
  /** The master key of all sealed columns. */
  key_id: string;
  /** Null: no account is known yet. */
  account_url: string | null;
  orders_url: string | null;
  eab_kid: string | null;
  /** The HMAC key as it was given: base64url. */
  sealed_eab: Uint8Array | null;
  profile: string | null;
  /** In a row, of all certificates together. */
  failures: number;
  /** Until when no order begins by itself; null: any may. */
  rests_until: number | null;
  created_at: number;
  updated_at: number;
}

/** An account at a DNS provider, for DNS-01. */
export interface DnsProviderRow {
  organization_id: string;
  id: string;
  kind: string;
  name: string;
  /** JSON: what `--option` set. */
  options: string;
  sealed: Uint8Array | null;
  key_id: string | null;
  created_at: number;
  updated_at: number;
}

/** What was asked for, and when it is done again. One for each certificate that is issued here. */
export interface CertificateRequestRow {
  organization_id: string;
  certificate_id: string;
  /** JSON: ids in the order in which they are tried. */
  authorities: string;
  /** The place in `authorities` of the one that is asked next. */
  authority_index: number;
  /** JSON: A-labels and addresses in the order of the request. */
  domains: string;
  challenge: 'http-01' | 'tls-alpn-01' | 'dns-01';
  dns_provider_id: string | null;
  key_kind: string;
  keep_key: Flag;
  profile: string | null;
  /** When the next order begins; null while one runs, and after a revocation. */
  next_at: number | null;
  window_start: number | null;
  window_end: number | null;
  /** When the authority is asked for its window; null: it has none. */
  ari_next_at: number | null;
  /** Orders in a row that failed. */
  attempts: number;
  last_error: string | null;
  last_error_at: number | null;
  /** The latest order, under way or not. */
  order_id: string | null;
  /** The authority of the latest version that was issued here; null: none was. */
  issued_by: string | null;
  created_at: number;
  updated_at: number;
}

/** One order. `next_at` is null once it has ended. */
export interface AcmeOrderRow {
  organization_id: string;
  id: string;
  certificate_id: string;
  authority_id: string;
  purpose: 'first' | 'renewal';
  step: string;
  /** Rises with every write: whoever acted on an older state writes nothing. */
  revision: number;
  /** The hash of the names, to find other orders for them. */
  names_hash: string;
  url: string | null;
  finalize: string | null;
  certificate_url: string | null;
  /** The private key of the version to come: PKCS#8 in PEM. */
  sealed_key: Uint8Array | null;
  key_id: string | null;
  /** The ARI id of the version that it replaces. */
  replaces: string | null;
  /** When the authority was about to be asked for the order. */
  intent_at: number | null;
  next_at: number | null;
  /** In this step. */
  attempts: number;
  step_since: number;
  failure: string | null;
  /** What the present step waits for, in words; null: nothing is known of it. */
  waits_for: string | null;
  /** When the CNAMEs of managed delegation were looked for; null: they were not. */
  looked_at: number | null;
  /** JSON: where none was found then. */
  missing: string | null;
  /** The version that it brought. */
  version_id: string | null;
  /** When the authority is told of the revocation of that version; null: it has not to be. */
  revoke_at: number | null;
  revoke_attempts: number;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
}

/** What happened to an order. */
export interface AcmeStepRow {
  organization_id: string;
  order_id: string;
  number: number;
  at: number;
  step: string;
  domain: string | null;
  /** The authority's or the provider's own on failure. */
  words: string | null;
  ok: Flag;
}

/** A proof that an authority asks for. It answers requests as long as the row is there. */
export interface AcmeChallengeRow {
  token: string;
  organization_id: string;
  order_id: string;
  type: 'http-01' | 'tls-alpn-01' | 'dns-01';
  /** Without `*.`. */
  domain: string;
  authorization_url: string;
  challenge_url: string;
  key_authorization: string;
  /** By which its record is set; null: no record is. */
  dns_provider_id: string | null;
  /** Of DNS-01: where its TXT record stands, and its value. */
  record_name: string | null;
  record_value: string | null;
  /** 1 from the moment before the record may be there. */
  /** 1: the provider was asked to set the record; 2: it has answered that it did. 0: neither, or it is removed. */
  presented: number;
  offered: Flag;
  created_at: number;
}
