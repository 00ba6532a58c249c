import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { reply, startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { accept, openPushWorld, pointTo, RETRY_WAITS, statusOf } from '../push-world.testing.ts';
import { longestWait } from './retry-policy.ts';

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

onBothDatabases('a wall clock that is set', (open) => {
  test('back by a year keeps no push waiting for a year', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    await accept(world, ...['b1', 'b2', 'b3'].map((batch) => statusOf(world.organizationId, batch)));
    world.clock.jump(-YEAR);
    await world.later(0, world.engine());
    assert.equal(receiver.requests.length, 3);
    assert.deepEqual(await world.waiting(), []);
  });

  test('back by an hour keeps none waiting longer than the longest wait, and changes no wait that is meant', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(503, '', { 'Retry-After': '3600' }));
    await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId));
    await world.quiet(engine);
    await world.later(60_000, engine);
    assert.equal((await world.waiting())[0]?.due_at, world.clock.now() - 60_000 + HOUR);
    world.clock.jump(-HOUR);
    receiver.serve = (socket) => socket.write(reply(200));
    await world.later(60_000, engine);
    await world.later(longestWait(RETRY_WAITS), engine);
    assert.equal(receiver.requests.length, 2);
  });

  test('back does not keep a lane probing or paused for longer', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.destroy();
    const setting = await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    await accept(world, ...Array.from({ length: 300 }, (_, index) => statusOf(world.organizationId, `b${index}`)));
    await world.quiet(engine);
    assert.equal(engine.laneStatus(setting)?.state, 'probing');
    const tried = receiver.requests.length;
    world.clock.jump(-HOUR);
    assert.ok(Date.parse(engine.laneStatus(setting)?.next_at ?? '') < world.clock.now() + 2_000);
    await world.later(1_200, engine);
    assert.equal(receiver.requests.length, tried + 1);
    receiver.serve = (socket) => socket.write(reply(429, '', { 'Retry-After': '60' }));
    await world.later(3_000, engine);
    assert.equal(engine.laneStatus(setting)?.state, 'paused');
    const paused = receiver.requests.length;
    world.clock.jump(-HOUR);
    await world.later(59_000, engine);
    assert.equal(receiver.requests.length, paused);
    await world.later(1_000, engine);
    assert.ok(receiver.requests.length > paused);
  });

  test('forward makes retries come early, and nothing else', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(500));
    await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId));
    await world.quiet(engine);
    world.clock.jump(YEAR);
    receiver.serve = (socket) => socket.write(reply(200));
    await world.later(1_000, engine);
    assert.deepEqual(
      (await world.history()).map(({ state, attempts }) => [state, attempts]),
      [['delivered', 2]],
    );
  });
});
