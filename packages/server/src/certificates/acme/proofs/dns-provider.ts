/** A TXT record that proves a name. */
export interface ProofRecord {
  /** Where the record stands, without a trailing dot: `_acme-challenge.…`, or the target of its CNAME. */
  readonly name: string;
  readonly value: string;
  /** Seconds. */
  readonly ttl: number;
}

export type DnsResult =
  /** `byHand` says what is left to a person, and is shown. */
  | { readonly kind: 'done'; readonly byHand?: string }
  /** `words` are the provider's own, without secrets. */
  | { readonly kind: 'failed'; readonly words: string; readonly temporary: boolean };

/**
 * One account at a DNS provider. `present` adds a record and keeps others of the same name: a wildcard and its parent
 * are proved by two records of one name. Both may be repeated.
 */
export interface DnsProvider {
  present(record: ProofRecord, signal: AbortSignal): Promise<DnsResult>;
  cleanUp(record: ProofRecord, signal: AbortSignal): Promise<DnsResult>;
  /** Proves that the credentials may write records of a domain, and leaves nothing behind. */
  test(domain: string, signal: AbortSignal): Promise<DnsResult>;
}
