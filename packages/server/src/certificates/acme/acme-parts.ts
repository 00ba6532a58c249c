import type { KeyObject } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import type { KeyKind } from '@waxwing/pki/generate-key.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import type { DnsProvider, DnsResult, ProofRecord } from './proofs/dns-provider.ts';
import type { AcmeClient, AcmeIdentifier } from './protocol/acme-port.ts';

/** Whom an order is placed with. */
export interface AuthorityAddress {
  readonly directory: string;
  /** PEM. Roots that its HTTPS may end at, beside those of the machine. */
  readonly rootPem: string | undefined;
}

/** What a renewal is planned by. Times are epoch milliseconds. */
export interface RenewalFacts {
  readonly now: number;
  readonly notBefore: number;
  readonly notAfter: number;
  /** The authority's (ARI), where it has one. */
  readonly window: { readonly start: number; readonly end: number } | undefined;
  /** From 0 to 1, drawn anew for each version. */
  readonly random: number;
}

export interface ProviderAccount {
  readonly kind: string;
  readonly options: Readonly<Record<string, string>>;
  readonly secret: SecretText | undefined;
}

/** Everything that issuing needs from beside this service: the authority, keys, and DNS. `compose-acme.ts` plugs it in. */
export interface AcmeParts {
  client(authority: AuthorityAddress): AcmeClient | Promise<AcmeClient>;
  /** RFC 8555 §8.1: the token and the thumbprint of the account's key. */
  keyAuthorization(accountKey: KeyObject, token: string): string | Promise<string>;
  newKey(kind: KeyKind): Promise<KeyObject>;
  /** DER of PKCS#10 for these names. */
  certificateRequest(key: KeyObject, identifiers: readonly AcmeIdentifier[]): Uint8Array | Promise<Uint8Array>;
  /** By which ARI knows a certificate (RFC 9773 §4.1). Undefined: the certificate has none. @param leaf DER */
  renewalId(leaf: Uint8Array): string | undefined;
  /** When a version is renewed, epoch milliseconds. */
  renewalTime(facts: RenewalFacts): number;
  /** The certificate that proves a name by TLS-ALPN-01 (RFC 8737). */
  alpnCertificate(domain: string, keyAuthorization: string): SecureContext | Promise<SecureContext>;
  readonly dns: {
    /** What is wrong with the options of a provider: the field and a sentence. Empty: nothing. */
    checkAccount(account: ProviderAccount): Promise<readonly { readonly field: string; readonly message: string }[]>;
    provider(account: ProviderAccount): DnsProvider | Promise<DnsProvider>;
    /** Whether every authoritative server of the name answers with the record. */
    isVisible(record: ProofRecord, signal: AbortSignal): Promise<DnsResult>;
    /** Where a CNAME of the name leads in the end, without a trailing dot; undefined: there is none. */
    findAlias(name: string, signal: AbortSignal): Promise<string | undefined>;
  };
}
