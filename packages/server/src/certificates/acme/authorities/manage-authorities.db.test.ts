import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { openAcmeWorld } from '../acme-world.testing.ts';
import { failure } from '../fake-authority.testing.ts';
import { openAccountKey } from '../sealed-acme.ts';

const { signal } = new AbortController();
const email = 'ops@example.com';
const externalAccount = { kid: 'kid', hmac: 'c2VjcmV0LXNlY3JldC1zZWNyZXQ' };

onBothDatabases('authorities', (open) => {
  test('a preset whose authority needs an external account is created without one, and a test tells what is missing', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authorities, authority } = world;
    for (const preset of ['zerossl', 'google', 'sslcom', 'sslcom-rsa'] as const) {
      assert.equal((await authorities.create('test', { name: preset, preset, email })).eab_kid, null);
    }
    const words = 'An external account is required.';
    const refusal = failure(words, { type: 'externalAccountRequired' });
    authority.before = (call) => (call === 'register' ? refusal : undefined);
    const [zero] = (await authorities.list({ take: 9, after: undefined })).filter(({ name }) => name === 'zerossl');
    const id = zero?.id ?? '';
    const missing = `${words} --eab-kid and --eab-hmac-file are missing: set them by "authority update".`;
    assert.equal((await authorities.test('test', id, signal)).error, missing);
    const requested = await world.request({ authorities: ['zerossl'] });
    await world.pass(60_000);
    assert.equal((await world.requests.progress(requested)).error, missing);

    assert.equal((await authorities.update('test', id, { externalAccount })).eab_kid, 'kid');
    assert.equal((await authorities.test('test', id, signal)).error, words);
    const without = await authorities.update('test', id, { externalAccount: null });
    assert.deepEqual([without.preset, without.eab_kid], ['zerossl', null]);
  });

  test('the directory stays while certificates use the authority', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authorities, database } = world;
    const [{ id = '', directory: former = '' } = {}] = await authorities.list({ take: 1, after: undefined });
    const certificate = await world.request();
    await world.tick();
    const directory = 'https://ca.test/other';
    const move = () => authorities.update('test', id, { directory });
    const message = /^1 certificate.*www\.example\.com\. Create another authority/;
    const parameters = { count: '1', names: 'www.example.com' };
    await assert.rejects(move, { code: 'conflict', reason: 'authority_in_use', parameters, message });
    const url = (await authorities.update('test', id, { directory: former, name: 'renamed' })).account_url;
    assert.notEqual(url, null, 'the same directory keeps the account');
    await database.db.updateTable('certificate').set({ state: 'revoked' }).where('id', '=', certificate).execute();
    assert.deepEqual([(await move()).directory, (await authorities.show(id)).account_url], [directory, null]);
  });

  test('an authority can be deleted once its certificates are revoked', async (t) => {
    const world = await openAcmeWorld(t, open);
    const id = await world.request();
    const [authority] = await world.authorities.list({ take: 1, after: undefined });
    const remove = () => world.authorities.delete('test', authority?.id ?? '');
    await assert.rejects(remove, { reason: 'authority_in_use', message: /have to be deleted or revoked first/ });
    await world.database.db.updateTable('certificate').set({ state: 'revoked' }).where('id', '=', id).execute();
    await remove();
    // The order that was under way ends without its authority.
    await world.pass(60_000);
    assert.equal(await world.count('acme_order'), 0);
  });

  test('another address reaches the authority by the next test', async (t) => {
    const { authorities, authority } = await openAcmeWorld(t, open);
    const [{ id = '' } = {}] = await authorities.list({ take: 1, after: undefined });
    const { account_url: url } = await authorities.test('test', id, signal);
    assert.equal(authority.contacts.get(url ?? ''), email);
    await authorities.update('test', id, { email: 'new@example.com' });
    assert.equal((await authorities.test('test', id, signal)).ok, true);
    assert.equal(authority.contacts.get(url ?? ''), 'new@example.com');
  });

  for (const [moment, hook] of [
    ['between the stored key and the request', 'before'],
    ['between the answer and the swap', 'after'],
  ] as const) {
    test(`a key change that is cut off ${moment} is completed by the next one`, async (t) => {
      const world = await openAcmeWorld(t, open);
      const { authorities, authority, database } = world;
      const [{ id = '' } = {}] = await authorities.list({ take: 1, after: undefined });
      assert.equal((await authorities.rollKey('test', id, signal)).ok, false, 'there is no account');
      await authorities.test('test', id, signal);
      const [former] = authority.accounts.keys();
      authority[hook] = (call) => (call === 'changeKey' ? 'lose' : undefined);
      assert.equal((await authorities.rollKey('test', id, signal)).ok, false);
      const row = () => database.db.selectFrom('authority').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      const stored = (await row()).next_sealed_key;
      assert.ok(stored !== null);
      authority[hook] = () => undefined;
      assert.equal((await authorities.rollKey('test', id, signal)).ok, true);
      const { sealed_key, next_sealed_key } = await row();
      assert.deepEqual([Buffer.from(sealed_key).equals(stored), next_sealed_key], [true, null]);
      assert.equal(authority.calls.filter((call) => call === 'changeKey').length, hook === 'before' ? 2 : 1);
      assert.equal(authority.accounts.has(former ?? ''), false);
      assert.equal((await authorities.test('test', id, signal)).existed, true, 'the same account');
      assert.equal((await world.actions()).filter((action) => action === 'authority.roll-key').length, 1);
    });
  }

  /** An account whose key change was cut off by `hook`. */
  async function withCutChange(t: TestContext, hook: 'before' | 'after') {
    const world = await openAcmeWorld(t, open);
    const { authorities, authority, database } = world;
    const [{ id = '' } = {}] = await authorities.list({ take: 1, after: undefined });
    const { account_url: url } = await authorities.test('test', id, signal);
    authority[hook] = (call) => (call === 'changeKey' ? 'lose' : undefined);
    assert.equal((await authorities.rollKey('test', id, signal)).ok, false);
    authority[hook] = () => undefined;
    const row = () => database.db.selectFrom('authority').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const update = (columns: { account_url: string | null }) =>
      database.db.updateTable('authority').set(columns).where('id', '=', id).execute();
    return { ...world, id, url, row, update };
  }

  for (const isKnown of [true, false]) {
    test(`a key change whose answer was lost is completed by a test, the account ${isKnown ? 'known' : 'forgotten'}`, async (t) => {
      const world = await withCutChange(t, 'after');
      const { authorities, authority, id, url, row } = world;
      const stored = (await row()).next_sealed_key;
      if (!isKnown) await world.update({ account_url: null });
      const tested = await authorities.test('other', id, signal);
      assert.deepEqual([tested.ok, tested.existed, tested.account_url, tested.error], [true, true, url, null]);
      assert.equal(authority.accounts.size, 1, 'no second account');
      const { sealed_key, next_sealed_key, account_url } = await row();
      assert.deepEqual([Buffer.from(sealed_key), next_sealed_key, account_url], [stored, null, url]);
      const told = (await world.audit.list({ limit: 100 })).filter(({ action }) => action === 'authority.roll-key');
      assert.deepEqual(
        told.map(({ actor, subject }) => [actor, subject]),
        [['other', id]],
      );
      const certificate = await world.request();
      await world.pass(60_000);
      assert.equal((await world.certificate(certificate)).state, 'issued');
      assert.equal((await authorities.rollKey('test', id, signal)).ok, true);
    });
  }

  test('an order whose account was forgotten completes a key change as well', async (t) => {
    const world = await withCutChange(t, 'after');
    await world.update({ account_url: null });
    const certificate = await world.request();
    await world.pass(60_000);
    assert.equal((await world.certificate(certificate)).state, 'issued');
    assert.equal(world.authority.accounts.size, 1, 'no second account');
    assert.deepEqual([(await world.row()).account_url, (await world.row()).next_sealed_key], [world.url, null]);
  });

  test('a key change that the authority did not take stays to be completed, whatever a test asks', async (t) => {
    const { authorities, authority, id, url, row } = await withCutChange(t, 'before');
    const tested = await authorities.test('test', id, signal);
    assert.deepEqual([tested.existed, tested.account_url, authority.accounts.size], [true, url, 1]);
    assert.notEqual((await row()).next_sealed_key, null);
    assert.equal((await authorities.rollKey('test', id, signal)).ok, true);
  });

  test('no account is made while nobody knows whether the authority has the next key', async (t) => {
    const { authorities, authority, id, url, row } = await withCutChange(t, 'after');
    let asked = 0;
    authority.before = (call) => (call === 'findAccount' && ++asked === 2 ? 'lose' : undefined);
    assert.equal((await authorities.test('test', id, signal)).ok, false);
    assert.deepEqual([asked, authority.accounts.size, (await row()).account_url], [2, 1, url]);
  });

  test('a next key of another account is dropped, and the command succeeds when run again', async (t) => {
    const { authorities, authority, needs, id, row, update } = await withCutChange(t, 'after');
    // The former key has an account of its own.
    const client = await authority.parts.client({ directory: '', rootPem: undefined });
    const former = openAccountKey(needs.ring(), await row());
    const made = await client.register(former, { email }, signal);
    await update({ account_url: made.kind === 'done' ? made.url : null });
    assert.match((await authorities.rollKey('test', id, signal)).error ?? '', /belongs to another account/);
    assert.equal((await row()).next_sealed_key, null);
    assert.equal((await authorities.rollKey('test', id, signal)).ok, true);
  });

  test('a next key that the authority refuses is dropped while the former one is known', async (t) => {
    const { authorities, authority, id, url, row } = await withCutChange(t, 'before');
    const stored = (await row()).next_sealed_key;
    authority.before = (call) => (call === 'changeKey' ? failure('A bad key.', { type: 'badPublicKey' }) : undefined);
    assert.equal((await authorities.rollKey('test', id, signal)).error, 'A bad key.');
    assert.equal((await row()).next_sealed_key, null);
    authority.before = () => undefined;
    const rolled = await authorities.rollKey('test', id, signal);
    assert.deepEqual([rolled.ok, rolled.account_url], [true, url]);
    assert.notDeepEqual(Buffer.from((await row()).sealed_key), stored);
  });
});
