import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { onBothDatabases } from '../../database/testing.ts';
import { keyCheck } from '../../secrets/key-material.ts';
import { newMasterKey, withCurrentKey } from '../../secrets/key-ring.ts';
import {
  actorOf,
  clientAt,
  expectSecondFactor,
  expectSignedIn,
  openPeople,
  type PeopleWorld,
  password,
  recordedActions,
  refused,
  somewhere,
} from '../people-world.testing.ts';
import { timeStep, totpCode } from './totp.ts';

const email = 'ops@example.com';

interface Enrolled {
  readonly id: string;
  /** The code that an authenticator shows now. */
  code(): string;
  readonly codes: readonly string[];
}

async function enrolled(world: PeopleWorld): Promise<Enrolled> {
  const { id } = await world.operator();
  const { secret } = await world.people.totp.enrol(id, email);
  const code = () => totpCode(fromBase32(secret.reveal()), timeStep(world.clock.now()));
  const codes = await world.people.totp.confirm(id, 'session', code());
  world.clock.advance(30_000);
  return { id, code, codes: codes.map((each) => each.reveal()) };
}

async function firstStep(world: PeopleWorld): Promise<string> {
  return expectSecondFactor(await world.people.signIn.withPassword(email, password, somewhere)).step;
}

onBothDatabases('an authenticator application', (open) => {
  test('is asked for after the password once its first code is confirmed', async (t) => {
    const world = await openPeople(t, open);
    const { id } = await world.operator();
    const { secret, uri } = await world.people.totp.enrol(id, email);
    assert.match(uri.reveal(), /^otpauth:\/\/totp\/Waxwing:ops%40example\.com\?secret=[A-Z2-7]{32}&/);
    assert.doesNotMatch(inspect({ secret, uri }) + JSON.stringify({ secret, uri }), /[A-Z2-7]{32}/);
    expectSignedIn(await world.people.signIn.withPassword(email, password, somewhere));
    await assert.rejects(
      world.people.totp.confirm(id, 's', '000000'),
      refused('factor_rejected', 'code', 'wrong_code'),
    );
    const code = totpCode(fromBase32(secret.reveal()), timeStep(world.clock.now()));
    const codes = await world.people.totp.confirm(id, 's', code);
    assert.equal(new Set(codes.map((each) => each.reveal())).size, 10);
    const { step, factors } = expectSecondFactor(await world.people.signIn.withPassword(email, password, somewhere));
    assert.deepEqual(factors, ['totp', 'recovery_code']);
    await assert.rejects(
      world.people.signIn.withSecondFactor(step, { totp: code }, somewhere),
      refused('wrong_credentials', 'code'),
      'the code that confirmed it is used up',
    );
  });

  test('rests sealed, and no row holds its secret or a recovery code', async (t) => {
    const world = await openPeople(t, open);
    const { id } = await world.operator();
    const { secret } = await world.people.totp.enrol(id, email);
    const clear = fromBase32(secret.reveal());
    const codes = await world.people.totp.confirm(id, 's', totpCode(clear, timeStep(world.clock.now())));
    const rows = await world.database.db.selectFrom('totp').selectAll().execute();
    assert.equal(Buffer.from(rows[0]?.sealed ?? []).includes(clear), false);
    const kept = JSON.stringify(await world.database.db.selectFrom('recovery_code').selectAll().execute());
    for (const code of codes) assert.equal(kept.includes(code.reveal()), false);
    const audit = JSON.stringify(await world.audit.list({ limit: 50 }));
    for (const each of [secret.reveal(), ...codes.map((code) => code.reveal())]) {
      assert.equal(audit.includes(each), false);
    }
  });

  test('gives codes that are accepted once, also by two servers at the same moment', async (t) => {
    const world = await openPeople(t, open);
    const { code } = await enrolled(world);
    const other = world.server();
    const [one, two] = [await firstStep(world), await firstStep(world)];
    const both = await Promise.allSettled([
      world.people.signIn.withSecondFactor(one, { totp: code() }, somewhere),
      other.people.signIn.withSecondFactor(two, { totp: code() }, somewhere),
    ]);
    assert.deepEqual(both.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
    await assert.rejects(
      world.people.signIn.withSecondFactor(await firstStep(world), { totp: code() }, somewhere),
      refused('wrong_credentials', 'code'),
    );
    world.clock.advance(30_000);
    expectSignedIn(await world.people.signIn.withSecondFactor(await firstStep(world), { totp: code() }, somewhere));
  });

  test('a step of a sign-in is used once and lasts ten minutes', async (t) => {
    const world = await openPeople(t, open);
    const { code } = await enrolled(world);
    const step = await firstStep(world);
    expectSignedIn(await world.people.signIn.withSecondFactor(step, { totp: code() }, somewhere));
    world.clock.advance(30_000);
    const again = world.people.signIn.withSecondFactor(step, { totp: code() }, somewhere);
    await assert.rejects(again, refused('sign_in_expired'));
    const late = await firstStep(world);
    world.clock.advance(10 * 60_000);
    await assert.rejects(
      world.people.signIn.withSecondFactor(late, { totp: code() }, somewhere),
      refused('sign_in_expired'),
    );
    for (const rubbish of ['', 'x', 'A'.repeat(43)]) {
      const tried = world.people.signIn.withSecondFactor(rubbish, { totp: code() }, somewhere);
      await assert.rejects(tried, refused('sign_in_expired'));
    }
  });

  test('whoever knows the password gets five guesses at a code, from however many addresses', async (t) => {
    const world = await openPeople(t, open);
    const { code } = await enrolled(world);
    const step = await firstStep(world);
    const wrong = code() === '000000' ? '000001' : '000000';
    for (let n = 0; n < 5; n++) {
      const tried = world.people.signIn.withSecondFactor(step, { totp: wrong }, clientAt(`10.0.0.${n}`));
      await assert.rejects(tried, refused('wrong_credentials'));
    }
    const sixth = world.people.signIn.withSecondFactor(step, { totp: code() }, clientAt('10.0.0.9'));
    await assert.rejects(sixth, refused('too_many_requests'));
    world.clock.advance(5 * 60_000);
    expectSignedIn(await world.people.signIn.withSecondFactor(step, { totp: code() }, clientAt('10.0.0.9')));
  });

  test('a second one needs the first one removed, and removing it takes the recovery codes along', async (t) => {
    const world = await openPeople(t, open);
    const { id } = await enrolled(world);
    await assert.rejects(world.people.totp.enrol(id, email), refused('conflict', undefined, 'totp_present'));
    await world.people.totp.remove(id);
    await assert.rejects(world.people.totp.remove(id), refused('not_found'));
    expectSignedIn(await world.people.signIn.withPassword(email, password, somewhere));
    assert.deepEqual(await world.database.db.selectFrom('recovery_code').selectAll().execute(), []);
    await world.people.totp.enrol(id, email);
    await world.people.totp.enrol(id, email);
    assert.deepEqual(
      (await recordedActions(world)).filter((action) => action.startsWith('totp')),
      ['totp.add', 'totp.remove'],
    );
  });

  test('proves anew who is there for somebody without a password, and for nobody else', async (t) => {
    const world = await openPeople(t, open);
    const { id, code } = await enrolled(world);
    const signedIn = expectSignedIn(
      await world.people.signIn.withSecondFactor(await firstStep(world), { totp: code() }, somewhere),
    );
    const actor = await actorOf(world, signedIn);
    world.clock.advance(30_000);
    await assert.rejects(
      world.people.ownAccounts.reauthenticate(actor, { totp: code() }),
      refused('conflict', 'totp', 'password_or_passkey_needed'),
    );
    await world.database.db.updateTable('account').set({ password: null }).where('id', '=', id).execute();
    const cookie = await world.people.ownAccounts.reauthenticate(actor, { totp: code() });
    assert.ok(await world.people.sessions.find(cookie.reveal()));
    const factors = await world.people.ownAccounts.factors(actor);
    assert.deepEqual([factors.password, factors.totp === null, factors.recovery_codes_left], [false, false, 10]);
  });

  test('a new master key wraps its secret anew, and its codes go on', async (t) => {
    const world = await openPeople(t, open);
    const { code } = await enrolled(world);
    const { sealedStore } = world.people;
    const former = world.ring.current.id;
    assert.deepEqual(await sealedStore.keysInUse(world.database.db), [former]);
    const next = newMasterKey(world.clock.now(), randomBytes);
    await world.database.db
      .insertInto('master_key')
      .values({ id: next.id, key_check: keyCheck(next.key), created_at: next.createdAt })
      .execute();
    world.ring = withCurrentKey(world.ring, next);
    assert.equal(await sealedStore.rewrap(world.ring, 100), 1);
    assert.equal(await sealedStore.rewrap(world.ring, 100), 0);
    assert.deepEqual(await sealedStore.keysInUse(world.database.db), [next.id]);
    world.ring = { current: next, keys: [next] };
    assert.deepEqual(await sealedStore.check(world.ring), { sealed: 1, faults: [] });
    expectSignedIn(await world.people.signIn.withSecondFactor(await firstStep(world), { totp: code() }, somewhere));
    const stranger = newMasterKey(0, randomBytes);
    const { faults } = await sealedStore.check({ current: stranger, keys: [stranger] });
    assert.equal(faults.length, 1);
  });
});

onBothDatabases('recovery codes', (open) => {
  test('each stands in for the second factor once, also when it comes twice at the same moment', async (t) => {
    const world = await openPeople(t, open);
    const { codes } = await enrolled(world);
    const [first = '', second = ''] = codes;
    const steps = [await firstStep(world), await firstStep(world)];
    const both = await Promise.allSettled(
      steps.map((step) => world.people.signIn.withSecondFactor(step, { recoveryCode: first }, somewhere)),
    );
    assert.deepEqual(both.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
    const replayed = world.people.signIn.withSecondFactor(await firstStep(world), { recoveryCode: first }, somewhere);
    await assert.rejects(replayed, refused('wrong_credentials', 'code'));
    const typed = { recoveryCode: second.toLowerCase().replaceAll('-', ' ') };
    expectSignedIn(await world.people.signIn.withSecondFactor(await firstStep(world), typed, somewhere));
  });

  test('new ones replace all before; without a second factor there are none', async (t) => {
    const world = await openPeople(t, open);
    const { id, codes } = await enrolled(world);
    const next = await world.people.recoveryCodes.replace(id);
    assert.equal(next.length, 10);
    const [former = ''] = codes;
    const tried = world.people.signIn.withSecondFactor(await firstStep(world), { recoveryCode: former }, somewhere);
    await assert.rejects(tried, refused('wrong_credentials'));
    const recoveryCode = next[0]?.reveal() ?? '';
    expectSignedIn(await world.people.signIn.withSecondFactor(await firstStep(world), { recoveryCode }, somewhere));
    const { id: other } = await world.operator('b@example.com');
    await assert.rejects(world.people.recoveryCodes.replace(other), refused('conflict', undefined, 'no_second_factor'));
  });
});

/** RFC 4648 §6. */
function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
