import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { onBothDatabases } from '../../database/testing.ts';
import { reply, startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { accept, openPushWorld, pointTo, statusOf } from '../push-world.testing.ts';
import { countFailedSince, createWaitingMetric } from './waiting-figures.ts';

onBothDatabases('how long pushes wait', (open) => {
  test('is told of the oldest that waits, whoever made it, and not of a suspended organization', async (t) => {
    const world = await openPushWorld(t, open);
    const { clock, organizationId, otherOrganizationId } = world;
    const registry = new Registry();
    createWaitingMetric(registry, world.database, clock);
    const seconds = async () =>
      Number(/^waxwing_push_oldest_waiting_seconds (.*)$/m.exec(await registry.metrics())?.[1]);
    await using receiver = await startTrialReceiver();
    await pointTo(world, organizationId, receiver.port);
    await pointTo(world, otherOrganizationId, receiver.port);
    assert.equal(await seconds(), 0);
    await accept(world, statusOf(organizationId));
    clock.advance(60_000);
    await accept(world, statusOf(otherOrganizationId));
    clock.advance(30_500);
    assert.equal(await seconds(), 90.5);
    await world.organizations.setSuspended('test', organizationId, true);
    assert.equal(await seconds(), 30.5);
    clock.jump(-3_600_000);
    assert.equal(await seconds(), 0, 'a clock that was set back makes no age below nothing');
  });

  test('and how many were given up lately is counted by their setting', async (t) => {
    const world = await openPushWorld(t, open);
    const { clock, organizationId } = world;
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(500));
    const setting = await pointTo(world, organizationId, receiver.port, { retries: 0 });
    const since = clock.now();
    await accept(world, statusOf(organizationId, 'b1'), statusOf(organizationId, 'b2'));
    const engine = world.engine();
    await engine.beat();
    await engine.look();
    await world.quiet(engine);
    await engine.stop();
    assert.deepEqual(await countFailedSince(world.database, since), new Map([[setting, 2]]));
    assert.deepEqual(await countFailedSince(world.database, clock.now() + 1), new Map());
  });
});
