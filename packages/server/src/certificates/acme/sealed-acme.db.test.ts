import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { openAcmeWorld } from './acme-world.testing.ts';
import { failure } from './fake-authority.testing.ts';
import { sealedAuthorities, sealedDnsProviders, sealedOrderKeys } from './sealed-acme.ts';

onBothDatabases('the secrets of issuing', (open) => {
  test('are wrapped anew by the rotation of the master key, and the order under way goes on', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { database, organizationId } = world;
    const external = { kid: 'kid', hmac: 'c2VjcmV0LXNlY3JldC1zZWNyZXQ' };
    await world.authorities.create('test', {
      ...{ name: 'eab', directory: 'https://eab.test/directory', email: 'ops@example.com', externalAccount: external },
    });
    await world.dnsProviders.create('test', { organizationId, name: 'dns', kind: 'cloudflare', secret: 'token' });
    const [eab] = (await world.authorities.list({ take: 9, after: undefined })).filter(({ name }) => name === 'eab');
    const signal = new AbortController().signal;
    await world.authorities.test('test', eab?.id ?? '', signal);
    world.authority.before = (call) => (call === 'changeKey' ? 'lose' : undefined);
    assert.equal((await world.authorities.rollKey('test', eab?.id ?? '', signal)).ok, false);
    const id = await world.request({ dnsProvider: 'dns' });
    world.authority.before = (call) => (call === 'finalize' ? failure('Later.', { temporary: true }) : undefined);
    await world.pass(10_000);
    const stores = [sealedAuthorities(database), sealedDnsProviders(database), sealedOrderKeys(database)];
    const ring = await world.rotate();
    const wrapped = [];
    for (const store of stores) wrapped.push(await store.rewrap(ring, 100));
    assert.deepEqual(wrapped, [2, 1, 1]);
    for (const store of stores) {
      assert.deepEqual(await store.keysInUse(database.db), [ring.current.id]);
      assert.equal(await store.rewrap(ring, 100), 0);
      assert.deepEqual((await store.check({ current: ring.current, keys: [ring.current] })).faults, []);
    }
    world.authority.before = () => undefined;
    assert.equal((await world.authorities.rollKey('test', eab?.id ?? '', signal)).ok, true);
    await world.pass(60_000);
    assert.equal((await world.certificate(id)).state, 'issued');
    assert.deepEqual(await sealedOrderKeys(database).keysInUse(database.db), []);
  });
});
