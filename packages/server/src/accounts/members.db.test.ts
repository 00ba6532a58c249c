import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manager } from '../api/manager.ts';
import type { Role } from '../api/roles.ts';
import { readNotedChanges } from '../database/change-log.ts';
import { onBothDatabases } from '../database/testing.ts';
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
} from './people-world.testing.ts';

const boss: Manager = { by: 'cli', rank: 'operator' };

async function member(world: PeopleWorld, organizationId: string, email: string, role: Role): Promise<string> {
  const { link } = await world.people.members.invite(boss, organizationId, email, role);
  const signedIn = await world.people.links.accept(tokenOf(link), password, undefined, somewhere);
  return expectSignedIn(signedIn).accountId;
}

onBothDatabases('one-time links', (open) => {
  test('the first operator sets a password by one, once and within fifteen minutes', async (t) => {
    const world = await openPeople(t, open);
    const { links, operators, signIn } = world.people;
    const { link } = await operators.create('cli', 'ops@example.com');
    const token = tokenOf(link);
    assert.deepEqual(await links.describe(token), {
      kind: 'activation',
      email: 'ops@example.com',
      organization: null,
      role: null,
      needs_password: true,
      expires_at: '2026-01-01T00:15:00.000Z',
    });
    await assert.rejects(
      signIn.withPassword('ops@example.com', '', somewhere),
      refused('wrong_credentials'),
      'without a password nobody signs in by none',
    );
    await assert.rejects(
      links.accept(token, undefined, undefined, somewhere),
      refused('password_rejected', 'password', 'missing'),
    );
    await assert.rejects(
      links.accept(token, 'waxwing1234', undefined, somewhere),
      refused('password_rejected', 'password', 'context'),
    );
    const signedIn = expectSignedIn(await links.accept(token, password, undefined, somewhere));
    assert.equal((await actorOf(world, signedIn)).operator, true);
    await assert.rejects(links.accept(token, password, undefined, somewhere), refused('link_expired'));
    await assert.rejects(links.describe(token), refused('link_expired'));
    await signIn.drain();
    assert.deepEqual(
      (await recordedActions(world)).filter((action) => action !== 'sign-in.refuse'),
      ['operator.create', 'account.activate', 'session.create'],
    );
    const late = tokenOf((await operators.create('cli', 'b@example.com')).link);
    world.clock.advance(15 * 60_000);
    await assert.rejects(links.accept(late, password, undefined, somewhere), refused('link_expired'));
  });

  test('of two who open one at the same moment one gets in', async (t) => {
    const world = await openPeople(t, open);
    const { link } = await world.people.operators.create('cli', 'ops@example.com');
    const both = await Promise.allSettled(
      [world, world.server()].map(({ people }) => people.links.accept(tokenOf(link), password, undefined, somewhere)),
    );
    assert.deepEqual(both.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
  });

  test('a reset lets somebody back in without second factors, and everybody else out', async (t) => {
    const world = await openPeople(t, open);
    const { id } = await world.operator();
    const { cookie } = await world.signIn('ops@example.com');
    await world.database.db
      .insertInto('passkey')
      .values({
        id: 'p',
        account_id: id,
        credential_id: 'c',
        public_key: Buffer.of(1),
        counter: 0,
        transports: '[]',
        name: 'x',
        created_at: 1,
        used_at: null,
      })
      .execute();
    await world.database.db
      .insertInto('sso_identity')
      .values({ issuer: 'https://idp.test', subject: 'intruder', account_id: id, created_at: 1 })
      .execute();
    const first = await world.people.operators.reset('cli', 'ops@example.com');
    const second = await world.people.operators.reset('cli', 'ops@example.com');
    assert.ok(await world.people.sessions.find(cookie.reveal()), 'until the link is used everything stays');
    await assert.rejects(world.people.links.describe(tokenOf(first.link)), refused('link_expired'));
    const next = 'other unrelated words';
    expectSignedIn(await world.people.links.accept(tokenOf(second.link), next, undefined, somewhere));
    assert.equal(await world.people.sessions.find(cookie.reveal()), undefined);
    expectSignedIn(await world.people.signIn.withPassword('ops@example.com', next, somewhere));
    assert.deepEqual(await world.people.passkeys.list(id), []);
    assert.deepEqual(await world.database.db.selectFrom('sso_identity').selectAll().execute(), []);
  });

  test('the database and the audit trail do not hold their tokens', async (t) => {
    const world = await openPeople(t, open);
    const token = tokenOf((await world.people.operators.create('cli', 'ops@example.com')).link);
    const rows = await world.database.db.selectFrom('one_time_link').selectAll().execute();
    const kept = JSON.stringify([rows, await world.audit.list({ limit: 5 })]);
    assert.equal(rows.length, 1);
    assert.equal(kept.includes(token), false);
  });
});

onBothDatabases('members', (open) => {
  test('an invitation dies with the right of whoever made it', async (t) => {
    const world = await openPeople(t, open);
    const { people } = world;
    const acme = await world.organizations.create('cli', 'Acme');
    await member(world, acme.id, 'first@example.com', 'owner');
    const id = await member(world, acme.id, 'ann@example.com', 'owner');
    const ann = { by: `account:${id}`, rank: 'owner', accountId: id } as const;
    const invite = async (email: string, role: Role) =>
      tokenOf((await people.members.invite(ann, acme.id, email, role)).link);
    const [owner, viewer] = [await invite('a@example.com', 'owner'), await invite('b@example.com', 'viewer')];
    await people.members.setRole(boss, acme.id, id, 'admin');
    await assert.rejects(people.links.describe(owner), refused('link_expired'));
    await assert.rejects(people.links.accept(owner, password, undefined, somewhere), refused('link_expired'));
    await people.links.describe(viewer);
    await people.operators.setDisabled('cli', 'ann@example.com', true);
    await assert.rejects(people.links.accept(viewer, password, undefined, somewhere), refused('link_expired'));
    await people.operators.setDisabled('cli', 'ann@example.com', false);
    await people.members.remove(boss, acme.id, id);
    await assert.rejects(people.links.accept(viewer, password, undefined, somewhere), refused('link_expired'));

    const made = { organizationId: acme.id, name: 'robot', role: 'admin', allow: [], expiresAt: null } as const;
    const { key } = await world.managementKeys.create(boss, made);
    const robot = { by: `key:${key.id}`, rank: 'admin' } as const;
    const byKey = async (email: string) => tokenOf((await people.members.invite(robot, acme.id, email, 'viewer')).link);
    const [taken, dead] = [await byKey('c@example.com'), await byKey('d@example.com')];
    expectSignedIn(await people.links.accept(taken, password, undefined, somewhere));
    await world.managementKeys.delete(boss, key.id);
    await assert.rejects(people.links.accept(dead, password, undefined, somewhere), refused('link_expired'));
  });

  test('somebody new takes an invitation with a password, and belongs to the organization', async (t) => {
    const world = await openPeople(t, open);
    const acme = await world.organizations.create('cli', 'Acme');
    const { invitation, link } = await world.people.members.invite(boss, acme.id, 'Ann@example.com', 'admin');
    assert.equal(invitation.expires_at, '2026-01-04T00:00:00.000Z');
    assert.deepEqual(await world.people.members.listInvitations(acme.id), [invitation]);
    const { kind, organization, role, needs_password } = await world.people.links.describe(tokenOf(link));
    assert.deepEqual(
      [kind, organization, role, needs_password],
      ['invitation', { id: acme.id, name: 'Acme' }, 'admin', true],
    );
    const signedIn = expectSignedIn(await world.people.links.accept(tokenOf(link), password, undefined, somewhere));
    const actor = await actorOf(world, signedIn);
    assert.deepEqual([actor.operator, [...actor.memberships]], [false, [[acme.id, 'admin']]]);
    const [ann, ...others] = await world.people.members.list(acme.id);
    assert.deepEqual([ann?.email, ann?.role, ann?.by_sso, others.length], ['ann@example.com', 'admin', false, 0]);
    assert.deepEqual(await world.people.members.listInvitations(acme.id), []);
    await assert.rejects(
      world.people.members.invite(boss, acme.id, 'ann@example.com', 'viewer'),
      refused('conflict', 'email', 'already_member'),
    );
    const me = await world.people.ownAccounts.show(actor);
    assert.deepEqual(me.organizations, [{ id: acme.id, name: 'Acme', role: 'admin' }]);
  });

  test('somebody with an account takes an invitation signed in as themselves, and by no password', async (t) => {
    const world = await openPeople(t, open);
    const acme = await world.organizations.create('cli', 'Acme');
    await world.operator('ann@example.com');
    await world.operator('bob@example.com');
    const [ann, bob] = [await world.signIn('ann@example.com'), await world.signIn('bob@example.com')];
    const { link } = await world.people.members.invite(boss, acme.id, 'ann@example.com', 'viewer');
    const token = tokenOf(link);
    for (const [given, actor] of [
      ['a password of the inviter', undefined],
      [undefined, undefined],
      [undefined, bob.actor],
    ] as const) {
      await assert.rejects(
        world.people.links.accept(token, given, actor, somewhere),
        refused('conflict', undefined, 'account_exists'),
      );
    }
    assert.equal(await world.people.links.accept(token, undefined, ann.actor, somewhere), undefined);
    assert.deepEqual([...(await actorOf(world, ann)).memberships], [[acme.id, 'viewer']]);
    await assert.rejects(world.people.links.accept(token, undefined, ann.actor, somewhere), refused('link_expired'));
  });

  test('an invitation that is taken back is worth nothing', async (t) => {
    const world = await openPeople(t, open);
    const acme = await world.organizations.create('cli', 'Acme');
    const other = await world.organizations.create('cli', 'Other');
    const { invitation, link } = await world.people.members.invite(boss, acme.id, 'ann@example.com', 'viewer');
    await assert.rejects(
      world.people.members.revokeInvitation(boss, other.id, invitation.id),
      refused('not_found', 'invitation'),
    );
    await world.people.members.revokeInvitation(boss, acme.id, invitation.id);
    await assert.rejects(
      world.people.links.accept(tokenOf(link), password, undefined, somewhere),
      refused('link_expired'),
    );
  });

  test('nobody decides about a role above their own', async (t) => {
    const world = await openPeople(t, open);
    const { members } = world.people;
    const acme = await world.organizations.create('cli', 'Acme');
    const owner = await member(world, acme.id, 'owner@example.com', 'owner');
    const viewer = await member(world, acme.id, 'viewer@example.com', 'viewer');
    const admin: Manager = { by: 'account:admin', rank: 'admin', accountId: 'admin' };
    const no = refused('role_not_permitted', 'role');
    await assert.rejects(members.invite(admin, acme.id, 'x@example.com', 'owner'), no);
    await assert.rejects(members.setRole(admin, acme.id, viewer, 'owner'), no);
    await assert.rejects(members.setRole(admin, acme.id, owner, 'viewer'), no);
    await assert.rejects(members.remove(admin, acme.id, owner), no);
    assert.equal((await members.setRole(admin, acme.id, viewer, 'developer')).role, 'developer');
    await members.remove(admin, acme.id, viewer);
    await assert.rejects(members.remove(admin, acme.id, viewer), refused('not_found', 'account'));
  });

  test('the last owner can neither leave nor become less, also when two leave at the same moment', async (t) => {
    const world = await openPeople(t, open);
    const { members } = world.people;
    const acme = await world.organizations.create('cli', 'Acme');
    const [a, b] = [
      await member(world, acme.id, 'a@example.com', 'owner'),
      await member(world, acme.id, 'b@example.com', 'owner'),
    ];
    const self = (accountId: string): Manager => ({ by: `account:${accountId}`, rank: 'owner', accountId });
    const both = await Promise.allSettled([
      members.remove(self(a), acme.id, a),
      world.server().people.members.remove(self(b), acme.id, b),
    ]);
    assert.deepEqual(both.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
    const [last] = await members.list(acme.id);
    assert.ok(last);
    await assert.rejects(
      members.setRole(boss, acme.id, last.account_id, 'admin'),
      refused('conflict', 'role', 'last_owner'),
    );
    await assert.rejects(members.remove(boss, acme.id, last.account_id), refused('conflict', 'role', 'last_owner'));
  });

  test('an owner who cannot sign in does not count as one, and can be removed', async (t) => {
    const world = await openPeople(t, open);
    const { members, operators } = world.people;
    const acme = await world.organizations.create('cli', 'Acme');
    const a = await member(world, acme.id, 'a@example.com', 'owner');
    const b = await member(world, acme.id, 'b@example.com', 'owner');
    await operators.setDisabled('cli', 'b@example.com', true);
    await assert.rejects(members.remove(boss, acme.id, a), refused('conflict', 'role', 'last_owner'));
    await members.remove(boss, acme.id, b);
  });

  test('lists come in parts', async (t) => {
    const world = await openPeople(t, open);
    const acme = await world.organizations.create('cli', 'Acme');
    for (const name of ['a', 'b', 'c']) await member(world, acme.id, `${name}@example.com`, 'viewer');
    const first = await world.people.members.list(acme.id, { take: 2, after: undefined });
    const rest = await world.people.members.list(acme.id, { take: 2, after: first.at(-1)?.account_id });
    assert.deepEqual([...first, ...rest], await world.people.members.list(acme.id));
    assert.deepEqual([first.length, rest.length], [2, 1]);
  });
});

onBothDatabases('management keys', (open) => {
  const address = somewhere.address;
  const request = { name: 'terraform', role: 'admin', allow: ['203.0.113.0/24'], expiresAt: null } as const;

  test('a token stands for its key from its addresses, and the database does not know it', async (t) => {
    const world = await openPeople(t, open);
    const acme = await world.organizations.create('cli', 'Acme');
    const { managementKeys } = world;
    const { key, token } = await managementKeys.create(boss, { ...request, organizationId: acme.id });
    const actor = await world.findManagementKey(token.reveal(), address);
    assert.deepEqual(actor, { kind: 'key', keyId: key.id, organizationId: acme.id, role: 'admin' });
    for (const elsewhere of [undefined, { ...address, value: 1, text: '0.0.0.1' } as typeof address]) {
      await assert.rejects(world.findManagementKey(token.reveal(), elsewhere), refused('address_not_allowed'));
    }
    const { tokens } = await managementKeys.show(key.id);
    assert.deepEqual(
      tokens.map(({ hint }) => hint),
      [token.reveal().slice(0, 8)],
    );
    const mistyped = token.reveal().replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    for (const other of [mistyped, 'x', '', token.reveal().replace('wxa_', 'wxd_')]) {
      assert.equal(await world.findManagementKey(other, address), undefined);
    }
  });

  test('nobody makes or changes one that may more than they themselves', async (t) => {
    const world = await openPeople(t, open);
    const { managementKeys } = world;
    const acme = await world.organizations.create('cli', 'Acme');
    const admin: Manager = { by: 'account:a', rank: 'admin' };
    const no = refused('role_not_permitted', 'role');
    const own = { ...request, organizationId: acme.id };
    await assert.rejects(managementKeys.create(admin, { ...own, role: 'owner' }), no);
    await assert.rejects(managementKeys.create(admin, { ...own, organizationId: '', role: 'operator' }), no);
    const { key } = await managementKeys.create(boss, { ...own, role: 'owner' });
    await assert.rejects(managementKeys.update(admin, key.id, { enabled: false }), no);
    await assert.rejects(managementKeys.rotate(admin, key.id, 0), no);
    await assert.rejects(managementKeys.delete(admin, key.id), no);
    const { key: lesser } = await managementKeys.create(admin, own);
    await assert.rejects(managementKeys.update(admin, lesser.id, { role: 'owner' }), no);
    for (const wrong of [
      { ...own, role: 'operator' as const },
      { ...own, organizationId: '', role: 'admin' as const },
    ]) {
      await assert.rejects(managementKeys.create(boss, wrong), refused('invalid_parameter', 'role'));
    }
  });

  test('what changes about one holds from the next request on, on every server', async (t) => {
    const world = await openPeople(t, open);
    const other = world.server();
    const { managementKeys } = world;
    const acme = await world.organizations.create('cli', 'Acme');
    const { key, token } = await managementKeys.create(boss, { ...request, organizationId: acme.id });
    const ask = async () => {
      await other.feed.sync();
      return other.findManagementKey(token.reveal(), address);
    };
    assert.equal((await ask())?.role, 'admin');
    await managementKeys.update(boss, key.id, { role: 'viewer' });
    assert.equal((await ask())?.role, 'viewer');
    await managementKeys.update(boss, key.id, { enabled: false });
    assert.equal(await ask(), undefined);
    await managementKeys.update(boss, key.id, { enabled: true });
    await world.organizations.setSuspended('cli', acme.id, true);
    assert.equal(await ask(), undefined, 'of a suspended organization');
    await world.organizations.setSuspended('cli', acme.id, false);
    await managementKeys.update(boss, key.id, { allow: ['198.51.100.1'] });
    await assert.rejects(ask(), refused('address_not_allowed'));
    await managementKeys.update(boss, key.id, { allow: ['203.0.113.7'], expiresAt: world.clock.now() + 1_000 });
    assert.equal((await ask())?.role, 'viewer');
    world.clock.advance(1_000);
    assert.equal(await ask(), undefined, 'expired');
    await managementKeys.update(boss, key.id, { expiresAt: null });
    assert.equal((await ask())?.role, 'viewer');
    await managementKeys.delete(boss, key.id);
    assert.equal(await ask(), undefined);
    await assert.rejects(managementKeys.show(key.id), refused('not_found', 'management_key'));
  });

  test('the former token stays valid for the overlap and no longer', async (t) => {
    const world = await openPeople(t, open);
    const { managementKeys } = world;
    const { key, token } = await managementKeys.create(boss, { ...request, organizationId: '', role: 'operator' });
    const next = await managementKeys.rotate(boss, key.id, 60_000);
    assert.equal(next.formerValidUntil, '2026-01-01T00:01:00.000Z');
    const isGood = async (text: string) => (await world.findManagementKey(text, address)) !== undefined;
    assert.deepEqual([await isGood(token.reveal()), await isGood(next.token.reveal())], [true, true]);
    world.clock.advance(60_000);
    assert.deepEqual([await isGood(token.reveal()), await isGood(next.token.reveal())], [false, true]);
    assert.deepEqual(await managementKeys.list(''), [next.key]);
    const kept = JSON.stringify([
      await world.database.db.selectFrom('token').selectAll().execute(),
      await world.audit.list({ limit: 20 }),
    ]);
    for (const each of [token, next.token]) assert.equal(kept.includes(each.reveal()), false);
  });

  test('what somebody else changed first is heard before the change', async (t) => {
    const world = await openPeople(t, open);
    const { managementKeys } = world;
    const { key } = await managementKeys.create(boss, { ...request, organizationId: '', role: 'operator' });
    const heard: string[] = [];
    const refusing = (current: { name: string }) => {
      heard.push(current.name);
      throw new Error('moved on');
    };
    await assert.rejects(managementKeys.update(boss, key.id, { name: 'other' }, refusing), /moved on/);
    assert.deepEqual([heard, (await managementKeys.show(key.id)).name], [['terraform'], 'terraform']);
  });
});

onBothDatabases('what becomes of somebody', (open) => {
  test('is told to each organization that they belong to', async (t) => {
    const world = await openPeople(t, open);
    const { members, operators } = world.people;
    const acme = await world.organizations.create('cli', 'Acme');
    const other = await world.organizations.create('cli', 'Other');
    const email = 'a@example.com';
    await member(world, acme.id, 'owner@example.com', 'owner');
    let revision = 0;
    const told = async () => {
      const changes = await readNotedChanges(world.database.db, revision, 100);
      revision = changes.at(-1)?.revision ?? revision;
      return changes.flatMap(({ kind, organizationId = '' }) => (kind === 'account' ? [organizationId] : [])).sort();
    };
    await told();
    const id = await member(world, acme.id, email, 'viewer');
    assert.deepEqual(await told(), [acme.id]);
    await members.setRole(boss, acme.id, id, 'admin');
    assert.deepEqual(await told(), [acme.id]);
    const { actor } = await world.signIn(email);
    const { link } = await members.invite(boss, other.id, email, 'viewer');
    await world.people.links.accept(tokenOf(link), undefined, actor, somewhere);
    assert.deepEqual(await told(), [other.id]);
    await operators.setDisabled('cli', email, true);
    assert.deepEqual(await told(), [acme.id, other.id].sort());
    await members.remove(boss, acme.id, id);
    assert.deepEqual(await told(), [acme.id]);
  });
});
