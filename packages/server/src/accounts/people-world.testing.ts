import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { AccountActor, Credentials } from '../api/actor.ts';
import { type AuditTrail, createAuditTrail } from '../audit/audit-trail.ts';
import { type ChangeFeed, createChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import type { Open } from '../database/testing.ts';
import { parseAddress } from '../http/request/ip-address.ts';
import { createManagementKeys, type ManagementKeys } from '../organizations/manage-management-keys.ts';
import { createFindManagementKey } from '../organizations/management-key-facts.ts';
import { createOrganizations, type Organizations } from '../organizations/organization.ts';
import type { Clock } from '../runtime/clock.ts';
import { Problem, type ProblemCode } from '../runtime/problem.ts';
import { keyCheck } from '../secrets/key-material.ts';
import { type KeyRing, newMasterKey } from '../secrets/key-ring.ts';
import { createPeople, type People, type SsoSettings } from './compose-accounts.ts';
import type { Argon2Parameters } from './factors/password-hash.ts';
import type { SessionClient } from './sessions/session-client.ts';
import type { SessionLimits } from './sessions/session-rules.ts';
import type { OneTimeLink } from './sign-in/one-time-link.ts';
import type { SignedIn, SignInStep } from './sign-in/sign-in.ts';
import type { SsoRefusal, SsoStep } from './sign-in/sso.ts';

export interface PeopleClock extends Clock {
  advance(ms: number): void;
  set(ms: number): void;
}

/** People on a fresh database. Servers share the database, each with its own memory. */
export interface PeopleWorld extends ServerOfPeople {
  readonly database: Database;
  readonly clock: PeopleClock;
  readonly audit: AuditTrail;
  ring: KeyRing;
  /** Another server on the same database. */
  server(options?: WorldOptions): ServerOfPeople;
  /** An operator with a password who has not signed in since. */
  operator(email?: string): Promise<{ id: string; email: string }>;
  /** Signs in by password; fails when more is asked for. */
  signIn(email: string, client?: SessionClient): Promise<Person>;
}

export interface ServerOfPeople {
  readonly feed: ChangeFeed;
  readonly people: People;
  readonly organizations: Organizations;
  readonly managementKeys: ManagementKeys;
  readonly findManagementKey: Credentials['findManagementKey'];
  readonly errors: readonly unknown[];
  /** Of sign-ins by the identity provider, as the log hears of them. */
  readonly refusals: readonly SsoRefusal[];
}

export interface Person extends SignedIn {
  readonly actor: AccountActor;
}

export interface WorldOptions {
  readonly argon2?: Argon2Parameters;
  readonly baseUrl?: string;
  readonly sso?: SsoSettings;
  readonly sessionLimits?: Partial<SessionLimits>;
}

export const password = 'unrelated words 7 herons';
/** Cheap: what is tested is what is done with hashes. */
const quickParameters: Argon2Parameters = { memory: 8, passes: 1, parallelism: 1 };
export const standardLimits: SessionLimits = { idleMs: 12 * 3_600_000, absoluteMs: 7 * 86_400_000, perAccount: 50 };
export const standardBaseUrl = 'https://wax.example.com';

export function clientAt(address: string, device?: string): SessionClient {
  return { address: parseAddress(address), userAgent: 'a browser', device };
}

export const somewhere = clientAt('203.0.113.7');

export async function openPeople(t: TestContext, open: Open, options: WorldOptions = {}): Promise<PeopleWorld> {
  const database = await open(t);
  let time = Date.UTC(2026, 0, 1);
  const clock: PeopleClock = {
    now: () => time,
    monotonic: () => time,
    advance(ms) {
      time += ms;
    },
    set(ms) {
      time = ms;
    },
  };
  const audit = createAuditTrail(database, randomBytes(32));
  const key = newMasterKey(clock.now(), randomBytes);
  await database.db
    .insertInto('master_key')
    .values({ id: key.id, key_check: keyCheck(key.key), created_at: key.createdAt })
    .execute();
  const rings = { ring: { current: key, keys: [key] } as KeyRing };

  function server(own: WorldOptions = options): ServerOfPeople {
    const feed = createChangeFeed(database, clock, async () => {});
    const errors: unknown[] = [];
    const refusals: SsoRefusal[] = [];
    const ground = { database, feed, audit, clock, wait: async () => {} };
    const people = createPeople({
      ground,
      retentionClock: clock,
      ring: () => rings.ring,
      baseUrl: own.baseUrl ?? standardBaseUrl,
      sessionLimits: { ...standardLimits, ...own.sessionLimits },
      sso: own.sso,
      onError: (error) => errors.push(error),
      onSsoRefused: (refusal) => refusals.push(refusal),
      argon2: own.argon2 ?? quickParameters,
    });
    const organizations = createOrganizations(ground);
    const managementKeys = createManagementKeys(ground);
    const findManagementKey = createFindManagementKey({ db: database.db, feed, clock });
    t.after(() => people.close());
    return { feed, people, organizations, managementKeys, findManagementKey, errors, refusals };
  }

  const first = server();
  const world: PeopleWorld = {
    ...first,
    database,
    clock,
    audit,
    get ring() {
      return rings.ring;
    },
    set ring(ring) {
      rings.ring = ring;
    },
    server,
    async operator(email = 'ops@example.com') {
      const { operator, link } = await first.people.operators.create('cli:test', email);
      const signedIn = await first.people.links.accept(tokenOf(link), password, undefined, somewhere);
      assert.ok(signedIn);
      // As if that session had never been: tests count the ones they make.
      await database.db.deleteFrom('session').where('account_id', '=', operator.id).execute();
      await database.db.deleteFrom('familiar_device').where('account_id', '=', operator.id).execute();
      return { id: operator.id, email };
    },
    async signIn(email, client = somewhere) {
      const signedIn = expectSignedIn(await first.people.signIn.withPassword(email, password, client));
      return { ...signedIn, actor: await actorOf(first, signedIn) };
    },
  };
  return world;
}

export async function actorOf({ people }: ServerOfPeople, { cookie }: Pick<SignedIn, 'cookie'>): Promise<AccountActor> {
  const actor = await people.sessions.find(cookie.reveal());
  assert.ok(actor, 'the cookie stands for nobody');
  return actor;
}

export function expectSignedIn(step: SsoStep | undefined): SignedIn {
  assert.ok(step?.state === 'signed-in', `not signed in: ${step?.state}`);
  return step;
}

export function expectSecondFactor(step: SignInStep) {
  assert.ok(step.state === 'second-factor', step.state);
  return { step: step.step.reveal(), factors: step.factors };
}

export function tokenOf(link: OneTimeLink | undefined): string {
  assert.ok(link);
  return new URL(link.url.reveal()).hash.replace('#token=', '');
}

/** @param reason of those that the code has */
export function refused(code: ProblemCode, field?: string, reason?: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, code, error.message);
    if (field !== undefined) assert.equal(error.field, field);
    if (reason !== undefined) assert.equal(error.reason, reason);
    return true;
  };
}

/** The actions recorded, oldest first. */
export async function recordedActions({ audit }: Pick<PeopleWorld, 'audit'>): Promise<string[]> {
  return (await audit.list({ limit: 200 })).map((entry) => entry.action).reverse();
}
