import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { openAcmeWorld } from '../acme-world.testing.ts';
import { createAcmeEngine } from './acme-engine.ts';

const never = new AbortController().signal;
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

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
    for (let count = 0; count < 20; count += 1) {
      const { id: organizationId } = await world.organizations.create('test', `Slow ${count}`);
      await world.request({ organizationId, authorities: ['slow'], domains: [`a${count}.example.com`] });
    }
    const id = await world.request();
    const log = { warn: () => {}, error: () => {} };
    const engine = createAcmeEngine({ ...world.needs, nodeId: 'one', leaseMs: 60_000, wait: async () => {}, log });
    await engine.beat();
    void engine.look(never);
    const end = Date.now() + 20_000;
    while (Date.now() < end && (await world.certificate(id)).state === 'pending') {
      await nextTurn();
    }
    assert.equal((await world.certificate(id)).state, 'issued');
  });

  test('the slow DNS of an organization holds no other one up', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { dns } = world.authority.parts;
    const silent = async (_name: string, signal: AbortSignal) => void (await once(signal, 'abort'));
    Object.assign(world.authority.parts, { dns: { ...dns, findAlias: silent } });
    const slow = await Promise.all(['A', 'B', 'C', 'D'].map((name) => world.organizations.create('test', name)));
    // More than are read at once, all of them older; then as many of others as an authority has places.
    for (let count = 0; count < 217; count += 1) {
      const organizationId = slow[count < 205 ? 0 : 1 + (count % 3)]?.id ?? '';
      await world.request({ organizationId, challenge: 'dns-01', domains: [`a${count}.example.com`] });
    }
    world.advance(1);
    const id = await world.request();
    const log = { warn: () => {}, error: () => {} };
    const engine = createAcmeEngine({ ...world.needs, nodeId: 'one', leaseMs: 60_000, wait: nextTurn, log });
    const stop = new AbortController();
    const running = engine.worker.run(stop.signal);
    const end = Date.now() + 20_000;
    while (Date.now() < end && (await world.certificate(id)).state === 'pending') {
      await nextTurn();
    }
    stop.abort();
    await running;
    assert.equal((await world.certificate(id)).state, 'issued');
  });

  test('a step that fails by an error of ours, or takes too long, is due later', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { parts } = world.authority;
    const bug = async () => {
      throw new TypeError('a bug');
    };
    const slow = async (_name: string, signal: AbortSignal) => {
      await once(signal, 'abort');
      return undefined;
    };
    const warned: string[] = [];
    const log = {
      warn: (_: object, text: string) => warned.push(text),
      error: (_: object, text: string) => warned.push(text),
    };
    const orders = () => world.database.db.selectFrom('acme_order').selectAll().orderBy('id').execute();
    for (const findAlias of [bug, slow]) {
      Object.assign(parts, { dns: { ...parts.dns, findAlias } });
      await world.request({ challenge: 'dns-01', domains: [`${findAlias.name}.example.com`] });
      const engine = createAcmeEngine({
        ...{ ...world.needs, nodeId: 'one', leaseMs: 60_000, wait: async () => {}, log },
        limitMs: 100,
      });
      await engine.beat();
      await engine.look(never);
      const order = (await orders()).at(-1);
      assert.deepEqual([order?.step, order?.next_at], ['delegate', world.clock.now() + 30_000]);
      assert.equal(order?.revision, 0);
    }
    assert.deepEqual(warned, ['a step of issuing failed', 'a step of issuing took too long']);
  });
});
