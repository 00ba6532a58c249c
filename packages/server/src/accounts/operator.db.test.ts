import assert from 'node:assert/strict';
import { test } from 'node:test';
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
import { createLinks } from './sign-in/accept-one-time-link.ts';

async function inviteAndJoin({ people, organizations }: PeopleWorld, email: string): Promise<void> {
  const { id } = await organizations.create('cli', `Of ${email}`);
  const invited = await people.members.invite({ by: 'cli', rank: 'operator' }, id, email, 'admin');
  await people.links.accept(tokenOf(invited.link), password, undefined, somewhere);
}

/** Links that let something happen between the first look at one and its use, while the password is hashed. */
function linksThat({ database, feed, audit, clock, people }: PeopleWorld, meanwhile: () => Promise<unknown>) {
  const signIn = { begin: () => assert.fail('nobody is signed in') };
  const hashNewPassword = async () => {
    await meanwhile();
    return 'a hash';
  };
  return createLinks({
    database,
    feed,
    audit,
    clock,
    sessions: people.sessions,
    signIn,
    hashNewPassword,
    hasProvider: false,
  });
}

function passkeyOf(accountId: string) {
  const about = { id: 'p', account_id: accountId, credential_id: 'c', public_key: Buffer.of(1), name: 'x' };
  return { ...about, counter: 0, transports: '[]', created_at: 1, used_at: null };
}

onBothDatabases('operators', (open) => {
  test('the first one is made by a mail address, which is kept in lower case and recorded', async (t) => {
    const { people, audit } = await openPeople(t, open);
    assert.equal(await people.operators.exist(), false);
    const { operator, link } = await people.operators.create('cli:ann', '  Ops@Example.COM ');
    assert.deepEqual(operator, {
      id: operator.id,
      email: 'ops@example.com',
      created_at: '2026-01-01T00:00:00.000Z',
      active: false,
      disabled: false,
    });
    assert.match(link?.url.reveal() ?? '', /^https:\/\/wax\.example\.com\/console\/welcome#token=[A-Za-z0-9_-]{43}$/);
    assert.equal(link?.expiresAt, Date.UTC(2026, 0, 1, 0, 15));
    assert.equal(await people.operators.exist(), true);
    const entries = await audit.list({ limit: 5 });
    assert.deepEqual(
      entries.map((entry) => [entry.action, entry.actor, entry.subject, entry.detail]),
      [['operator.create', 'cli:ann', operator.id, '{"email":"ops@example.com"}']],
    );
  });

  test('the same address in other letters is the same operator', async (t) => {
    const { people, audit } = await openPeople(t, open);
    await people.operators.create('cli', 'ops@example.com');
    await assert.rejects(
      people.operators.create('cli', 'OPS@example.com'),
      refused('conflict', 'email', 'already_operator'),
    );
    assert.equal((await audit.list({ limit: 5 })).length, 1);
  });

  test('of two who make the same one at once, one does', async (t) => {
    const { people } = await openPeople(t, open);
    const both = await Promise.allSettled([1, 2].map(() => people.operators.create('cli', 'ops@example.com')));
    assert.deepEqual(both.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
    assert.equal((await people.operators.list()).length, 1);
  });

  test('what is no mail address is refused, and nothing is stored', async (t) => {
    const { people } = await openPeople(t, open);
    const others = ['', 'ops', '@example.com', 'ops@', 'a b@example.com', 'a@b@c', 'a\0@example.com', 'a\u001b@b.c'];
    for (const email of [...others, `${'x'.repeat(251)}@a.b`, 'a\ud800@b.c']) {
      await assert.rejects(people.operators.create('cli', email), refused('invalid_parameter', 'email'), email);
    }
    assert.equal(await people.operators.exist(), false);
  });

  test('a disabled one is signed out at once on every server, and its links are worth nothing', async (t) => {
    const world = await openPeople(t, open);
    const { people, server } = world;
    await world.operator();
    const { cookie } = await world.signIn('ops@example.com');
    const other = server();
    assert.ok(await other.people.sessions.find(cookie.reveal()));
    const { link } = await people.operators.reset('cli', 'ops@example.com');
    assert.equal((await people.operators.setDisabled('cli', 'OPS@example.com', true)).disabled, true);
    assert.equal(await people.sessions.find(cookie.reveal()), undefined);
    await other.feed.sync();
    assert.equal(await other.people.sessions.find(cookie.reveal()), undefined);
    await assert.rejects(
      people.signIn.withPassword('ops@example.com', password, somewhere),
      refused('wrong_credentials'),
    );
    await assert.rejects(people.links.describe(tokenOf(link)), refused('link_expired'));
    await assert.rejects(
      people.operators.reset('cli', 'ops@example.com'),
      refused('conflict', 'email', 'account_disabled'),
    );
    await people.operators.setDisabled('cli', 'ops@example.com', false);
    assert.equal(await people.sessions.find(cookie.reveal()), undefined, 'what has ended stays ended');
    await world.signIn('ops@example.com');
  });

  test('a link that one makes for others dies with the right of whoever made it', async (t) => {
    const world = await openPeople(t, open);
    const { people } = world;
    await world.operator('boss@example.com');
    await inviteAndJoin(world, 'ann@example.com');
    const { actor: ann } = await world.signIn('ann@example.com');
    const rogue = await world.operator('rogue@example.com');
    const by = `account:${rogue.id}`;
    const reset = tokenOf((await people.operators.reset(by, 'boss@example.com')).link);
    const made = tokenOf((await people.operators.create(by, 'second@example.com')).link);
    const offered = tokenOf((await people.operators.create(by, 'ann@example.com')).link);
    const expectDead = async (why: string) => {
      for (const token of [reset, made, offered]) {
        await assert.rejects(people.links.describe(token), refused('link_expired'), why);
        await assert.rejects(
          people.links.accept(token, 'other words 99', ann, somewhere),
          refused('link_expired'),
          why,
        );
      }
    };
    await people.operators.setDisabled('cli', rogue.email, true);
    await expectDead('disabled');
    await people.operators.setDisabled('cli', rogue.email, false);
    await world.database.db.updateTable('account').set({ operator: 0 }).where('id', '=', rogue.id).execute();
    await expectDead('no operator any more');
    await world.signIn('boss@example.com');
    await world.database.db.updateTable('account').set({ operator: 1 }).where('id', '=', rogue.id).execute();
    expectSignedIn(await people.links.accept(reset, 'other unrelated words', undefined, somewhere));
    expectSignedIn(await people.links.accept(made, password, undefined, somewhere));
  });

  test('a link whose maker is disabled while the password is hashed is worth nothing', async (t) => {
    const world = await openPeople(t, open);
    const { people } = world;
    await world.operator('boss@example.com');
    const rogue = await world.operator('rogue@example.com');
    const { link } = await people.operators.reset(`account:${rogue.id}`, 'boss@example.com');
    const links = linksThat(world, () => people.operators.setDisabled('cli', rogue.email, true));
    await assert.rejects(links.accept(tokenOf(link), password, undefined, somewhere), refused('link_expired'));
    await world.signIn('boss@example.com');
  });

  test('somebody who has an account becomes an operator by the link, signed in with it, and keeps everything', async (t) => {
    const world = await openPeople(t, open);
    const { people } = world;
    await inviteAndJoin(world, 'ann@example.com');
    const before = await world.signIn('ann@example.com');
    assert.equal(before.actor.operator, false);
    const { link, operator } = await people.operators.create('cli', 'ann@example.com');
    const token = tokenOf(link);
    assert.equal(operator.active, true);
    assert.equal((await people.sessions.find(before.cookie.reveal()))?.operator, false, 'not before the link is used');
    assert.equal((await people.links.describe(token)).needs_password, false);
    assert.equal(await people.links.accept(token, undefined, before.actor, somewhere), undefined);
    assert.equal((await people.sessions.find(before.cookie.reveal()))?.operator, true);
    await assert.rejects(people.links.accept(token, undefined, before.actor, somewhere), refused('link_expired'));
  });

  test('somebody whose only way in is a passkey becomes one signed in, and no password is set by the link', async (t) => {
    const world = await openPeople(t, open);
    const { people, database } = world;
    await inviteAndJoin(world, 'ann@example.com');
    const { actor } = await world.signIn('ann@example.com');
    const addPasskey = () => database.db.insertInto('passkey').values(passkeyOf(actor.accountId)).execute();
    const about = { password: null };
    await database.db.updateTable('account').set(about).where('id', '=', actor.accountId).execute();
    await addPasskey();
    const token = tokenOf((await people.operators.create('cli', 'ann@example.com')).link);
    assert.equal((await people.links.describe(token)).needs_password, false);
    await assert.rejects(
      people.links.accept(token, password, undefined, somewhere),
      refused('conflict', undefined, 'account_exists'),
    );
    await database.db.deleteFrom('passkey').execute();
    const links = linksThat(world, addPasskey);
    await assert.rejects(
      links.accept(token, password, undefined, somewhere),
      refused('link_expired'),
      'added meanwhile',
    );
    assert.equal(await people.links.accept(token, undefined, actor, somewhere), undefined);
    const rows = await database.db.selectFrom('account').select(['operator', 'password']).execute();
    assert.deepEqual(rows, [{ operator: 1, password: null }]);
  });

  test('whoever has made an account in the name of somebody else does not run the instance by it', async (t) => {
    const world = await openPeople(t, open);
    const { people, clock } = world;
    // An administrator of any organization invites the address, and takes the invitation themselves.
    await inviteAndJoin(world, 'boss@example.com');
    const squatter = await world.signIn('boss@example.com');
    const { link } = await people.operators.create('cli', 'boss@example.com');
    assert.equal((await people.sessions.find(squatter.cookie.reveal()))?.operator, false);
    // The real person has the link and not the account: a password given with it sets nothing.
    await assert.rejects(
      people.links.accept(tokenOf(link), 'other unrelated words', undefined, somewhere),
      refused('conflict'),
    );
    await inviteAndJoin(world, 'third@example.com');
    const third = await world.signIn('third@example.com');
    await assert.rejects(people.links.accept(tokenOf(link), undefined, third.actor, somewhere), refused('conflict'));
    clock.advance(6 * 60_000);
    await assert.rejects(
      people.links.accept(tokenOf(link), undefined, squatter.actor, somewhere),
      refused('reauthentication_required'),
    );
    // What helps them: a reset, which throws everybody else out, and then the link.
    const reset = await people.operators.reset('cli', 'boss@example.com');
    const own = expectSignedIn(
      await people.links.accept(tokenOf(reset.link), 'other unrelated words', undefined, somewhere),
    );
    assert.equal(await people.sessions.find(squatter.cookie.reveal()), undefined);
    const again = await people.operators.create('cli', 'boss@example.com');
    await people.links.accept(tokenOf(again.link), undefined, await actorOf(world, own), somewhere);
    assert.equal((await actorOf(world, own)).operator, true);
  });

  test('who does not exist is named as the fault', async (t) => {
    const world = await openPeople(t, open);
    await assert.rejects(world.people.operators.reset('cli', 'x@example.com'), refused('not_found', 'email'));
    await assert.rejects(
      world.people.operators.setDisabled('cli', 'x@example.com', true),
      refused('not_found', 'email'),
    );
    assert.deepEqual(await recordedActions(world), []);
  });
});
