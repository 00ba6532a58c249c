import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { openAcmeWorld } from '../acme-world.testing.ts';

const { signal } = new AbortController();
const email = 'ops@example.com';
const externalAccount = { kid: 'kid', hmac: 'c2VjcmV0LXNlY3JldC1zZWNyZXQ' };

onBothDatabases('authorities', (open) => {
  test('a preset that needs an external account is refused without one, at once and later', async (t) => {
    const { authorities } = await openAcmeWorld(t, open);
    const refused = {
      code: 'invalid_parameter',
      field: 'external_account',
      message: /--eab-kid K and --eab-hmac-file/,
    };
    for (const preset of ['zerossl', 'google', 'sslcom', 'sslcom-rsa'] as const) {
      await assert.rejects(authorities.create('test', { name: preset, preset, email }), refused);
    }
    const { id } = await authorities.create('test', { name: 'zero', preset: 'zerossl', email, externalAccount });
    await assert.rejects(authorities.update('test', id, { externalAccount: null }), refused);
    assert.equal((await authorities.show(id)).eab_kid, 'kid');
    const directory = 'https://ca.test/other';
    const moved = await authorities.update('test', id, { directory, externalAccount: null });
    assert.deepEqual([moved.preset, moved.eab_kid], [null, null]);
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
});
