import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SettingsService } from '@simplewebauthn/server';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { onBothDatabases } from '../../database/testing.ts';
import {
  actorOf,
  expectSecondFactor,
  expectSignedIn,
  openPeople,
  type PeopleWorld,
  password,
  recordedActions,
  refused,
  somewhere,
  standardBaseUrl,
} from '../people-world.testing.ts';
import {
  createAuthenticator,
  type Deviations,
  type PasskeyAlgorithm,
  type VirtualAuthenticator,
} from './authenticator.testing.ts';

const email = 'ops@example.com';

async function enrolled(
  world: PeopleWorld,
  algorithm: PasskeyAlgorithm = 'ES256',
  counts = true,
): Promise<{ id: string; authenticator: VirtualAuthenticator; passkeyId: string; codes: string[] }> {
  const { id } = await world.operator();
  const authenticator = createAuthenticator(standardBaseUrl, algorithm, counts);
  const options = await world.people.passkeys.enrolmentOptions(id, email);
  const { passkey, recoveryCodes } = await world.people.passkeys.enrol(id, authenticator.create(options), ' My key ');
  return { id, authenticator, passkeyId: passkey.id, codes: recoveryCodes.map((code) => code.reveal()) };
}

/** Certificates that each name a list of revoked ones, from the leaf up to, but without, the root. */
function longChain(length: number) {
  const revocationList = 'http://127.0.0.1:9/revoked.crl';
  const root = makeTrialCa({ now: Date.now() });
  const authorities = [root];
  for (let n = 1; n < length; n++) authorities.unshift((authorities[0] ?? root).intermediate({ revocationList }));
  const leaf = (authorities[0] ?? root).issue({ domains: ['a.test'], revocationList });
  return { root, x5c: [leaf, ...authorities.slice(0, -1)].map(({ certificateDer }) => certificateDer) };
}

/** Signs in by the passkey alone. */
async function assertion(world: PeopleWorld, authenticator: VirtualAuthenticator, deviations: Deviations = {}) {
  const options = await world.people.signIn.passkeyOptions(undefined, somewhere);
  return world.people.signIn.withPasskey(undefined, authenticator.get(options, deviations), somewhere);
}

onBothDatabases('passkeys', (open) => {
  for (const algorithm of ['ES256', 'EdDSA'] as const) {
    test(`one with ${algorithm} is added and signs its person in, without a name or a password`, async (t) => {
      const world = await openPeople(t, open);
      const { id, authenticator, codes } = await enrolled(world, algorithm);
      assert.equal(codes.length, 10);
      const options = await world.people.signIn.passkeyOptions(undefined, somewhere);
      assert.deepEqual([options.allowCredentials, options.userVerification], [undefined, 'required']);
      for (let n = 0; n < 2; n++) {
        const signedIn = expectSignedIn(await assertion(world, authenticator));
        assert.equal((await actorOf(world, signedIn)).accountId, id);
      }
      const [passkey] = await world.people.passkeys.list(id);
      assert.deepEqual([passkey?.name, passkey?.used_at], ['My key', new Date(world.clock.now()).toISOString()]);
      assert.deepEqual((await recordedActions(world)).slice(-3), ['passkey.add', 'session.create', 'session.create']);
    });
  }

  test('one that does not count its uses, as synchronized ones do not, is as good', async (t) => {
    const world = await openPeople(t, open);
    const { authenticator } = await enrolled(world, 'ES256', false);
    for (let n = 0; n < 3; n++) expectSignedIn(await assertion(world, authenticator));
  });

  for (const [name, deviations] of [
    ['of another origin', { origin: 'https://wax.example.com.evil.test' }],
    ['of the same host over plain HTTP', { origin: 'http://wax.example.com' }],
    ['for another site', { rpId: 'example.com' }],
    ['whose person was not verified', { verified: false }],
    ['with nobody there', { present: false }],
    ['whose counter stands still', { counter: 2 }],
    ['whose counter has gone back', { counter: 1 }],
    ['of another ceremony', { type: 'webauthn.create' }],
    ['to a challenge we never asked', { challenge: 'A'.repeat(43) }],
    ['to no challenge', { challenge: '' }],
    ['signed over something else', { forged: true }],
  ] as const) {
    test(`an answer ${name} is refused`, async (t) => {
      const world = await openPeople(t, open);
      const { authenticator } = await enrolled(world);
      expectSignedIn(await assertion(world, authenticator));
      await assert.rejects(assertion(world, authenticator, deviations), refused('wrong_credentials'));
      expectSignedIn(await assertion(world, authenticator, { counter: 10 }));
    });
  }

  test('an answer counts once, also when it comes twice at the same moment to two servers', async (t) => {
    const world = await openPeople(t, open);
    const { authenticator } = await enrolled(world, 'ES256', false);
    const options = await world.people.signIn.passkeyOptions(undefined, somewhere);
    const answer = authenticator.get(options);
    const both = await Promise.allSettled(
      [world, world.server()].map(({ people }) => people.signIn.withPasskey(undefined, answer, somewhere)),
    );
    assert.deepEqual(both.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
    await assert.rejects(world.people.signIn.withPasskey(undefined, answer, somewhere), refused('wrong_credentials'));
  });

  test('a challenge is good for five minutes', async (t) => {
    const world = await openPeople(t, open);
    const { authenticator } = await enrolled(world);
    const options = await world.people.signIn.passkeyOptions(undefined, somewhere);
    world.clock.advance(5 * 60_000);
    await assert.rejects(
      world.people.signIn.withPasskey(undefined, authenticator.get(options), somewhere),
      refused('wrong_credentials'),
    );
  });

  test('an answer to one question is none to another', async (t) => {
    const world = await openPeople(t, open);
    const { id, authenticator } = await enrolled(world);
    const { step } = expectSecondFactor(await world.people.signIn.withPassword(email, password, somewhere));
    const { actor } = { actor: await actorOf(world, expectSignedIn(await assertion(world, authenticator))) };
    const toFresh = authenticator.get(await world.people.ownAccounts.passkeyOptions(actor));
    await assert.rejects(world.people.signIn.withPasskey(undefined, toFresh, somewhere), refused('wrong_credentials'));
    const toStep = authenticator.get(await world.people.signIn.passkeyOptions(step, somewhere), { verified: false });
    await assert.rejects(world.people.signIn.withPasskey(undefined, toStep, somewhere), refused('wrong_credentials'));
    const toSignIn = authenticator.get(await world.people.signIn.passkeyOptions(undefined, somewhere));
    await assert.rejects(
      world.people.ownAccounts.reauthenticate(actor, { passkey: toSignIn }),
      refused('wrong_credentials'),
    );
    const enrolment = await world.people.passkeys.enrolmentOptions(id, email);
    const toEnrol = authenticator.get({ challenge: enrolment.challenge, rpId: 'wax.example.com' });
    await assert.rejects(world.people.signIn.withPasskey(undefined, toEnrol, somewhere), refused('wrong_credentials'));
  });

  test('after a password one is asked for as the second factor, where its touch is enough', async (t) => {
    const world = await openPeople(t, open);
    const { id, authenticator } = await enrolled(world);
    const { step, factors } = expectSecondFactor(await world.people.signIn.withPassword(email, password, somewhere));
    assert.deepEqual(factors, ['passkey', 'recovery_code']);
    const options = await world.people.signIn.passkeyOptions(step, somewhere);
    assert.deepEqual(
      options.allowCredentials?.map((credential) => credential.id),
      [authenticator.credentialId],
    );
    const answer = authenticator.get(options, { verified: false });
    const signedIn = expectSignedIn(await world.people.signIn.withPasskey(step, answer, somewhere));
    assert.equal(signedIn.accountId, id);
    await assert.rejects(world.people.signIn.passkeyOptions(step, somewhere), refused('sign_in_expired'));
  });

  test("somebody else's passkey is no second factor", async (t) => {
    const world = await openPeople(t, open);
    await enrolled(world);
    const { id: otherId } = await world.operator('b@example.com');
    const other = createAuthenticator(standardBaseUrl);
    const enrolment = await world.people.passkeys.enrolmentOptions(otherId, 'b@example.com');
    await world.people.passkeys.enrol(otherId, other.create(enrolment), 'b');
    const { step } = expectSecondFactor(await world.people.signIn.withPassword(email, password, somewhere));
    const answer = other.get(await world.people.signIn.passkeyOptions(step, somewhere));
    await assert.rejects(world.people.signIn.withPasskey(step, answer, somewhere), refused('wrong_credentials'));
  });

  test('one proves anew who is there', async (t) => {
    const world = await openPeople(t, open);
    const { authenticator } = await enrolled(world);
    const actor = await actorOf(world, expectSignedIn(await assertion(world, authenticator)));
    world.clock.advance(10 * 60_000);
    const answer = authenticator.get(await world.people.ownAccounts.passkeyOptions(actor));
    const cookie = await world.people.ownAccounts.reauthenticate(actor, { passkey: answer });
    assert.equal((await actorOf(world, { cookie })).authenticatedAt, world.clock.now());
  });

  for (const [name, deviations] of [
    ['from another origin', { origin: 'https://evil.test' }],
    ['for another site', { rpId: 'evil.test' }],
    ['of an unverified person', { verified: false }],
    ['to another challenge', { challenge: 'A'.repeat(43) }],
  ] as const) {
    test(`one that is made ${name} is not added`, async (t) => {
      const world = await openPeople(t, open);
      const { id } = await world.operator();
      const options = await world.people.passkeys.enrolmentOptions(id, email);
      const made = createAuthenticator(standardBaseUrl).create(options, deviations);
      await assert.rejects(world.people.passkeys.enrol(id, made, 'x'), refused('factor_rejected'));
      assert.deepEqual(await world.people.passkeys.list(id), []);
    });
  }

  for (const format of ['apple', 'android-key', 'android-safetynet', 'packed', 'tpm', 'fido-u2f', 'of-tomorrow']) {
    test(`what one says of its make, in the format ${format}, costs nothing: nobody has asked for it`, async (t) => {
      const world = await openPeople(t, open);
      const { id } = await world.operator();
      const { root, x5c } = longChain(6);
      const identifier = 'apple';
      const known = SettingsService.getRootCertificates({ identifier });
      SettingsService.setRootCertificates({ identifier, certificates: [root.certificatePem] });
      t.after(() => SettingsService.setRootCertificates({ identifier, certificates: known }));
      const verified = t.mock.method(crypto.subtle, 'verify');
      const fetched = t.mock.method(globalThis, 'fetch', () => Promise.reject(new TypeError('there is no network')));
      const statement = new Map<string, unknown>([
        ['alg', -7],
        ['sig', Buffer.alloc(70)],
        ['x5c', x5c],
      ]);
      const options = await world.people.passkeys.enrolmentOptions(id, email);
      const authenticator = createAuthenticator(standardBaseUrl);
      const made = authenticator.create(options, { attestation: { format, statement } });
      await world.people.passkeys.enrol(id, made, 'x').catch(() => undefined);
      assert.deepEqual([verified.mock.callCount(), fetched.mock.callCount()], [0, 0]);
      // Whoever's browser sends it without being asked has a passkey like any other.
      assert.equal((await world.people.passkeys.list(id)).length, 1);
      expectSignedIn(await assertion(world, authenticator));
    });
  }

  test('an attestation that cannot be read is refused like anything else that is wrong', async (t) => {
    const world = await openPeople(t, open);
    const { id } = await world.operator();
    const authenticator = createAuthenticator(standardBaseUrl);
    const of = (bytes: readonly number[]) => Buffer.from(bytes).toString('base64url');
    // Nothing, no map, a map without authenticator data, another thing in their place, arrays in each other, no text at all.
    const broken = [of([]), of([1]), of([0xa0]), of([0xa1, 0x68, ...Buffer.from('authData'), 1])];
    for (const attestationObject of [...broken, of(new Array(20_000).fill(0x81)), 7, undefined]) {
      const made = authenticator.create(await world.people.passkeys.enrolmentOptions(id, email));
      const response = { ...made.response, attestationObject: attestationObject as string };
      await assert.rejects(
        world.people.passkeys.enrol(id, { ...made, response }, 'x'),
        refused('factor_rejected', undefined, 'passkey_not_proven'),
      );
    }
  });

  test('a challenge to add one is answered once, by the person it was given to', async (t) => {
    const world = await openPeople(t, open);
    const { id } = await world.operator();
    const { id: otherId } = await world.operator('b@example.com');
    const options = await world.people.passkeys.enrolmentOptions(id, email);
    const authenticator = createAuthenticator(standardBaseUrl);
    await assert.rejects(
      world.people.passkeys.enrol(otherId, authenticator.create(options), 'x'),
      refused('factor_rejected'),
    );
    await assert.rejects(
      world.people.passkeys.enrol(id, authenticator.create(options), 'x'),
      refused('factor_rejected', undefined, 'passkey_not_proven'),
      'it is used up',
    );
    const again = await world.people.passkeys.enrolmentOptions(id, email);
    await world.people.passkeys.enrol(id, authenticator.create(again), 'x');
    const twice = await world.people.passkeys.enrolmentOptions(otherId, 'b@example.com');
    await assert.rejects(
      world.people.passkeys.enrol(otherId, authenticator.create(twice), 'x'),
      refused('factor_rejected', undefined, 'passkey_in_use'),
      'it is somebody else’s',
    );
  });

  test('one that is removed signs nobody in; with the last one the recovery codes go', async (t) => {
    const world = await openPeople(t, open);
    const { id, authenticator, passkeyId } = await enrolled(world);
    assert.equal((await world.people.passkeys.rename(id, passkeyId, 'Other')).name, 'Other');
    await assert.rejects(world.people.passkeys.remove('somebody', passkeyId), refused('not_found', 'passkey'));
    await world.people.passkeys.remove(id, passkeyId);
    await assert.rejects(assertion(world, authenticator), refused('wrong_credentials'));
    expectSignedIn(await world.people.signIn.withPassword(email, password, somewhere));
    assert.deepEqual(await world.database.db.selectFrom('recovery_code').selectAll().execute(), []);
  });

  test('a disabled person has none', async (t) => {
    const world = await openPeople(t, open);
    const { authenticator } = await enrolled(world);
    await world.people.operators.setDisabled('cli', email, true);
    await assert.rejects(assertion(world, authenticator), refused('wrong_credentials'));
  });

  test('rubbish is refused like anything else that is wrong', async (t) => {
    const world = await openPeople(t, open);
    const { authenticator } = await enrolled(world);
    const good = authenticator.get(await world.people.signIn.passkeyOptions(undefined, somewhere));
    for (const response of [
      { ...good, response: { ...good.response, clientDataJSON: 'e30' } },
      { ...good, response: { ...good.response, clientDataJSON: '%%%' } },
      { ...good, response: { ...good.response, authenticatorData: 'AAAA' } },
      { ...good, response: {} },
      { ...good, id: 'x' },
    ]) {
      await assert.rejects(
        world.people.signIn.withPasskey(undefined, response as typeof good, somewhere),
        refused('wrong_credentials'),
      );
    }
  });

  test('a base URL with an address in place of a name is named as the fault', async (t) => {
    const world = await openPeople(t, open, { baseUrl: 'http://127.0.0.1:8080' });
    const { id } = await world.operator();
    await assert.rejects(
      world.people.passkeys.enrolmentOptions(id, email),
      refused('conflict', undefined, 'passkeys_need_name'),
    );
  });
});
