import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { onBothDatabases } from '../../database/testing.ts';
import { startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { accept, openPushWorld, type PushWorld, pointTo, statusOf } from '../push-world.testing.ts';
import { allShardLeases, leaseOf, shardOf } from './push-shard.ts';

onBothDatabases('several push engines on one database', (open) => {
  test('share the shards, and each push is made once', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const organizations = await manySettings(world, receiver.port, 30);
    const one = world.engine({ nodeId: 'one' });
    const two = world.engine({ nodeId: 'two' });
    await one.beat();
    assert.equal(await holds(world, 'one'), 64);
    await two.beat();
    assert.equal(await holds(world, 'two'), 0, 'what is held is held');
    await one.beat();
    await two.beat();
    assert.deepEqual([await holds(world, 'one'), await holds(world, 'two')], [32, 32]);
    await accept(world, ...organizations.flatMap((id) => [statusOf(id, 'b1'), statusOf(id, 'b2'), statusOf(id, 'b3')]));
    await world.later(1_000, one, two);
    assert.deepEqual(await world.waiting(), []);
    assert.equal(receiver.requests.length, 90);
    assert.equal(new Set(receiver.requests.map(idOf)).size, 90);
  });

  test('one that dies is followed by the others when its leases end, and nothing is lost', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const organizations = await manySettings(world, receiver.port, 20);
    const one = world.engine({ nodeId: 'one' });
    const two = world.engine({ nodeId: 'two' });
    for (const each of [one, two, one, two]) await each.beat();
    await world.database.db.updateTable('lease').set({ until: 1 }).where('holder', '=', 'one').execute();
    await two.beat();
    assert.equal(await holds(world, 'two'), 64);
    await accept(world, ...organizations.map((id) => statusOf(id)));
    await world.later(0, two);
    assert.deepEqual(await world.waiting(), []);
    assert.equal(receiver.requests.length, 20);
  });

  test('one that was paused meanwhile neither goes on nor records', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port, { concurrency: 1 });
    const answer: (() => void)[] = [];
    receiver.serve = (socket) => answer.push(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const paused = world.engine({ nodeId: 'paused' });
    await paused.beat();
    await accept(world, statusOf(world.organizationId, 'b1'), statusOf(world.organizationId, 'b2'));
    while (answer.length < 1) await setImmediate();
    // Its leases end while it does not run; another takes them and is being served.
    world.clock.advance(10_000);
    await world.database.db.updateTable('lease').set({ until: 1 }).where('holder', '=', 'paused').execute();
    const next = world.engine({ nodeId: 'next' });
    await next.beat();
    await next.look();
    while (answer.length < 2) await setImmediate();
    // It wakes up: the answer to its attempt arrives first.
    answer[0]?.();
    while (paused.isAtWork) await setImmediate();
    assert.equal(answer.length, 2, 'it began nothing');
    assert.equal((await world.history()).length, 0, 'and recorded nothing');
    answer[1]?.();
    while (answer.length < 3) await setImmediate();
    answer[2]?.();
    await world.quiet(next);
    await paused.beat();
    await world.later(1_000, paused, next);
    assert.equal(answer.length, 3);
    assert.deepEqual(
      (await world.history()).map(({ state, attempts }) => [state, attempts]),
      [
        ['delivered', 1],
        ['delivered', 1],
      ],
    );
  });

  test('one that stops gives its shards up at once', async (t) => {
    const world = await openPushWorld(t, open);
    const one = world.engine({ nodeId: 'one' });
    const two = world.engine({ nodeId: 'two' });
    for (const each of [one, two, one, two]) await each.beat();
    await one.stop();
    await two.beat();
    assert.equal(await holds(world, 'two'), 64);
  });

  test('a worker that is stopped lets its attempts end, and can be started again', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const answer: (() => void)[] = [];
    receiver.serve = (socket) => answer.push(() => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
    const engine = world.engine({ stopMs: 60_000, wait: waitIfLong });
    for (const expected of [1, 2]) {
      const stop = new AbortController();
      const running = engine.worker.run(stop.signal);
      while ((await holds(world, 'node-1')) < 64) await setImmediate();
      await accept(world, statusOf(world.organizationId, `b${expected}`));
      while (answer.length < expected) await setImmediate();
      stop.abort();
      await setImmediate();
      answer.at(-1)?.();
      await running;
      assert.equal((await world.history()).length, expected);
      assert.equal(await holds(world, 'node-1'), 0);
    }
  });
});

test('settings are spread over all shards', () => {
  const counts = new Map<number, number>();
  for (let index = 0; index < 64_000; index += 1) {
    const shard = shardOf(`setting-${index}`);
    counts.set(shard, (counts.get(shard) ?? 0) + 1);
  }
  assert.deepEqual([...counts.keys()].sort((one, other) => one - other).map(leaseOf), allShardLeases);
  assert.ok(Math.max(...counts.values()) < 1_200);
});

async function manySettings(world: PushWorld, port: number, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id } = await world.organizations.create('test', `organization ${index}`);
    await pointTo(world, id, port);
    ids.push(id);
  }
  return ids;
}

async function holds(world: PushWorld, holder: string): Promise<number> {
  const rows = await world.database.db
    .selectFrom('lease')
    .select('name')
    .where('holder', '=', holder)
    .where('until', '>', 1)
    .where('name', 'in', allShardLeases)
    .execute();
  return rows.length;
}

function idOf(head: string): string | undefined {
  return /webhook-id: (\S+)/.exec(head)?.[1];
}

/** Outcomes are gathered for a moment; the pauses of the worker's rounds last until it is stopped. */
async function waitIfLong(ms: number, signal: AbortSignal): Promise<void> {
  await (ms < 100 ? setImmediate() : untilAborted(signal));
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
