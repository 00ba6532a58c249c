import type { Role } from '@waxwing/contract/management-api/action-roles.ts';
import type { IpAddress } from '../http/request/ip-address.ts';

export interface AccountActor {
  readonly kind: 'account';
  readonly accountId: string;
  /** Whether the person is an operator of the instance. */
  readonly operator: boolean;
  readonly memberships: ReadonlyMap<string, Role>;
  readonly sessionId: string;
  /** When the person last proved their identity, here or at the identity provider; epoch milliseconds, 0 if unknown. */
  readonly authenticatedAt: number;
}

export interface KeyActor {
  readonly kind: 'key';
  readonly keyId: string;
  /** Empty for a key of the instance, which has an operator's rights. */
  readonly organizationId: string;
  readonly role: Role | 'operator';
}

/** Who asks: whoever may open the data folder or the database, by the command line. Has the rights of an operator. */
export interface CliActor {
  readonly kind: 'cli';
  /** Of the account on the machine. */
  readonly name: string;
}

/** Names that account, percent-encoded. It counts where nobody else can connect, and nowhere else. */
export const cliActorHeader = 'waxwing-actor';

export type Actor = AccountActor | KeyActor | CliActor;

/** Turns credentials into actors. Asked on every request, so that a revocation takes effect at once. */
export interface Credentials {
  /** @param isUse whether the idle limit starts again; by default true. @returns undefined without a valid session */
  findSession(cookie: string, isUse?: boolean): Promise<AccountActor | undefined>;
  /** @param address undefined if unknown. @returns undefined for an invalid token. @throws `address_not_allowed` */
  findManagementKey(token: string, address: IpAddress | undefined): Promise<KeyActor | undefined>;
}

/** Whether the actor has the rights of an operator, in every organization. */
export function runsInstance(actor: Actor): boolean {
  switch (actor.kind) {
    case 'account':
      return actor.operator;
    case 'key':
      return actor.organizationId === '';
    case 'cli':
      return true;
  }
}

/** The actor as the audit trail names it. */
export function auditName(actor: Actor): string {
  switch (actor.kind) {
    case 'account':
      return `account:${actor.accountId}`;
    case 'key':
      return `key:${actor.keyId}`;
    case 'cli':
      return `cli:${actor.name}`;
  }
}

/** The management key in an audit name. Undefined for people, and for commands on the machine. */
export function keyIdIn(by: string): string | undefined {
  return by.startsWith('key:') ? by.slice('key:'.length) : undefined;
}

/** The owner of idempotency keys: the session or key, since its credential seals the answers. */
export function actorKey(actor: Actor): string {
  return actor.kind === 'account' ? `session:${actor.sessionId}` : auditName(actor);
}
