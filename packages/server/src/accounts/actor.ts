import type { IpAddress } from '../http/ip-address.ts';
import type { Role } from './roles.ts';

/** Who asks: a person who has signed in. */
export interface AccountActor {
  readonly kind: 'account';
  readonly accountId: string;
  /** Whether the person runs the instance. */
  readonly operator: boolean;
  readonly memberships: ReadonlyMap<string, Role>;
  readonly sessionId: string;
  /** When the person last proved who they are, here or at the identity provider; epoch milliseconds, 0: nobody knows. */
  readonly authenticatedAt: number;
}

/** Who asks: a program. */
export interface KeyActor {
  readonly kind: 'key';
  readonly keyId: string;
  /** Empty: a key of the instance, with the rights of an operator. */
  readonly organizationId: string;
  readonly role: Role | 'operator';
}

export type Actor = AccountActor | KeyActor;

/** How credentials become actors. Both are asked at every request, so that what is revoked ends at once. */
export interface Credentials {
  /**
   * @param cookie the cookie's value in clear
   * @param isUse whether the session counts as used, which is what its idle limit goes by; true when left out
   * @returns undefined when it is no session (any more)
   */
  findSession(cookie: string, isUse?: boolean): Promise<AccountActor | undefined>;
  /**
   * @param address undefined when it could not be determined: on no allow-list
   * @returns undefined for a token that is unknown, of another kind, disabled, expired, or of a suspended organization
   * @throws Problem `address_not_allowed`
   */
  findManagementKey(token: string, address: IpAddress | undefined): Promise<KeyActor | undefined>;
}

/** The actor as the audit trail names it. */
export function auditName(actor: Actor): string {
  return actor.kind === 'account' ? `account:${actor.accountId}` : `key:${actor.keyId}`;
}

/** The management key that an audit name stands for; undefined for people, and for whoever has the machine. */
export function keyIdIn(by: string): string | undefined {
  return by.startsWith('key:') ? by.slice('key:'.length) : undefined;
}

/** What idempotency keys belong to: an answer is sealed by its session's cookie, so another session cannot read it. */
export function actorKey(actor: Actor): string {
  return actor.kind === 'account' ? `session:${actor.sessionId}` : `key:${actor.keyId}`;
}
