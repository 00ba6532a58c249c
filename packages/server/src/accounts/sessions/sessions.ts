import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/account-operations.ts';
import type { AccountActor } from '../../api/actor.ts';
import type { Role } from '../../api/roles.ts';
import type { Ground } from '../../audit/ground.ts';
import type { Note } from '../../database/change-feed.ts';
import type { Db } from '../../database/database.ts';
import { createFactMemory } from '../../database/fact-memory.ts';
import type { SessionRow } from '../../database/schema/account-tables.ts';
import { newId, toRfc3339 } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import { orUnavailable } from '../../runtime/unavailable.ts';
import { isMembership, isOperator } from '../store/account.ts';
import { findAccounts, listMembershipsOf } from '../store/account-store.ts';
import { hashOfSecretValue, newSecretValue } from '../store/secret-value.ts';
import { listSsoIssuers } from '../store/sso-store.ts';
import type { SessionClient } from './session-client.ts';
import { hasEnded, isTouchDue, type SessionLimits } from './session-rules.ts';
import {
  deleteOldestSessions,
  deleteSessions,
  findSessionsByHash,
  insertSession,
  listSessions,
  replaceSessionHash,
  type SessionPart,
  touchSession,
} from './session-store.ts';

/** A session as its owner sees it. */
export type Session = Shown<contract.Session>;

export interface Sessions {
  /**
   * In the transaction that ends the sign-in, which has locked the account. Where it has as many sessions as it may, the
   * oldest ends. @returns the cookie's value, shown here and never again
   */
  start(
    trx: Db,
    note: Note,
    proven: ProvenSignIn,
    client: SessionClient,
  ): Promise<{ id: string; cookie: SecretText; expiresAt: number }>;
  /**
   * A new cookie for a session whose person has proved who they are: the one before is worth nothing from then on.
   * @param authenticatedAt when that was, epoch milliseconds; now when left out
   * @throws Problem `unauthenticated` when the session has ended meanwhile
   */
  renew(trx: Db, note: Note, actor: AccountActor, authenticatedAt?: number): Promise<SecretText>;
  /** Who a cookie stands for: asked at every request. @param isUse whether the session counts as used; true when left out */
  find(cookie: string, isUse?: boolean): Promise<AccountActor | undefined>;
  /** Newest first. */
  list(actor: AccountActor, part: SessionPart): Promise<Session[]>;
  /** @throws Problem `not_found` for what is no session of this person */
  end(actor: AccountActor, id: string): Promise<void>;
  /** Ends all but the one that asks; returns how many. */
  endOthers(actor: AccountActor): Promise<number>;
  /** In the transaction that begins another session in the same browser: its cookie is about to be overwritten. */
  endReplaced(trx: Db, note: Note, session: Pick<AccountActor, 'accountId' | 'sessionId'>): Promise<void>;
  /** Ends sessions of an account in the caller's transaction. @param except the one that stays */
  endAll(trx: Db, note: Note, accountId: string, except?: string): Promise<number>;
  /** The same of those that the identity provider began. */
  endVouched(trx: Db, note: Note, accountId: string): Promise<number>;
}

/** Who signs in, and by what. */
export interface ProvenSignIn {
  readonly accountId: string;
  readonly method: SessionRow['method'];
  /** When they proved who they are, epoch milliseconds; now when left out. */
  readonly authenticatedAt?: number | undefined;
}

export interface SessionsNeeds extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly limits: SessionLimits;
  /** Of the identity provider that is configured, a URL: a session that another one began has ended. */
  readonly issuer: string | undefined;
  /** Sessions kept in memory at most. */
  readonly maxEntries?: number;
}

interface KnownSession {
  readonly actor: AccountActor;
  readonly disabled: boolean;
  readonly expiresAt: number;
  /** Moves forward as this server records that the session was used. */
  seenAt: number;
}

const userAgentLimit = 256;
/** `Retry-After` of the 503 when the session cannot be looked up, seconds. */
const retryAfterSeconds = 1;

export function createSessions(needs: SessionsNeeds): Sessions {
  const { database, feed, audit, clock, limits, issuer, maxEntries = 10_000 } = needs;
  const facts = createFactMemory<KnownSession>({
    feed,
    restsOn: ({ actor }) => [`session:${actor.sessionId}`, `account:${actor.accountId}`],
    read: (hashes) => readSessions(database.db, hashes, issuer),
    maxEntries,
  });

  async function findLiving(hash: string, now: number): Promise<KnownSession | undefined> {
    const known = await orUnavailable(facts.recall(hash), retryAfterSeconds);
    if (known === undefined || known.disabled || now >= known.expiresAt) return undefined;
    if (!hasEnded(known, limits, now)) return known;
    // Another server may have recorded a later use.
    const read = await orUnavailable(facts.load(hash), retryAfterSeconds);
    return read === undefined || read.disabled || hasEnded(read, limits, now) ? undefined : read;
  }

  async function endSome(
    trx: Db,
    note: Note,
    accountId: string,
    choice: Parameters<typeof deleteSessions>[2],
  ): Promise<number> {
    const ended = await deleteSessions(trx, accountId, choice);
    for (const id of ended) note('session', id);
    return ended.length;
  }

  async function endOne(trx: Db, note: Note, accountId: string, id: string): Promise<boolean> {
    const [ended] = await deleteSessions(trx, accountId, { only: id });
    if (ended === undefined) return false;
    note('session', id);
    await audit.record(trx, [ofAccount(accountId, 'session.end', clock.now(), { session: id })]);
    return true;
  }

  async function endOldest(trx: Db, note: Note, accountId: string, at: number): Promise<void> {
    const ended = await deleteOldestSessions(trx, accountId, limits.perAccount - 1);
    for (const id of ended) note('session', id);
    const entries = ended.map((session) => ofAccount(accountId, 'session.end-oldest', at, { session }));
    if (entries.length > 0) await audit.record(trx, entries);
  }

  return {
    async start(trx, note, { accountId, method, authenticatedAt }, client) {
      const at = clock.now();
      await endOldest(trx, note, accountId, at);
      const cookie = newSecretValue();
      const row: SessionRow = {
        id: newId(at),
        hash: cookie.hash,
        account_id: accountId,
        method,
        created_at: at,
        authenticated_at: authenticatedAt ?? at,
        seen_at: at,
        expires_at: at + limits.absoluteMs,
        address: client.address?.text ?? '',
        user_agent: storable(client.userAgent),
      };
      await insertSession(trx, row);
      return { id: row.id, cookie: cookie.clear, expiresAt: row.expires_at };
    },

    async renew(trx, note, actor, authenticatedAt) {
      const at = clock.now();
      const cookie = newSecretValue();
      const session = { id: actor.sessionId, account_id: actor.accountId };
      const change = { hash: cookie.hash, authenticated_at: authenticatedAt ?? at, seen_at: at };
      if (!(await replaceSessionHash(trx, session, change))) throw new Problem('unauthenticated');
      note('session', actor.sessionId);
      return cookie.clear;
    },

    async find(cookie, isUse = true) {
      const hash = hashOfSecretValue(cookie);
      if (hash === undefined) return undefined;
      const now = clock.now();
      const known = await findLiving(hash, now);
      if (known === undefined) return undefined;
      if (isUse && isTouchDue(known, now)) {
        known.seenAt = now;
        await touchSession(database.db, known.actor.sessionId, now);
      }
      return known.actor;
    },

    async list(actor, part) {
      const living = { now: clock.now(), idleMs: limits.idleMs };
      const rows = await listSessions(database.db, actor.accountId, living, part);
      return rows.map((row) => toSession(row, actor.sessionId));
    },

    async end(actor, id) {
      await feed.write(async (trx, note) => {
        if (!(await endOne(trx, note, actor.accountId, id)))
          throw new Problem('not_found', { field: 'session', detail: `There is no session ${id}.` });
      });
    },

    async endReplaced(trx, note, { accountId, sessionId }) {
      await endOne(trx, note, accountId, sessionId);
    },

    endOthers: (actor) =>
      feed.write(async (trx, note) => {
        const ended = await endSome(trx, note, actor.accountId, { except: actor.sessionId });
        await audit.record(trx, [ofAccount(actor.accountId, 'session.end-others', clock.now(), { ended })]);
        return ended;
      }),

    endAll: (trx, note, accountId, except) => endSome(trx, note, accountId, except === undefined ? {} : { except }),
    endVouched: (trx, note, accountId) => endSome(trx, note, accountId, { method: 'sso' }),
  };
}

/** An audit entry of a person about themselves. */
export function ofAccount(accountId: string, action: AuditAction, at: number, detail: Record<string, unknown> = {}) {
  return {
    organizationId: '',
    actor: `account:${accountId}`,
    action,
    subject: accountId,
    at,
    detail: JSON.stringify(detail),
  };
}

async function readSessions(
  db: Db,
  hashes: readonly string[],
  issuer: string | undefined,
): Promise<Map<string, KnownSession>> {
  const rows = await findSessionsByHash(db, hashes);
  const ids = [...new Set(rows.map((row) => row.account_id))];
  const accounts = new Map((await findAccounts(db, ids)).map((row) => [row.id, row]));
  const memberships = Map.groupBy(await listMembershipsOf(db, ids), (row) => row.account_id);
  const issuers = await listSsoIssuers(db, [
    ...new Set(rows.filter(({ method }) => method === 'sso').map((row) => row.account_id)),
  ]);
  const living = rows.filter(
    (row) => row.method !== 'sso' || issuers.get(row.account_id)?.some((each) => isSameProvider(each, issuer)) === true,
  );
  return new Map(
    living.map((row): [string, KnownSession] => {
      const account = accounts.get(row.account_id);
      // Rights that the identity provider gave count only in a session that it vouched for. A person whom it has
      // dropped keeps none of them by a password or passkey.
      const isVouched = row.method === 'sso';
      const actor: AccountActor = {
        kind: 'account',
        accountId: row.account_id,
        operator: account !== undefined && isOperator(account, isVouched),
        memberships: new Map<string, Role>(
          (memberships.get(row.account_id) ?? [])
            .filter((membership) => isMembership(membership, isVouched))
            .map(({ organization_id, role }) => [organization_id, role]),
        ),
        sessionId: row.id,
        authenticatedAt: row.authenticated_at,
      };
      const disabled = account === undefined || account.disabled_at !== null;
      return [row.hash, { actor, disabled, expiresAt: row.expires_at, seenAt: row.seen_at }];
    }),
  );
}

/** By the host: some providers have an issuer for each customer, and one setting for all. */
function isSameProvider(issuer: string, configured: string | undefined): boolean {
  return configured !== undefined && URL.parse(issuer)?.origin === URL.parse(configured)?.origin;
}

function toSession(row: SessionRow, currentId: string): Session {
  return {
    id: row.id,
    current: row.id === currentId,
    method: row.method,
    address: row.address,
    user_agent: row.user_agent,
    created_at: toRfc3339(row.created_at),
    seen_at: toRfc3339(row.seen_at),
    expires_at: toRfc3339(row.expires_at),
  };
}

function storable(userAgent: string): string {
  return userAgent
    .slice(0, userAgentLimit)
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed();
}
