import type { KeyObject } from 'node:crypto';

/** The account of an authority, by which requests are signed. */
export interface AcmeAccount {
  /** The account's URL, the `kid` of its requests (RFC 8555 §6.2). */
  readonly url: string;
  readonly key: KeyObject;
}

/** Why a request was not done. `words` are the authority's own, or tell what happened on the way to it. */
export interface AcmeFailure {
  readonly kind: 'failed';
  /**
   * `urn:ietf:params:acme:error:` is cut off, such as `rateLimited`. Null: the authority did not answer so, and may
   * have done what it was asked for. `notSent`, ours: the request did not get as far as the authority.
   */
  readonly type: string | null;
  readonly words: string;
  /** Whether the same request may succeed later. */
  readonly temporary: boolean;
  readonly retryAfterMs: number | null;
  /** Per identifier, where the authority says so (RFC 8555 §6.7.1). */
  readonly subproblems: readonly { readonly identifier: string; readonly type: string; readonly words: string }[];
}

export type AcmeAnswer<T> = ({ readonly kind: 'done' } & T) | AcmeFailure;

export interface AcmeIdentifier {
  readonly type: 'dns' | 'ip';
  /** An A-label in lower case, with `*.` for a wildcard, or an address. */
  readonly value: string;
}

export interface AcmeOrder {
  readonly status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  readonly identifiers: readonly AcmeIdentifier[];
  /** Epoch milliseconds. */
  readonly expires: number | null;
  readonly authorizations: readonly string[];
  readonly finalize: string;
  readonly certificate: string | null;
  readonly error: AcmeFailure | null;
}

export interface AcmeChallenge {
  readonly type: string;
  readonly url: string;
  readonly token: string;
  readonly status: 'pending' | 'processing' | 'valid' | 'invalid';
  readonly error: AcmeFailure | null;
}

export interface AcmeAuthorization {
  readonly status: 'pending' | 'valid' | 'invalid' | 'deactivated' | 'expired' | 'revoked';
  readonly identifier: AcmeIdentifier;
  readonly wildcard: boolean;
  readonly challenges: readonly AcmeChallenge[];
}

export interface AcmeDirectory {
  /** Whether it answers ARI (RFC 9773). */
  readonly hasRenewalInfo: boolean;
  readonly needsExternalAccount: boolean;
  readonly profiles: readonly string[];
  readonly termsOfService: string | null;
}

/**
 * One authority (RFC 8555). No request throws: each tells what it met. A request is repeated by itself after `badNonce`
 * alone; whoever calls repeats the others.
 */
export interface AcmeClient {
  directory(signal: AbortSignal): Promise<AcmeAnswer<AcmeDirectory>>;
  /** Finds the account of this key, or makes it. */
  register(
    key: KeyObject,
    request: {
      readonly email: string;
      readonly externalAccount?: { readonly kid: string; readonly hmacKey: Uint8Array };
    },
    signal: AbortSignal,
  ): Promise<AcmeAnswer<{ readonly url: string; readonly ordersUrl: string | null; readonly existed: boolean }>>;
  /** The account of this key, where there is one; else it fails by `accountDoesNotExist`. */
  findAccount(key: KeyObject, signal: AbortSignal): Promise<AcmeAnswer<{ readonly url: string }>>;
  /** Tells the authority where it can write to. */
  setContact(account: AcmeAccount, email: string, signal: AbortSignal): Promise<AcmeAnswer<object>>;
  changeKey(account: AcmeAccount, newKey: KeyObject, signal: AbortSignal): Promise<AcmeAnswer<object>>;
  placeOrder(
    account: AcmeAccount,
    request: {
      readonly identifiers: readonly AcmeIdentifier[];
      readonly profile?: string;
      /**
       * The ARI id of the certificate that this one replaces. It is sent to authorities with ARI only. The caller leaves
       * it out in a second try when it is refused, such as by `alreadyReplaced`.
       */
      readonly replaces?: string;
    },
    signal: AbortSignal,
  ): Promise<AcmeAnswer<{ readonly url: string; readonly order: AcmeOrder }>>;
  /** The URLs of an account's orders, where the authority lists them (RFC 8555 §7.1.2.1). */
  listOrders(
    account: AcmeAccount,
    ordersUrl: string,
    signal: AbortSignal,
  ): Promise<AcmeAnswer<{ readonly urls: readonly string[] }>>;
  readOrder(
    account: AcmeAccount,
    url: string,
    signal: AbortSignal,
  ): Promise<AcmeAnswer<{ readonly order: AcmeOrder; readonly retryAfterMs: number | null }>>;
  readAuthorization(
    account: AcmeAccount,
    url: string,
    signal: AbortSignal,
  ): Promise<AcmeAnswer<{ readonly authorization: AcmeAuthorization; readonly retryAfterMs: number | null }>>;
  /** Takes back a proof, so that no later order of the account is spared it (RFC 8555 §7.5.2). @param url of the authorization */
  deactivate(account: AcmeAccount, url: string, signal: AbortSignal): Promise<AcmeAnswer<object>>;
  /** Tells the authority that a challenge can be checked. */
  offerChallenge(account: AcmeAccount, url: string, signal: AbortSignal): Promise<AcmeAnswer<object>>;
  /** @param request DER of PKCS#10 */
  finalize(
    account: AcmeAccount,
    url: string,
    request: Uint8Array,
    signal: AbortSignal,
  ): Promise<AcmeAnswer<{ readonly order: AcmeOrder; readonly retryAfterMs: number | null }>>;
  /** The chain in PEM, and the URLs of alternate chains. */
  download(
    account: AcmeAccount,
    url: string,
    signal: AbortSignal,
  ): Promise<AcmeAnswer<{ readonly pem: string; readonly alternates: readonly string[] }>>;
  /**
   * @param by the account that it was issued to, or the certificate's own key
   * @param certificate DER
   */
  revoke(
    by: AcmeAccount | Pick<AcmeAccount, 'key'>,
    certificate: Uint8Array,
    signal: AbortSignal,
  ): Promise<AcmeAnswer<object>>;
  /** @param id as `renewalId` makes it; `retryAfterMs` as the authority says, not clamped */
  renewalInfo(
    id: string,
    signal: AbortSignal,
  ): Promise<
    AcmeAnswer<{
      readonly start: number;
      readonly end: number;
      readonly explanation: string | null;
      readonly retryAfterMs: number | null;
    }>
  >;
}
