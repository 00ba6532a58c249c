import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { Problem } from '../../runtime/problem.ts';
import { forgetEnded } from '../account-housekeeping.ts';
import { standardParameters } from '../factors/password-hash.ts';
import {
  actorOf,
  clientAt,
  expectSecondFactor,
  expectSignedIn,
  openPeople,
  type Person,
  password,
  recordedActions,
  refused,
  somewhere,
  tokenOf,
} from '../people-world.testing.ts';

const email = 'ops@example.com';
const minute = 60_000;

onBothDatabases('sign-in by password', (open, kind) => {
  test('gives a session, whose cookie the database does not know, and records it', async (t) => {
    const world = await openPeople(t, open);
    const { id } = await world.operator();
    const { cookie, actor, expiresAt } = await world.signIn(' OPS@example.com ');
    assert.deepEqual([actor.accountId, actor.operator, actor.authenticatedAt], [id, true, world.clock.now()]);
    assert.equal(expiresAt, world.clock.now() + 7 * 86_400_000);
    const stored = JSON.stringify(await world.database.db.selectFrom('session').selectAll().execute());
    assert.doesNotMatch(stored, new RegExp(cookie.reveal()));
    const [entry] = await world.audit.list({ limit: 1 });
    assert.equal(entry?.action, 'session.create');
    assert.deepEqual(JSON.parse(entry?.detail ?? ''), {
      session: actor.sessionId,
      method: 'password',
      address: '203.0.113.7',
    });
  });

  test('answers a wrong password, an unknown and a disabled person in the same words', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    await world.operator('gone@example.com');
    await world.people.operators.setDisabled('cli', 'gone@example.com', true);
    const answers = [];
    for (const [who, given] of [
      [email, 'wrong words here'],
      ['nobody@example.com', password],
      ['gone@example.com', password],
      ['', password],
      ['no address\0\ud800', password],
    ] as const) {
      const problem = await world.people.signIn.withPassword(who, given, somewhere).catch((error: unknown) => error);
      assert.ok(problem instanceof Problem, String(problem));
      answers.push([problem.code, problem.message, problem.field]);
    }
    assert.equal(new Set(answers.map(String)).size, 1, String(answers));
    assert.equal(answers[0]?.[0], 'wrong_credentials');
  });

  test('a password that was changed while it was looked at signs nobody in, nor does a step that it began', async (t) => {
    const world = await openPeople(t, open);
    const { id } = await world.operator();
    const { people, database } = world;
    const { password: former } = await database.db.selectFrom('account').select('password').executeTakeFirstOrThrow();
    const proven = { accountId: id, method: 'password', password: former } as const;
    const { actor } = await world.signIn(email);
    const enrolled = { account_id: id, id: 't', sealed: Buffer.of(1), key_id: 'k', confirmed_at: 1 };
    await database.db
      .insertInto('totp')
      .values({ ...enrolled, last_step: 0, created_at: 1 })
      .execute();
    const { step } = expectSecondFactor(await people.signIn.afterFirstFactor(proven, somewhere));
    await people.signIn.passkeyOptions(step, somewhere);
    await people.ownAccounts.changePassword(actor, password, 'other unrelated words');
    await assert.rejects(people.signIn.passkeyOptions(step, somewhere), refused('sign_in_expired'));
    await assert.rejects(people.signIn.afterFirstFactor(proven, somewhere), refused('wrong_credentials'));
    await database.db.deleteFrom('totp').execute();
    await assert.rejects(people.signIn.afterFirstFactor(proven, somewhere), refused('wrong_credentials'));
  });

  test('a reset while somebody signs in by the former password leaves them outside', async (t) => {
    const world = await openPeople(t, open);
    const other = world.server();
    await world.operator();
    for (let round = 0; round < 5; round++) {
      const former = round === 0 ? password : `unrelated words number ${round}`;
      const { link } = await world.people.operators.reset('cli', email);
      const intruding = Array.from({ length: 4 }, () => other.people.signIn.withPassword(email, former, somewhere));
      const [reset, ...intruders] = await Promise.allSettled([
        world.people.links.accept(tokenOf(link), `unrelated words number ${round + 1}`, undefined, somewhere),
        ...intruding,
      ]);
      assert.equal(reset?.status, 'fulfilled');
      for (const each of intruders) {
        if (each.status !== 'fulfilled') continue;
        await other.feed.sync();
        assert.equal(await other.people.sessions.find(expectSignedIn(each.value).cookie.reveal()), undefined);
      }
      world.clock.advance(60 * minute);
    }
  });

  const isFull = process.env.WAXWING_TEST_SCALE === 'full';
  // The hash decides, not the database.
  const skip = kind === 'postgres' && !isFull && 'on SQLite; on both with --full';
  test('takes as long for an unknown person as for a wrong password', { skip, timeout: 120_000 }, async (t) => {
    const world = await openPeople(t, open, { argon2: standardParameters });
    await world.operator();
    const rounds = isFull ? 100 : 20;
    const attempt = async (who: string, round: number): Promise<number> => {
      world.clock.advance(10 * minute);
      const began = performance.now();
      const signingIn = world.people.signIn.withPassword(who, 'wrong words here', clientAt(`10.0.${round}.1`));
      await assert.rejects(signingIn, refused('wrong_credentials'));
      const took = performance.now() - began;
      await world.people.signIn.drain();
      return took;
    };
    // Each pair one after the other, in turned order: what else the machine does then concerns both alike.
    const ratios: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const pair = round % 2 === 0 ? [email, 'nobody@example.com'] : ['nobody@example.com', email];
      const [first = 0, second = 0] = [await attempt(pair[0] ?? '', round), await attempt(pair[1] ?? '', round)];
      ratios.push(round % 2 === 0 ? second / first : first / second);
    }
    const ratio = median(ratios);
    t.diagnostic(
      `${kind}: an unknown person takes ${ratio.toFixed(3)} of a wrong password's time, over ${rounds} pairs`,
    );
    // Without the hash it would be a tenth.
    const most = isFull ? 1.1 : 1.25;
    assert.ok(ratio > 1 / most && ratio < most, ratios.map((each) => each.toFixed(2)).join(' '));
  });

  test('after ten wrong guesses from one address waits, and somebody at home in another browser does not', async (t) => {
    const world = await openPeople(t, open);
    const { signIn } = world.people;
    await world.operator();
    const { device } = await world.signIn(email);
    const attacker = clientAt('198.51.100.1');
    for (let n = 0; n < 10; n++) {
      await assert.rejects(signIn.withPassword(email, 'wrong words', attacker), refused('wrong_credentials'));
    }
    const problem = await signIn.withPassword(email, password, attacker).catch((error: unknown) => error);
    assert.ok(problem instanceof Problem);
    assert.deepEqual([problem.code, problem.retryAfterSeconds], ['too_many_requests', 60]);
    expectSignedIn(await signIn.withPassword(email, password, clientAt('198.51.100.1', device.reveal())));
    expectSignedIn(await signIn.withPassword(email, password, clientAt('192.0.2.9')));
    world.clock.advance(minute);
    expectSignedIn(await signIn.withPassword(email, password, attacker));
  });

  test('refuses an unknown person exactly when it would refuse a known one', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    for (const who of [email, 'nobody@example.com']) {
      const codes = [];
      for (let n = 0; n < 12; n++) {
        const address = who === email ? '198.51.100.1' : '198.51.100.2';
        codes.push(await codeOf(world.people.signIn.withPassword(who, 'wrong words', clientAt(address))));
      }
      assert.deepEqual(codes, [
        ...Array.from({ length: 10 }, () => 'wrong_credentials'),
        ...['too_many_requests', 'too_many_requests'],
      ]);
    }
  });

  test('counts guesses that come at the same moment on two servers', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    const servers = [world, world.server()];
    const codes: string[] = [];
    // As many at once as one address may have under way.
    for (let round = 0; round < 2; round += 1) {
      const guesses = Array.from({ length: 8 }, (_, n) =>
        codeOf((servers[n % 2] ?? world).people.signIn.withPassword(email, 'wrong words', somewhere)),
      );
      codes.push(...(await Promise.all(guesses)));
    }
    assert.equal(codes.filter((code) => code === 'wrong_credentials').length, 10);
    assert.equal(codes.filter((code) => code === 'too_many_requests').length, 6);
  });

  test('a right password gives its guess back', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    for (let n = 0; n < 30; n++) await world.signIn(email);
    await forgetEnded(world.database, world.clock.now() + 1);
    assert.deepEqual(await world.database.db.selectFrom('guess').selectAll().execute(), []);
  });

  test('what is recorded of guesses is forgotten when they weigh no more', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    await codeOf(world.people.signIn.withPassword(email, 'wrong words', somewhere));
    await forgetEnded(world.database, world.clock.now());
    assert.equal((await world.database.db.selectFrom('guess').selectAll().execute()).length, 3);
    await forgetEnded(world.database, world.clock.now() + 2 * minute);
    assert.equal((await world.database.db.selectFrom('guess').selectAll().execute()).length, 0);
  });

  test('refused tries at an account are in its audit trail, those at no account nowhere', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    await codeOf(world.people.signIn.withPassword(email, 'wrong words', somewhere));
    await codeOf(world.people.signIn.withPassword('nobody@example.com', 'wrong words', somewhere));
    await world.people.signIn.drain();
    const refusals = (await recordedActions(world)).filter((action) => action === 'sign-in.refuse');
    assert.equal(refusals.length, 1);
    assert.deepEqual(world.errors, []);
  });

  test('a hash of former parameters is made anew with those of today', async (t) => {
    const world = await openPeople(t, open);
    const { id } = await world.operator();
    const stronger = world.server({ argon2: { memory: 16, passes: 2, parallelism: 1 } });
    expectSignedIn(await stronger.people.signIn.withPassword(email, password, somewhere));
    const row = await world.database.db
      .selectFrom('account')
      .select('password')
      .where('id', '=', id)
      .executeTakeFirst();
    assert.match(row?.password ?? '', /^\$argon2id\$v=19\$m=16,t=2,p=1\$/);
    expectSignedIn(await stronger.people.signIn.withPassword(email, password, somewhere));
  });

  test('a browser stays familiar under a new name each time, and at most twenty are', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    let { device } = await world.signIn(email);
    for (let n = 0; n < 3; n++) ({ device } = await world.signIn(email, clientAt('203.0.113.7', device.reveal())));
    const devices = () => world.database.db.selectFrom('familiar_device').selectAll().execute();
    assert.equal((await devices()).length, 1);
    for (let n = 0; n < 25; n++) {
      world.clock.advance(1);
      await world.signIn(email);
    }
    assert.equal((await devices()).length, 20);
  });
});

onBothDatabases('sessions', (open) => {
  test('one that is ended is worth nothing on any server from the next request on', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    const other = world.server();
    const [mine, theirs] = [await world.signIn(email), await world.signIn(email)];
    assert.ok(await other.people.sessions.find(theirs.cookie.reveal()));
    await world.people.sessions.end(mine.actor, theirs.actor.sessionId);
    assert.equal(await world.people.sessions.find(theirs.cookie.reveal()), undefined);
    await other.feed.sync();
    assert.equal(await other.people.sessions.find(theirs.cookie.reveal()), undefined);
    assert.ok(await other.people.sessions.find(mine.cookie.reveal()));
    await assert.rejects(
      world.people.sessions.end(mine.actor, theirs.actor.sessionId),
      refused('not_found', 'session'),
    );
  });

  test('memory that cannot be proven true within a second asks the database', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    const other = world.server();
    const { cookie, actor } = await world.signIn(email);
    assert.ok(await other.people.sessions.find(cookie.reveal()));
    await world.people.sessions.end(actor, actor.sessionId);
    world.clock.advance(1_001);
    assert.equal(await other.people.sessions.find(cookie.reveal()), undefined);
  });

  test('a sign-in beyond what a person may have ends the oldest session, on every server', async (t) => {
    const world = await openPeople(t, open, { sessionLimits: { perAccount: 3 } });
    await world.operator();
    await world.operator('b@example.com');
    const elsewhere = await world.signIn('b@example.com');
    const other = world.server();
    const signedIn: Person[] = [];
    for (let n = 0; n < 5; n++) {
      world.clock.advance(1);
      signedIn.push(await world.signIn(email));
      if (n === 2) assert.ok(await other.people.sessions.find(signedIn[0]?.cookie.reveal() ?? ''));
    }
    const [first, second, ...kept] = signedIn;
    await other.feed.sync();
    for (const server of [world, other]) {
      for (const ended of [first, second]) {
        assert.equal(await server.people.sessions.find(ended?.cookie.reveal() ?? ''), undefined);
      }
      for (const { cookie } of [...kept, elsewhere]) assert.ok(await server.people.sessions.find(cookie.reveal()));
    }
    const ends = (await world.audit.list({ limit: 100 })).filter(({ action }) => action === 'session.end-oldest');
    assert.deepEqual(
      ends.map(({ subject, detail }) => [subject, JSON.parse(detail)]),
      [second, first].map((each) => [each?.accountId, { session: each?.actor.sessionId }]),
    );
  });

  test('nobody ends a session of somebody else', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    await world.operator('b@example.com');
    const [a, b] = [await world.signIn(email), await world.signIn('b@example.com')];
    await assert.rejects(world.people.sessions.end(a.actor, b.actor.sessionId), refused('not_found', 'session'));
    assert.equal(await world.people.sessions.endOthers(a.actor), 0);
    assert.ok(await world.people.sessions.find(b.cookie.reveal()));
  });

  test('all but the one that asks are ended together', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    const people = [await world.signIn(email), await world.signIn(email), await world.signIn(email)];
    const [mine] = people;
    assert.ok(mine);
    assert.equal(await world.people.sessions.endOthers(mine.actor), 2);
    const left = await world.people.sessions.list(mine.actor, { limit: 10 });
    assert.deepEqual(
      left.map(({ id, current }) => [id, current]),
      [[mine.actor.sessionId, true]],
    );
  });

  test('one that nobody uses ends after twelve hours, one in use after seven days', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    const [idle, used] = [await world.signIn(email), await world.signIn(email)];
    const hour = 60 * minute;
    for (let hours = 0; hours < 12 - 1; hours++) {
      world.clock.advance(hour);
      assert.ok(await world.people.sessions.find(used.cookie.reveal()), `hour ${hours}`);
    }
    world.clock.advance(hour);
    assert.equal(await world.people.sessions.find(idle.cookie.reveal()), undefined);
    for (let hours = 12; hours < 7 * 24 - 1; hours++) {
      world.clock.advance(hour);
      assert.ok(await world.people.sessions.find(used.cookie.reveal()), `hour ${hours}`);
    }
    world.clock.advance(hour);
    assert.equal(await world.people.sessions.find(used.cookie.reveal()), undefined);
    assert.deepEqual(await world.people.sessions.list(used.actor, { limit: 10 }), []);
    await forgetEnded(world.database, world.clock.now() + 1);
    assert.deepEqual(await world.database.db.selectFrom('session').selectAll().execute(), []);
  });

  test('use on one server keeps a session alive on another that remembers it', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    const other = world.server();
    const { cookie } = await world.signIn(email);
    assert.ok(await other.people.sessions.find(cookie.reveal()));
    world.clock.advance(8 * 60 * minute);
    assert.ok(await world.people.sessions.find(cookie.reveal()));
    world.clock.advance(8 * 60 * minute);
    assert.ok(await other.people.sessions.find(cookie.reveal()));
  });

  test('re-authentication gives another cookie, and the one before is worth nothing', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    const { cookie, actor } = await world.signIn(email);
    world.clock.advance(10 * minute);
    await assert.rejects(
      world.people.ownAccounts.reauthenticate(actor, { password: 'wrong words' }),
      refused('wrong_credentials', 'password'),
    );
    const next = await world.people.ownAccounts.reauthenticate(actor, { password });
    assert.notEqual(next.reveal(), cookie.reveal());
    assert.equal(await world.people.sessions.find(cookie.reveal()), undefined);
    const renewed = await actorOf(world, { cookie: next });
    assert.deepEqual([renewed.sessionId, renewed.authenticatedAt], [actor.sessionId, world.clock.now()]);
    await world.people.sessions.end(renewed, renewed.sessionId);
    await assert.rejects(world.people.ownAccounts.reauthenticate(renewed, { password }), refused('unauthenticated'));
  });

  test('a cookie that was planted before never becomes a session', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    const planted = 'A'.repeat(43);
    const { cookie } = await world.signIn(email);
    assert.notEqual(cookie.reveal(), planted);
    for (const text of [planted, '', 'x', `${cookie.reveal()}x`, cookie.reveal().toLowerCase()]) {
      assert.equal(await world.people.sessions.find(text), undefined, text);
    }
  });

  test('a changed password ends all other sessions and makes no browser familiar', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    const [mine, other] = [await world.signIn(email), await world.signIn(email)];
    const next = 'other unrelated words';
    const { ownAccounts, sessions, signIn } = world.people;
    await assert.rejects(ownAccounts.changePassword(mine.actor, 'wrong words', next), refused('wrong_credentials'));
    await assert.rejects(ownAccounts.changePassword(mine.actor, undefined, next), refused('wrong_credentials'));
    await assert.rejects(
      ownAccounts.changePassword(mine.actor, password, 'password123'),
      refused('password_rejected', 'password', 'common'),
    );
    const cookie = await ownAccounts.changePassword(mine.actor, password, next);
    assert.ok(await sessions.find(cookie.reveal()));
    for (const former of [mine, other]) assert.equal(await sessions.find(former.cookie.reveal()), undefined);
    assert.deepEqual(await world.database.db.selectFrom('familiar_device').selectAll().execute(), []);
    await assert.rejects(signIn.withPassword(email, password, somewhere), refused('wrong_credentials'));
    expectSignedIn(await signIn.withPassword(email, next, somewhere));
  });

  test('of two who change the password at once one does', async (t) => {
    const world = await openPeople(t, open);
    await world.operator();
    const people = [await world.signIn(email), await world.signIn(email)];
    const both = await Promise.allSettled(
      people.map(({ actor }, n) => world.people.ownAccounts.changePassword(actor, password, `new words number ${n}`)),
    );
    assert.deepEqual(both.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
  });

  test('a role that is given or taken holds from the next request on, on every server', async (t) => {
    const world = await openPeople(t, open);
    const { id } = await world.operator();
    const acme = await world.organizations.create('cli', 'Acme');
    const { cookie } = await world.signIn(email);
    const other = world.server();
    assert.equal((await actorOf(other, { cookie })).memberships.size, 0);
    const row = { organization_id: acme.id, account_id: id, role: 'owner', by_sso: 0, created_at: 1 } as const;
    await world.feed.write(async (trx, note) => {
      await trx.insertInto('membership').values(row).execute();
      note('account', id);
    });
    await other.feed.sync();
    assert.deepEqual([...(await actorOf(other, { cookie })).memberships], [[acme.id, 'owner']]);
  });
});

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
