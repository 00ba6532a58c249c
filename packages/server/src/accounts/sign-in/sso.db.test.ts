import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { AccountActor } from '../../api/actor.ts';
import { may } from '../../api/roles.ts';
import { type Open, onBothDatabases } from '../../database/testing.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import type { People, SsoSettings } from '../compose-accounts.ts';
import {
  actorOf,
  expectSignedIn,
  openPeople,
  type PeopleWorld,
  password,
  recordedActions,
  refused,
  somewhere,
  tokenOf,
} from '../people-world.testing.ts';
import { type IdentityProvider, type ProviderFaults, startIdentityProvider } from './identity-provider.testing.ts';
import type { Sso, SsoStep } from './sso.ts';

interface SsoWorld extends PeopleWorld {
  readonly settings: SsoSettings;
  readonly provider: IdentityProvider;
  readonly sso: Sso;
  readonly acme: string;
  come(
    person: Readonly<Record<string, unknown>>,
    faults?: ProviderFaults,
    actor?: AccountActor,
  ): Promise<SsoStep | undefined>;
  /** Proves anew at the provider who is there. */
  prove(person: Readonly<Record<string, unknown>>, actor: AccountActor): Promise<SsoStep | undefined>;
  /** Resolves when the refusals up to now are recorded. */
  drain(): Promise<void>;
}

const signIn = { kind: 'sign-in' } as const;
const ann = { sub: 'u1', email: 'Ann@example.com', groups: ['ops'] };

async function openSso(t: TestContext, open: Open, more: readonly string[] = []): Promise<SsoWorld> {
  const provider = await startIdentityProvider(t);
  const world = await openPeople(t, open);
  const { id: acme } = await world.organizations.create('cli', 'Acme');
  const settings: SsoSettings = {
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: new SecretText(provider.clientSecret),
    clientSecretFile: undefined,
    allowedDomains: ['example.com'],
    roleClaim: 'groups',
    roles: ['ops=operator', `devs=${acme}/developer`, `leads=${acme}/owner`, ...more],
  };
  const server = world.server({ sso: settings });
  const { people } = server;
  const { sso } = people;
  assert.ok(sso);
  return {
    ...world,
    ...server,
    settings,
    provider,
    sso,
    drain: () => people.signIn.drain(),
    acme,
    async come(person, faults, actor) {
      const { url, cookie } = await sso.begin(actor === undefined ? signIn : { kind: 'connect', actor });
      return sso.finish(provider.authorize(url, person, faults), cookie.reveal(), actor, somewhere);
    },
    async prove(person, actor) {
      const { url, cookie } = await sso.begin({ kind: 'prove', actor });
      return sso.finish(provider.authorize(url, person), cookie.reveal(), actor, somewhere);
    },
  };
}

/** As the provider says that somebody has just signed in there. */
const justNow = ({ clock }: PeopleWorld) => ({ auth_time: clock.now() / 1000 });

onBothDatabases('sign-in by an identity provider', (open) => {
  test('makes an account for somebody whom a role awaits, known from then on by issuer and subject', async (t) => {
    const world = await openSso(t, open);
    const first = expectSignedIn(await world.come(ann));
    const actor = await actorOf(world, first);
    assert.equal(actor.operator, true);
    const me = await world.people.ownAccounts.show(actor);
    assert.equal(me.email, 'ann@example.com');
    const renamed = expectSignedIn(await world.come({ ...ann, email: 'ann.miller@example.com' }));
    assert.equal(renamed.accountId, first.accountId);
    assert.deepEqual(await recordedActions(world), [
      'organization.create',
      'sso.vouch',
      'session.create',
      'sso.vouch',
      'session.create',
    ]);
  });

  test('asks by the code flow with PKCE, state and nonce, all different each time', async (t) => {
    const world = await openSso(t, open);
    const [one, other] = [await world.sso.begin(signIn), await world.sso.begin(signIn)];
    const asked = Object.fromEntries(one.url.searchParams);
    assert.deepEqual(
      [asked.response_type, asked.scope, asked.code_challenge_method, asked.client_id, asked.redirect_uri],
      ['code', 'openid email profile', 'S256', 'waxwing', 'https://wax.example.com/api/v1/sign-in/sso/callback'],
    );
    for (const name of ['state', 'nonce', 'code_challenge']) {
      assert.match(asked[name] ?? '', /^[A-Za-z0-9_-]{43}$/, name);
      assert.notEqual(asked[name], other.url.searchParams.get(name), name);
    }
    assert.equal(one.url.href.includes(one.cookie.reveal()), false);
    const kept = JSON.stringify(await world.database.db.selectFrom('challenge').selectAll().execute());
    for (const secret of [one.cookie.reveal(), asked.state, asked.nonce])
      assert.equal(kept.includes(secret ?? ''), false);
  });

  const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
  const wrongs: readonly [string, ProviderFaults][] = [
    ['another nonce', { claims: { nonce: 'A'.repeat(43) } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another audience', { claims: { aud: 'somebody-else' } }],
    ['several audiences and another party', { claims: { aud: ['waxwing', 'x'], azp: 'x' } }],
    ['another issuer', { claims: { iss: 'https://evil.test' } }],
    ['a token that has expired', { claims: { iat: hourAgo - 300, exp: hourAgo } }],
    ['a signature by another key', { foreignKey: true }],
    ['no ID token', { noIdToken: true }],
    ['no subject', { claims: { sub: undefined } }],
    ['an unverified mail address', { claims: { email_verified: false } }],
    ['nothing about whether the address is verified', { claims: { email_verified: undefined } }],
    ['a verified address as text', { claims: { email_verified: 'true' } }],
    ['no mail address', { claims: { email: undefined } }],
    ['an address of another domain', { claims: { email: 'ann@evil.test' } }],
    ['an address of a domain below', { claims: { email: 'ann@sub.example.com' } }],
    ['no role', { claims: { groups: ['nothing'] } }],
    ['an error', { status: 500 }],
  ];
  test('refuses somebody for whom the provider gives', async (t) => {
    const world = await openSso(t, open);
    for (const [name, faults] of wrongs) {
      await t.test(name, () => assert.rejects(world.come(ann, faults), refused('sso_refused')));
    }
    assert.deepEqual(await world.database.db.selectFrom('account').selectAll().execute(), []);
    expectSignedIn(await world.come(ann));
  });

  test('tells the log of all who are refused, and the audit trail of those who have an account', async (t) => {
    const world = await openSso(t, open);
    const refusedAt = async () => {
      await world.drain();
      const entries = (await world.audit.list({ limit: 100 })).filter(({ action }) => action === 'sign-in.refuse');
      return entries.map(({ subject, detail }) => [subject, JSON.parse(detail)]);
    };
    await assert.rejects(world.come(ann, { claims: { nonce: 'A'.repeat(43) } }));
    await assert.rejects(world.come({ ...ann, groups: [] }));
    assert.deepEqual(await refusedAt(), [], 'nobody has an account');
    const [forged, ...others] = world.refusals;
    assert.deepEqual([forged?.code, forged?.address, others.length], ['sso_refused', '203.0.113.7', 1]);
    assert.match(forged?.cause ?? '', /claim/);
    assert.equal(others[0]?.reason, 'The identity provider gives you no role here.');

    const { id: squatter } = await world.operator('ann@example.com');
    await assert.rejects(world.come(ann), refused('sso_refused'));
    const told = { method: 'sso', address: '203.0.113.7' };
    assert.deepEqual(await refusedAt(), [[squatter, told]]);
    await assert.rejects(world.come(ann, { claims: { email_verified: false } }));
    assert.equal((await refusedAt()).length, 1, 'an address that the provider does not vouch for is nobody');

    const { accountId: bob } = expectSignedIn(await world.come({ ...ann, sub: 'u2', email: 'bob@example.com' }));
    await world.people.operators.setDisabled('cli:test', 'bob@example.com', true);
    await assert.rejects(
      world.come({ ...ann, sub: 'u2', email: 'bob@evil.test' }),
      refused('sso_refused', undefined, 'domain_not_allowed'),
    );
    await assert.rejects(world.come({ ...ann, sub: 'u2', email: 'bob@example.com' }), refused('wrong_credentials'));
    assert.deepEqual((await refusedAt()).slice(0, 2), [
      [bob, told],
      [bob, told],
    ]);
    assert.equal(world.refusals.length, 6);
    assert.equal(world.refusals.at(-1)?.code, 'wrong_credentials');
  });

  test('takes no answer twice, from another browser, too late, or with another state', async (t) => {
    const world = await openSso(t, open);
    const { url, cookie } = await world.sso.begin(signIn);
    const finish = (search: string, given: string | undefined) => world.sso.finish(search, given, undefined, somewhere);
    const stranger = await world.sso.begin(signIn);
    const search = world.provider.authorize(url, ann);
    await assert.rejects(finish(search, undefined), refused('sign_in_expired'));
    await assert.rejects(finish(search, 'A'.repeat(43)), refused('sign_in_expired'));
    await assert.rejects(
      finish(search, stranger.cookie.reveal()),
      refused('sso_refused', undefined, 'not_vouched'),
      'state of another browser',
    );
    expectSignedIn(await finish(search, cookie.reveal()));
    await assert.rejects(finish(search, cookie.reveal()), refused('sign_in_expired'));
    const third = await world.sso.begin(signIn);
    const other = world.provider.authorize(third.url, ann).replace(/state=[^&]*/, 'state=x');
    await assert.rejects(finish(other, third.cookie.reveal()), refused('sso_refused'));
    const fourth = await world.sso.begin(signIn);
    await assert.rejects(finish('?error=access_denied', fourth.cookie.reveal()), refused('sso_refused'));
    const late = await world.sso.begin(signIn);
    world.clock.advance(10 * 60_000);
    await assert.rejects(
      finish(world.provider.authorize(late.url, ann), late.cookie.reveal()),
      refused('sign_in_expired'),
    );
  });

  test('never leads into an account that somebody else may have made', async (t) => {
    const world = await openSso(t, open);
    await world.operator('ann@example.com');
    await assert.rejects(world.come(ann), refused('sso_refused'));
    const { actor, accountId } = await world.signIn('ann@example.com');
    assert.equal(await world.come(ann, {}, actor), undefined, 'connected by its own person');
    assert.equal(expectSignedIn(await world.come(ann)).accountId, accountId);
    await world.operator('bob@example.com');
    const bob = await world.signIn('bob@example.com');
    await assert.rejects(world.come(ann, {}, bob.actor), refused('sso_refused', undefined, 'another_account'));
    const { url, cookie } = await world.sso.begin({ kind: 'connect', actor });
    const search = world.provider.authorize(url, ann);
    await assert.rejects(
      world.sso.finish(search, cookie.reveal(), bob.actor, somewhere),
      refused('sign_in_expired'),
      'what one person began another does not finish',
    );
  });

  test('gives and takes roles at each sign-in, and leaves those given here alone', async (t) => {
    const world = await openSso(t, open);
    const other = await world.organizations.create('cli', 'Other');
    const memberships = async (groups: readonly string[]) => {
      const signedIn = expectSignedIn(await world.come({ ...ann, groups }));
      const actor = await actorOf(world, signedIn);
      return { actor, operator: actor.operator, roles: Object.fromEntries(actor.memberships) };
    };
    const { actor } = await memberships(['ops', 'devs']);
    const row = {
      organization_id: other.id,
      account_id: actor.accountId,
      role: 'viewer',
      by_sso: 0,
      created_at: 1,
    } as const;
    await world.database.db.insertInto('membership').values(row).execute();
    const both = { [world.acme]: 'developer', [other.id]: 'viewer' };
    const again = await memberships(['devs']);
    assert.deepEqual([again.operator, again.roles], [false, both]);
    assert.deepEqual((await memberships([])).roles, { [other.id]: 'viewer' });
    assert.deepEqual((await memberships(['leads'])).roles, { ...both, [world.acme]: 'owner' });
    assert.deepEqual((await memberships(['devs'])).roles, { ...both, [world.acme]: 'owner' }, 'the last owner stays');
  });

  test('what the provider gave counts in sessions that it vouched for, not by a password beside it', async (t) => {
    const world = await openSso(t, open);
    const vouched = await actorOf(
      world,
      expectSignedIn(await world.come({ ...ann, ...justNow(world), groups: ['ops', 'devs'] })),
    );
    assert.deepEqual([vouched.operator, [...vouched.memberships]], [true, [[world.acme, 'developer']]]);
    await world.people.ownAccounts.changePassword(vouched, undefined, password);
    // Dropped by the provider, which nobody here is told of.
    const dropped = await world.signIn('ann@example.com');
    assert.deepEqual([dropped.actor.operator, [...dropped.actor.memberships]], [false, []]);
    const me = await world.people.ownAccounts.show(dropped.actor);
    assert.deepEqual([me.operator, me.organizations], [false, []]);
  });

  test('a session that the provider began has ended where that is no longer the provider', async (t) => {
    const world = await openSso(t, open);
    const first = await actorOf(world, expectSignedIn(await world.come({ ...ann, ...justNow(world) })));
    await world.people.ownAccounts.changePassword(first, undefined, password);
    const { cookie } = expectSignedIn(await world.come(ann));
    const byPassword = await world.signIn('ann@example.com');
    const another = { ...world.settings, issuer: 'https://login.example.net' };
    const customer = { ...world.settings, issuer: `${world.settings.issuer}/customers/` };
    const { find } = world.people.sessions;
    assert.equal((await find(cookie.reveal()))?.operator, true);
    for (const server of [world.server({}), world.server({ sso: another })]) {
      assert.equal(await server.people.sessions.find(cookie.reveal()), undefined);
      const { actor } = byPassword;
      assert.deepEqual(await server.people.sessions.find(byPassword.cookie.reveal()), actor);
    }
    const sameHost = world.server({ sso: customer }).people.sessions;
    assert.equal((await sameHost.find(cookie.reveal()))?.operator, true);
  });

  test('a session that the provider began ends when it vouches no longer, and on every server', async (t) => {
    const world = await openSso(t, open);
    const other = world.server({ sso: world.settings });
    const [ours, theirs] = [
      expectSignedIn(await world.come(ann)),
      expectSignedIn(await world.come({ sub: 'u2', email: 'lea@example.com', groups: ['leads'] })),
    ];
    const find = async ({ cookie }: typeof ours) => {
      await other.feed.sync();
      return (await other.people.sessions.find(cookie.reveal()))?.accountId;
    };
    assert.equal(await find(ours), ours.accountId);
    await assert.rejects(world.come(ann, { claims: { email_verified: false } }), refused('sso_refused'));
    assert.deepEqual([await find(ours), await find(theirs)], [undefined, theirs.accountId]);
    assert.ok((await recordedActions(world)).includes('session.end-vouched'));
  });

  test('a link that somebody made by what the provider gave leads nowhere on a server that has none', async (t) => {
    const world = await openSso(t, open);
    const { operators, members } = world.people;
    const ops = expectSignedIn(await world.come(ann));
    const lead = expectSignedIn(await world.come({ sub: 'u2', email: 'lea@example.com', groups: ['leads'] }));
    await world.operator('own@example.com');
    const byOps = `account:${ops.accountId}`;
    const byLead = { by: `account:${lead.accountId}`, rank: 'owner' } as const;
    const made = [
      (await operators.create(byOps, 'new@example.com')).link,
      (await operators.reset(byOps, 'own@example.com')).link,
      (await members.invite({ by: byOps, rank: 'operator' }, world.acme, 'eve@example.com', 'owner')).link,
      (await members.invite(byLead, world.acme, 'eve@example.com', 'viewer')).link,
    ];
    const without = world.server({}).people;
    for (const link of made) {
      await assert.rejects(without.links.describe(tokenOf(link)), refused('link_expired'));
      await assert.rejects(
        without.links.accept(tokenOf(link), password, undefined, somewhere),
        refused('link_expired'),
      );
      await world.people.links.describe(tokenOf(link));
    }
    // What was given here counts without a provider as well.
    const given = { operator: 1, by_sso: 0 } as const;
    const { db } = world.database;
    await db.updateTable('account').set({ operator: given.operator }).where('id', '=', ops.accountId).execute();
    await db.updateTable('membership').set({ by_sso: given.by_sso }).execute();
    for (const link of made) await without.links.describe(tokenOf(link));
  });

  test('whoever is an operator by the provider alone becomes one on a server that has none', async (t) => {
    const world = await openSso(t, open);
    await world.come(ann);
    const without = world.server({}).people;
    assert.equal(await world.people.operators.exist(), true);
    assert.equal(await without.operators.exist(), false, 'so the log says how to make one');
    assert.equal((await without.operators.list()).length, 1, 'who is one again with the provider is not hidden');
    await assert.rejects(
      world.people.operators.create('cli', 'ann@example.com'),
      refused('conflict', 'email', 'already_operator'),
    );
    const { link } = await without.operators.create('cli', 'ann@example.com');
    const { links } = without;
    assert.equal((await links.describe(tokenOf(link))).needs_password, true, 'who has no other way in');
    const entered = await links.accept(tokenOf(link), 'a long enough pass phrase', undefined, somewhere);
    assert.ok(entered !== undefined);
    assert.equal(await without.operators.exist(), true);
  });

  test('whoever is a member by the provider alone is invited on a server that has none', async (t) => {
    const world = await openSso(t, open);
    const manager = { by: 'cli', rank: 'operator' } as const;
    const vouched = await actorOf(world, expectSignedIn(await world.come({ ...ann, groups: ['devs'] })));
    const invite = (people: People) => people.members.invite(manager, world.acme, 'ann@example.com', 'developer');
    await assert.rejects(invite(world.people), refused('conflict', 'email', 'already_member'));
    const without = world.server({});
    const { link } = await invite(without.people);
    assert.equal(await without.people.links.accept(tokenOf(link), undefined, vouched, somewhere), undefined);
    const [member] = await world.people.members.list(world.acme);
    assert.deepEqual([member?.role, member?.by_sso], ['developer', false]);
  });

  test('an owner by the provider alone is no other owner on a server that has none', async (t) => {
    const world = await openSso(t, open);
    const manager = { by: 'cli', rank: 'operator' } as const;
    const [lea, max] = [
      expectSignedIn(await world.come({ sub: 'u2', email: 'lea@example.com', groups: ['leads'] })),
      expectSignedIn(await world.come({ sub: 'u3', email: 'max@example.com', groups: ['leads'] })),
    ];
    const own = await world.operator('own@example.com');
    const row = { organization_id: world.acme, account_id: own.id, role: 'owner', by_sso: 0, created_at: 1 } as const;
    await world.database.db.insertInto('membership').values(row).execute();
    const without = world.server({}).people.members;
    await assert.rejects(without.remove(manager, world.acme, own.id), refused('conflict', 'role', 'last_owner'));
    await assert.rejects(
      without.setRole(manager, world.acme, own.id, 'admin'),
      refused('conflict', 'role', 'last_owner'),
    );
    await without.remove(manager, world.acme, lea.accountId);
    await world.people.members.remove(manager, world.acme, own.id);
    await assert.rejects(without.remove(manager, world.acme, max.accountId), refused('conflict', 'role', 'last_owner'));
  });

  test('is as fresh as the provider says that its own sign-in is, and not at all where it does not say', async (t) => {
    const world = await openSso(t, open);
    const now = world.clock.now();
    const freshFrom = async (auth_time: unknown) => {
      const actor = await actorOf(world, expectSignedIn(await world.come({ ...ann, auth_time })));
      const verdict = may(actor, { action: 'me.change', fresh: true }, now);
      return [actor.authenticatedAt, verdict.allowed];
    };
    const month = 30 * 86_400;
    assert.deepEqual(await freshFrom(now / 1000 - month), [now - month * 1000, false]);
    assert.deepEqual(await freshFrom(now / 1000 - 60), [now - 60_000, true]);
    assert.deepEqual(await freshFrom(now / 1000 + 3_600), [now, true], 'the clock there goes before ours');
    assert.deepEqual(await freshFrom(undefined), [0, false]);
    await assert.rejects(freshFrom('just now'), refused('sso_refused', undefined, 'not_vouched'));
  });

  test('lets an ordinary sign-in through as the provider likes, and asks for a new one where one is to prove it', async (t) => {
    const world = await openSso(t, open);
    const ordinary = (await world.sso.begin(signIn)).url.searchParams;
    assert.deepEqual([ordinary.get('prompt'), ordinary.get('max_age')], [null, null]);
    const actor = await actorOf(world, expectSignedIn(await world.come(ann)));
    const asked = (await world.sso.begin({ kind: 'prove', actor })).url.searchParams;
    assert.deepEqual([asked.get('prompt'), asked.get('max_age')], ['login', '300']);
  });

  test('proves anew who is there: the session goes on by another cookie, with what the provider gives now', async (t) => {
    const world = await openSso(t, open);
    const signedIn = expectSignedIn(await world.come({ ...ann, groups: ['ops', 'devs'] }));
    const actor = await actorOf(world, signedIn);
    assert.equal(actor.authenticatedAt, 0);
    world.clock.advance(3_600_000);
    const proven = await world.prove({ ...ann, ...justNow(world), groups: ['ops'] }, actor);
    assert.ok(proven?.state === 'proven');
    const renewed = await actorOf(world, proven);
    assert.deepEqual(
      [renewed.sessionId, renewed.authenticatedAt, renewed.operator, [...renewed.memberships]],
      [actor.sessionId, world.clock.now(), true, []],
    );
    assert.equal(await world.people.sessions.find(signedIn.cookie.reveal()), undefined);
    assert.equal((await recordedActions(world)).at(-1), 'session.reauthenticate');
  });

  test('a proof that the provider does not give changes nothing', async (t) => {
    const world = await openSso(t, open);
    const signedIn = expectSignedIn(await world.come(ann));
    const actor = await actorOf(world, signedIn);
    const old = { auth_time: world.clock.now() / 1000 - 301 };
    await assert.rejects(world.prove({ ...ann, ...old }, actor), refused('sso_refused', undefined, 'not_proven_anew'));
    await assert.rejects(
      world.prove(ann, actor),
      refused('sso_refused', undefined, 'not_proven_anew'),
      'it says no time',
    );
    const other = { ...justNow(world), sub: 'u9', email: 'bob@example.com', groups: ['ops'] };
    await assert.rejects(
      world.prove(other, actor),
      refused('sso_refused', undefined, 'another_account'),
      'nobody here',
    );
    await world.come(other);
    await assert.rejects(world.prove(other, actor), refused('sso_refused', undefined, 'another_account'));
    const disabled = { ...ann, ...justNow(world), email_verified: false };
    await assert.rejects(world.prove(disabled, actor), refused('sso_refused', undefined, 'email_not_verified'));
    assert.equal((await actorOf(world, signedIn)).authenticatedAt, 0);
  });

  test('a proof is of the session that asked for it', async (t) => {
    const world = await openSso(t, open);
    const [one, other] = [
      await actorOf(world, expectSignedIn(await world.come(ann))),
      await actorOf(world, expectSignedIn(await world.come(ann))),
    ];
    for (const actor of [other, undefined]) {
      const { url, cookie } = await world.sso.begin({ kind: 'prove', actor: one });
      const search = world.provider.authorize(url, { ...ann, ...justNow(world) });
      await assert.rejects(world.sso.finish(search, cookie.reveal(), actor, somewhere), refused('sign_in_expired'));
    }
    // Ended while the person was at the provider.
    const { url, cookie } = await world.sso.begin({ kind: 'prove', actor: one });
    await world.people.sessions.end(one, one.sessionId);
    const search = world.provider.authorize(url, { ...ann, ...justNow(world) });
    await assert.rejects(world.sso.finish(search, cookie.reveal(), one, somewhere), refused('unauthenticated'));
  });

  test('is disconnected with what it gave, but never as the last way in', async (t) => {
    const world = await openSso(t, open);
    const { ownAccounts } = world.people;
    const actor = await actorOf(
      world,
      expectSignedIn(await world.come({ ...ann, ...justNow(world), groups: ['ops', 'devs'] })),
    );
    assert.deepEqual((await ownAccounts.factors(actor)).sso, { created_at: '2026-01-01T00:00:00.000Z' });
    await assert.rejects(ownAccounts.disconnectSso(actor), refused('conflict', undefined, 'last_way_in'));
    await ownAccounts.changePassword(actor, undefined, password);
    const { cookie } = expectSignedIn(await world.come(ann));
    const byPassword = await world.signIn('ann@example.com');
    await ownAccounts.disconnectSso(actor);
    assert.equal(await world.people.sessions.find(cookie.reveal()), undefined, 'began by the provider');
    assert.ok(await world.people.sessions.find(byPassword.cookie.reveal()));
    await assert.rejects(ownAccounts.disconnectSso(actor), refused('not_found'));
    const { sso, password: hasPassword } = await ownAccounts.factors(actor);
    assert.deepEqual([sso, hasPassword], [null, true]);
    assert.deepEqual(await world.people.members.list(world.acme), []);
    assert.deepEqual(await world.people.operators.list(), []);
    await assert.rejects(
      world.come(ann),
      refused('sso_refused', undefined, 'account_not_connected'),
      'the account is known, and not connected',
    );
  });

  test('a reset takes what it gave with the connection, and leaves what was given here', async (t) => {
    const world = await openSso(t, open);
    const { operators, links, members } = world.people;
    const { accountId } = expectSignedIn(await world.come({ ...ann, groups: ['ops', 'devs'] }));
    const other = await world.organizations.create('cli', 'Other');
    const about = {
      organization_id: other.id,
      account_id: accountId,
      role: 'viewer',
      by_sso: 0,
      created_at: 1,
    } as const;
    await world.database.db.insertInto('membership').values(about).execute();
    const { link } = await operators.reset('cli', 'ann@example.com');
    assert.equal((await operators.list()).length, 1, 'until the link is used everything stays');
    const actor = await actorOf(
      world,
      expectSignedIn(await links.accept(tokenOf(link), password, undefined, somewhere)),
    );
    assert.deepEqual([actor.operator, [...actor.memberships]], [false, [[other.id, 'viewer']]]);
    assert.deepEqual([await operators.list(), await members.list(world.acme)], [[], []]);
    const entries = await world.audit.list({ limit: 10 });
    const entry = entries.find(({ action }) => action === 'password.reset');
    assert.deepEqual(JSON.parse(entry?.detail ?? ''), { changes: ['-operator', `-${world.acme}/developer`] });
    await operators.create('cli', 'ann@example.com');
  });

  test('somebody with a second factor here is asked for it', async (t) => {
    const world = await openSso(t, open);
    const { accountId } = expectSignedIn(await world.come(ann));
    const row = {
      account_id: accountId,
      id: 't',
      sealed: Buffer.of(1),
      key_id: 'k',
      confirmed_at: 1,
      last_step: 0,
      created_at: 1,
    };
    await world.database.db.insertInto('totp').values(row).execute();
    const step = await world.come(ann);
    assert.equal(step?.state, 'second-factor');
  });

  test('a disabled person is refused', async (t) => {
    const world = await openSso(t, open);
    await world.come(ann);
    await world.people.operators.setDisabled('cli', 'ann@example.com', true);
    await assert.rejects(world.come(ann), refused('wrong_credentials'));
  });

  test('a provider that does not answer is not one that says no', async (t) => {
    const world = await openSso(t, open);
    const { url, cookie } = await world.sso.begin(signIn);
    const search = world.provider.authorize(url, ann);
    await world.provider.stop();
    await assert.rejects(
      world.sso.finish(search, cookie.reveal(), undefined, somewhere),
      refused('service_unavailable'),
    );
  });
});
