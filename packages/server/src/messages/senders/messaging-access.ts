import type { Credential } from '../../http/request/credential.ts';
import type { IpAddress } from '../../http/request/ip-address.ts';
import type { AllowList } from '../../http/request/ip-allow-list.ts';
import { hasPassed } from '../../runtime/clock.ts';
import type { ProblemCode } from '../../runtime/problem.ts';

/** The facts about a presented token. Times are epoch milliseconds; null: it does not expire. */
export interface MessagingTokenFacts {
  readonly organizationId: string;
  /** Its messaging key is gone. */
  readonly disabled: boolean;
  /** Of a token of another kind: its holder's end counts, too. */
  readonly expiresAt: number | null;
  readonly organizationSuspended: boolean;
  /** Undefined: a token of another kind (deployment, management). */
  readonly key: MessagingKeyFacts | undefined;
}

export interface MessagingKeyFacts {
  readonly id: string;
  readonly enabled: boolean;
  /** Whether it may send. */
  readonly permitted: boolean;
  /** Whether it takes its token from the query parameter `key`. */
  readonly queryToken: boolean;
  readonly expiresAt: number | null;
  readonly allowList: AllowList;
}

export type MessagingRefusal = Extract<
  ProblemCode,
  'missing_token' | 'invalid_token' | 'token_not_permitted' | 'address_not_allowed'
>;

/** Who a request is from. */
export interface Sender {
  readonly organizationId: string;
  /** The messaging key. */
  readonly keyId: string;
}

export type MessagingAccess =
  | { readonly kind: 'admitted'; readonly sender: Sender }
  | { readonly kind: 'refused'; readonly code: MessagingRefusal };

/**
 * The first four checks of the error table, as for certificates: who a request is from, or why it is refused.
 *
 * @param facts undefined when nobody knows the token
 * @param address undefined when it could not be determined: such a client is on no allow-list
 * @param now epoch milliseconds
 */
export function messagingAccess(
  facts: MessagingTokenFacts | undefined,
  credential: Credential,
  address: IpAddress | undefined,
  now: number,
): MessagingAccess {
  const key = facts?.key;
  if (credential.kind === 'none') return refused('missing_token');
  if (credential.kind === 'ambiguous') return refused('invalid_token');
  if (credential.source === 'query' && key?.queryToken === false) return refused('missing_token');
  if (facts === undefined || !isValid(facts, now)) return refused('invalid_token');
  if (!key?.permitted) return refused('token_not_permitted');
  if (!key.allowList.allows(address)) return refused('address_not_allowed');
  return { kind: 'admitted', sender: { organizationId: facts.organizationId, keyId: key.id } };
}

function refused(code: MessagingRefusal): MessagingAccess {
  return { kind: 'refused', code };
}

function isValid({ disabled, expiresAt, organizationSuspended, key }: MessagingTokenFacts, now: number): boolean {
  if (disabled || organizationSuspended || hasPassed(expiresAt, now)) return false;
  return key === undefined || (key.enabled && !hasPassed(key.expiresAt, now));
}
