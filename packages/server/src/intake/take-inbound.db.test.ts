import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '../carriers/carrier.ts';
import { simulatorId } from '../carriers/simulator/simulator-carrier.ts';
import { onBothDatabases } from '../database/testing.ts';
import { dayMs, hourMs } from '../messages/messages-world.testing.ts';
import { Problem } from '../runtime/problem.ts';
import { type JourneyWorld, openJourneyWorld } from './journey-world.testing.ts';
import { createReplyRoutes } from './reply-routes.ts';

onBothDatabases('what carriers hand in', (open) => {
  const routesOf = ({ world }: JourneyWorld) =>
    createReplyRoutes({
      database: world.database,
      audit: world.audit,
      clock: world.time.clock,
      carriers: {
        async require(_trx, text) {
          if (![simulatorId, 'other'].includes(text)) throw new Problem('invalid_parameter', { field: 'carrier' });
          return text;
        },
        names: async () => new Map(),
      },
    });
  const reply = (changes: Partial<Reply> = {}): Reply => ({
    kind: 'reply',
    carrierId: simulatorId,
    from: '+8613800138000',
    to: '+106912345',
    text: 'Yes, please',
    ...changes,
  });
  const replies = ({ world }: JourneyWorld) =>
    world.database.db.selectFrom('reply').selectAll().orderBy('received_at').orderBy('id').execute();

  test('a reply belongs to the organization of its route, is kept, listed as an event and pushed', async (t) => {
    const journey = await openJourneyWorld(t, open);
    const { world, take } = journey;
    const routes = routesOf(journey);
    await routes.add('test', {
      organizationId: world.otherOrganizationId,
      carrier: simulatorId,
      kind: 'prefix',
      address: '+1069',
    });
    await routes.add('test', {
      organizationId: world.organizationId,
      carrier: simulatorId,
      kind: 'number',
      address: '106912345',
    });
    await take(reply());
    await world.time.advance(1);
    await take(reply({ to: '10691', text: '好' }));
    assert.deepEqual(
      (await replies(journey)).map((row) => [row.organization_id, row.owned_by, row.content, row.simulated]),
      [
        [world.organizationId, 'number', 'Yes, please', 1],
        [world.otherOrganizationId, 'prefix', '好', 1],
      ],
    );
    const uplinks = (await world.pushes()) as { mobile: string; message: string }[];
    assert.deepEqual(uplinks.map(({ message }) => message).sort(), ['Yes, please', '好']);
    assert.deepEqual(uplinks[0], { mobile: '+8613800138000', message: uplinks[0]?.message });
    assert.deepEqual(
      (await world.events()).map(({ number, kind }) => [number, kind]),
      [[1, 'reply']],
    );
  });

  test('without a route it belongs to who wrote last to that phone, for 72 hours', async (t) => {
    const journey = await openJourneyWorld(t, open);
    const { world, take } = journey;
    await world.sendTo(['+8613800138000']);
    await world.time.advance(hourMs);
    await world.messages.send({
      organizationId: world.otherOrganizationId,
      keyId: 'key',
      body: { mobile: '+8613800138000', content: 'x' },
      idempotencyKey: undefined,
    });
    await take(reply());
    await world.time.advance(3 * dayMs);
    await take(reply({ text: 'just in time' }));
    await world.time.advance(1);
    await take(reply({ text: 'too late' }));
    assert.deepEqual(
      (await replies(journey)).map((row) => [row.organization_id, row.owned_by]),
      [
        [world.otherOrganizationId, 'latest-message'],
        [world.otherOrganizationId, 'latest-message'],
        ['', 'nothing'],
      ],
    );
    assert.equal((await world.pushes()).length, 2);
  });

  test('a message that we refused to send is answered by nobody', async (t) => {
    const journey = await openJourneyWorld(t, open);
    const { world, take } = journey;
    await world.sendTo(['+8613800138000']);
    await world.time.advance(1);
    await world.database.db
      .insertInto('opt_out')
      .values({
        organization_id: world.otherOrganizationId,
        number: '+8613800138000',
        source: 'manual',
        created_at: 0,
      })
      .execute();
    await world.messages.send({
      organizationId: world.otherOrganizationId,
      keyId: 'key',
      body: { mobile: '+8613800138000', content: 'x' },
      idempotencyKey: undefined,
    });
    await take(reply());
    assert.equal((await replies(journey))[0]?.organization_id, world.organizationId);
  });

  test('a stop word ends messages to that number, and is pushed too', async (t) => {
    const journey = await openJourneyWorld(t, open);
    const { world, take } = journey;
    await world.sendTo(['+8613800138000']);
    await take(reply({ text: '「退订」' }));
    await take(reply({ text: 'stop' }));
    assert.equal((await world.pushes()).length, 2);
    const batchId = await world.sendTo(['+8613800138000', '+8613800138001']);
    assert.deepEqual(
      (await world.messagesOf(batchId)).map(({ memo }) => memo),
      ['recipient opted out', null],
    );
    const optOuts = await world.database.db.selectFrom('opt_out').selectAll().execute();
    assert.deepEqual(
      optOuts.map(({ number, source }) => [number, source]),
      [['+8613800138000', 'reply']],
    );
  });

  test('a reply that is nobody’s is kept, and no opt-out comes of it', async (t) => {
    const journey = await openJourneyWorld(t, open);
    await journey.take(reply({ from: '10086', text: 'STOP' }));
    assert.deepEqual(
      (await replies(journey)).map((row) => [row.organization_id, row.owned_by, row.sender, row.stop]),
      [['', 'nothing', '10086', 1]],
    );
    assert.deepEqual(await journey.world.pushes(), []);
    assert.deepEqual(await journey.world.database.db.selectFrom('opt_out').selectAll().execute(), []);
  });

  test('what no database text holds does not keep a reply out', async (t) => {
    const journey = await openJourneyWorld(t, open);
    await Promise.all([
      journey.take(reply({ text: 'a\0b\ud800' })),
      journey.take(reply({ from: '\0', to: '\0' })),
      journey.take({
        kind: 'receipt',
        carrierId: simulatorId,
        carrierMessageId: '\0',
        state: 2,
        networkError: undefined,
      }),
    ]);
    assert.deepEqual((await replies(journey)).map(({ content }) => content).sort(), ['Yes, please', 'a\ufffdb\ufffd']);
  });

  test('receipts on the way change nothing; states that nobody knows are logged', async (t) => {
    const { world, take } = await openJourneyWorld(t, open);
    for (const state of [0, 1, 6, 42]) {
      await take({ kind: 'receipt', carrierId: 'c', carrierMessageId: 'm', state, networkError: undefined });
    }
    assert.deepEqual(await world.database.db.selectFrom('orphan_receipt').selectAll().execute(), []);
    assert.deepEqual(
      world.log.map(({ fields }) => fields),
      [{ carrier: 'c', state: 42 }],
    );
  });

  test('routes: one owner for each address of a carrier, listed and removed', async (t) => {
    const journey = await openJourneyWorld(t, open);
    const { world } = journey;
    const routes = routesOf(journey);
    const route = {
      organizationId: world.organizationId,
      carrier: simulatorId,
      kind: 'number',
      address: '+1069',
    } as const;
    const added = await routes.add('test', route);
    const failsWith = (code: string, field: string) => (error: unknown) =>
      error instanceof Problem && error.code === code && error.field === field;
    await assert.rejects(routes.add('test', { ...route, address: '1069' }), failsWith('conflict', 'number'));
    await assert.rejects(routes.add('test', { ...route, address: '' }), failsWith('invalid_parameter', 'number'));
    await assert.rejects(
      routes.add('test', { ...route, carrier: 'nobody' }),
      failsWith('invalid_parameter', 'carrier'),
    );
    await assert.rejects(
      routes.add('test', { ...route, organizationId: 'nobody' }),
      failsWith('not_found', 'organization'),
    );
    await routes.add('test', { ...route, carrier: 'other' });
    await routes.add('test', { ...route, kind: 'prefix' });
    assert.equal((await routes.list(world.organizationId)).length, 3);
    assert.deepEqual(await routes.list(world.otherOrganizationId), []);
    await routes.remove('test', added.id);
    await assert.rejects(routes.remove('test', added.id), failsWith('not_found', 'route'));
    assert.equal((await routes.list()).length, 2);
  });
});
