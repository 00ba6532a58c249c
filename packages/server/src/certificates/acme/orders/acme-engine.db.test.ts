import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { openAcmeWorld } from '../acme-world.testing.ts';
import { createAcmeEngine } from './acme-engine.ts';

const never = new AbortController().signal;

onBothDatabases('the worker of orders', (open) => {
  test('only the server that holds the lease acts', async (t) => {
    const world = await openAcmeWorld(t, open);
    const log = { warn: () => {}, error: (fields: object) => assert.fail(JSON.stringify(fields)) };
    const [one, other] = ['one', 'other'].map((nodeId) =>
      createAcmeEngine({ ...world.needs, nodeId, leaseMs: 60_000, wait: async () => {}, log }),
    );
    await one?.beat();
    await other?.beat();
    const ids = [await world.request(), await world.request({ domains: ['b.example.com'] })];
    await other?.look(never);
    assert.equal(world.authority.orders.size, 0);
    await one?.look(never);
    for (const id of ids) assert.equal((await world.certificate(id)).state, 'issued');
    assert.equal(world.authority.orders.size, 2);
  });

  test('an authority that does not answer holds nobody up', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { parts } = world.authority;
    await world.authorities.create('test', { name: 'slow', directory: 'https://slow.test/', email: 'ops@example.com' });
    const real = parts.client;
    const hanging = new Promise<never>(() => {});
    const slow = { ...real({ directory: '', rootPem: undefined }), register: () => hanging };
    Object.assign(parts, {
      client: (authority: Parameters<typeof real>[0]) =>
        authority.directory.startsWith('https://slow') ? slow : real(authority),
    });
    for (let count = 0; count < 20; count += 1)
      await world.request({ authorities: ['slow'], domains: [`a${count}.example.com`] });
    const id = await world.request();
    const log = { warn: () => {}, error: () => {} };
    const engine = createAcmeEngine({ ...world.needs, nodeId: 'one', leaseMs: 60_000, wait: async () => {}, log });
    await engine.beat();
    void engine.look(never);
    const end = Date.now() + 20_000;
    while (Date.now() < end && (await world.certificate(id)).state === 'pending') {
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal((await world.certificate(id)).state, 'issued');
  });
});
