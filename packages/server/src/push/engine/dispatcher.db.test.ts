import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { onBothDatabases } from '../../database/testing.ts';
import type { Outcome } from '../../outbound/outcome.ts';
import { reply, startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { accept, openPushWorld, pointTo, replyOf, statusOf } from '../push-world.testing.ts';

const HOUR = 3_600_000;

onBothDatabases('the push engine', (open) => {
  test('a push that is answered 200 leaves the hot table for history, with its attempt', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const setting = await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    const [id] = await accept(world, statusOf(world.organizationId));
    await world.quiet(engine);
    const [head = ''] = receiver.requests;
    assert.match(head, /^GET \/status\?batch_id=b1&mobile=13800138000&status=DELIVRD HTTP\/1\.1\r\n/);
    assert.match(head, /\r\nuser-agent: Waxwing\/test\r\n/);
    assert.ok(head.includes(`webhook-id: ${id}\r\nwebhook-timestamp: ${world.clock.now() / 1000}`));
    assert.deepEqual(await world.waiting(), []);
    const at = world.clock.now();
    assert.deepEqual(await world.history(), [
      {
        organization_id: world.organizationId,
        id,
        setting_id: setting,
        state: 'delivered',
        created_at: at,
        ended_at: at,
        attempts: 1,
        payload: JSON.stringify({ batch_id: 'b1', mobile: '13800138000', status: 'DELIVRD' }),
        at,
        ms: 0,
        address: '127.0.0.1',
        outcome: 'answered',
        status: 200,
        error: null,
        excerpt: null,
      },
    ]);
    assert.deepEqual(await world.attempts(), [], 'the one that ended it is part of it');
  });

  test('a push that fails is tried again after 30 s, 2 min and 10 min, and then is failed', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(500));
    await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    const [id] = await accept(world, statusOf(world.organizationId));
    await world.quiet(engine);
    for (const [index, wait] of [30_000, 120_000, 600_000].entries()) {
      assert.equal(receiver.requests.length, index + 1);
      const [row] = await world.waiting();
      assert.deepEqual([row?.attempts, row?.due_at], [index + 1, world.clock.now() + wait]);
      await world.later(wait - 1, engine);
      assert.equal(receiver.requests.length, index + 1, 'not before it is due');
      await world.later(1, engine);
    }
    assert.equal(receiver.requests.length, 4);
    assert.deepEqual(await world.waiting(), []);
    const [row] = await world.history();
    assert.deepEqual([row?.id, row?.state, row?.attempts], [id, 'failed', 4]);
    assert.deepEqual(
      (await world.pushes.show(id ?? '')).attempt_log.map(({ number, status }) => [number, status]),
      [1, 2, 3, 4].map((number) => [number, 500]),
    );
    assert.ok(receiver.requests.every((head) => head.includes(`webhook-id: ${id}`)));
  });

  test('the budget survives a restart, and what was cut off costs nothing', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(500));
    await pointTo(world, world.organizationId, receiver.port, { retries: 1 });
    const first = world.engine();
    await first.beat();
    await accept(world, statusOf(world.organizationId));
    await world.quiet(first);
    receiver.serve = () => {};
    world.clock.advance(30_000);
    await first.beat();
    await first.look();
    while (receiver.requests.length < 2) await setImmediate();
    await first.stop();
    assert.equal((await world.waiting())[0]?.attempts, 1, 'the attempt that was cut off');
    receiver.serve = (socket) => socket.write(reply(500));
    const second = world.engine();
    await world.later(0, second);
    assert.equal(receiver.requests.length, 3);
    assert.deepEqual(
      (await world.history()).map(({ state, attempts }) => [state, attempts]),
      [['failed', 2]],
    );
  });

  test('an attempt whose outcome was never recorded is made again, by whoever holds the shard then', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    // Killed between the answer and its record: the database never hears of it.
    const dead = { ...world.database, runBatch: () => new Promise<never>(() => {}) };
    const killed = world.engine({ database: dead });
    await killed.beat();
    const [id] = await accept(world, statusOf(world.organizationId));
    while (receiver.requests.length < 1) await setImmediate();
    assert.equal((await world.waiting()).length, 1);
    const next = world.engine();
    await world.later(0, next);
    assert.equal(receiver.requests.length, 2);
    assert.ok(receiver.requests.every((head) => head.includes(`webhook-id: ${id}`)));
    assert.deepEqual(
      (await world.history()).map(({ state, attempts }) => [state, attempts]),
      [['delivered', 1]],
    );
  });

  test('what was committed elsewhere is found by looking, more than fits into memory too', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    await pointTo(world, world.otherOrganizationId, receiver.port, { kind: 'uplink' });
    const events = Array.from({ length: 900 }, (_, index) => statusOf(world.organizationId, `b${index}`));
    await world.database.transaction((trx) => world.outbox.enqueue(trx, events));
    await world.database.transaction((trx) => world.outbox.enqueue(trx, [replyOf(world.otherOrganizationId)]));
    const engine = world.engine();
    await world.later(0, engine);
    assert.deepEqual(await world.waiting(), []);
    assert.equal(receiver.requests.length, 901);
    assert.equal(new Set(receiver.requests).size, 901, 'each once');
    assert.equal((await world.history()).length, 901);
  });

  test('events that are accepted while others are pushed are all pushed once', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    for (let round = 0; round < 10; round += 1) {
      const events = Array.from({ length: 120 }, (_, index) => statusOf(world.organizationId, `b${round}-${index}`));
      await accept(world, ...events);
    }
    await world.quiet(engine);
    assert.deepEqual(await world.waiting(), []);
    assert.equal(receiver.requests.length, 1200);
    assert.equal(new Set(receiver.requests).size, 1200);
  });

  test('a corrected URL serves the retries too', async (t) => {
    const world = await openPushWorld(t, open);
    await using wrong = await startTrialReceiver();
    await using right = await startTrialReceiver();
    wrong.serve = (socket) => socket.write(reply(404));
    await pointTo(world, world.organizationId, wrong.port);
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId));
    await world.quiet(engine);
    await pointTo(world, world.organizationId, right.port);
    await world.later(30_000, engine);
    assert.deepEqual([wrong.requests.length, right.requests.length], [1, 1]);
    assert.equal((await world.history())[0]?.state, 'delivered');
  });

  test('switched off, what waits ends as off, due or not; what is running keeps its outcome', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(500));
    await pointTo(world, world.organizationId, receiver.port, { concurrency: 1 });
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId, 'later'));
    await world.quiet(engine);
    const finish: (() => void)[] = [];
    receiver.serve = (socket) => finish.push(() => socket.write(reply(200)));
    await accept(world, ...['b1', 'b2', 'b3'].map((batch) => statusOf(world.organizationId, batch)));
    while (finish.length < 1) await setImmediate();
    await world.settings.set('test', { organizationId: world.organizationId, kind: 'status', enabled: false });
    await engine.look();
    while ((await world.waiting()).length > 1) await setImmediate();
    for (const each of finish) each();
    await world.quiet(engine);
    const ends = (await world.history()).map(({ state, attempts }) => `${state} ${attempts}`);
    assert.deepEqual(ends.sort(), ['delivered 1', 'off 0', 'off 0', 'off 1']);
    assert.equal(finish.length, 1);
  });

  test('a suspended organization’s pushes wait and spend nothing, and go on when it is resumed', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    await world.organizations.setSuspended('test', world.organizationId, true);
    await accept(world, statusOf(world.organizationId));
    await world.later(100 * HOUR, engine);
    assert.equal(receiver.requests.length, 0);
    assert.equal((await world.waiting())[0]?.attempts, 0);
    await world.organizations.setSuspended('test', world.organizationId, false);
    await world.later(0, engine);
    assert.equal((await world.history())[0]?.state, 'delivered');
  });

  test('Retry-After pauses the whole lane', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.write(reply(429, '', { 'Retry-After': '600' }));
    await pointTo(world, world.organizationId, receiver.port, { concurrency: 1 });
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId, 'b1'), statusOf(world.organizationId, 'b2'));
    await world.quiet(engine);
    assert.equal(receiver.requests.length, 1);
    receiver.serve = (socket) => socket.write(reply(200));
    await world.later(599_999, engine);
    assert.equal(receiver.requests.length, 1);
    await world.later(1, engine);
    await world.later(1_000, engine);
    assert.equal(receiver.requests.length, 3);
  });

  test('a silent receiver is probed by one push at a time; the others spend nothing and fail after 72 h', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.destroy();
    const setting = await pointTo(world, world.organizationId, receiver.port, { retries: 10 });
    const engine = world.engine();
    await engine.beat();
    await accept(world, ...Array.from({ length: 600 }, (_, index) => statusOf(world.organizationId, `b${index}`)));
    await world.quiet(engine);
    assert.equal(engine.laneStatus(setting)?.state, 'probing');
    assert.ok(world.log.includes('a push receiver does not answer; its pushes wait'));
    const tried = receiver.requests.length;
    assert.ok(tried >= 10 && tried <= 80, `${tried}`);
    await world.later(1_200, engine);
    assert.equal(receiver.requests.length, tried + 1);
    const unspent = (await world.waiting()).filter(({ attempts }) => attempts === 0).length;
    assert.ok(unspent > 500, `${unspent}`);
    const silent = () => world.log.filter((line) => line.startsWith('a push receiver does not answer')).length;
    await world.later(HOUR / 2, engine);
    assert.equal(silent(), 1);
    await world.later(HOUR / 2, engine);
    assert.equal(silent(), 2, 'the first line may be yesterday’s');
    await world.later(71 * HOUR - 100_000, engine);
    assert.equal((await world.history()).length, 0);
    await world.later(2 * HOUR, engine);
    await world.later(61_000, engine);
    await world.later(61_000, engine);
    const ended = await world.history();
    assert.equal(ended.length, 600);
    assert.ok(ended.every(({ state }) => state === 'failed'));
  });

  test('the first answer ends the probing, and the rest is delivered', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    receiver.serve = (socket) => socket.destroy();
    const setting = await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    await accept(world, ...Array.from({ length: 300 }, (_, index) => statusOf(world.organizationId, `b${index}`)));
    await world.quiet(engine);
    receiver.serve = (socket) => socket.write(reply(200));
    await world.later(2_000, engine);
    assert.equal(engine.laneStatus(setting)?.state, 'open');
    await world.later(60_000, engine);
    assert.deepEqual(await world.waiting(), []);
    assert.ok((await world.history()).every(({ state }) => state === 'delivered'));
  });

  test('an outcome that the database refuses is parked alone; its neighbours are recorded', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const ids = await accept(
      world,
      ...Array.from({ length: 20 }, (_, index) => statusOf(world.organizationId, `b${index}`)),
    );
    const [poison = ''] = ids;
    await world.database.db
      .insertInto('push_history')
      .values({
        organization_id: world.organizationId,
        id: poison,
        setting_id: '',
        state: 'off',
        created_at: 0,
        ended_at: 0,
        attempts: 0,
        payload: '{}',
        at: null,
        ms: null,
        address: null,
        outcome: null,
        status: null,
        error: null,
        excerpt: null,
      })
      .execute();
    const engine = world.engine();
    await world.later(0, engine);
    assert.equal((await world.history()).filter(({ state }) => state === 'delivered').length, 19);
    assert.deepEqual(
      (await world.waiting()).map(({ id, attempts, due_at }) => [id, attempts, due_at]),
      [[poison, 0, world.clock.now() + HOUR]],
    );
    assert.equal(receiver.requests.length, 20);
    assert.ok(world.log.some((line) => line.startsWith('the outcome of a push cannot be recorded')));
  });

  test('another server cannot record under an epoch that has moved on', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const finish: (() => void)[] = [];
    receiver.serve = (socket) => finish.push(() => socket.write(reply(200)));
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId));
    while (finish.length < 1) await setImmediate();
    await world.database.db.updateTable('lease').set({ epoch: sql<number>`epoch + 1`, holder: 'other' }).execute();
    for (const each of finish) each();
    await world.quiet(engine);
    assert.equal((await world.waiting()).length, 1);
    assert.deepEqual(await world.history(), []);
    assert.deepEqual(await world.attempts(), []);
  });

  test('a holder that was paused for longer than its leases begins nothing when it wakes up', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    world.clock.advance(10_000);
    await accept(world, statusOf(world.organizationId));
    await engine.look();
    await world.quiet(engine);
    assert.equal(receiver.requests.length, 0);
    await world.later(0, engine);
    assert.equal(receiver.requests.length, 1, 'nobody took them meanwhile');
  });

  // A test that ended while attempts ran left such an engine behind: its process turned in circles for ever.
  test('where attempts are made no more, what is cut off waits for the next look', async (t) => {
    const world = await openPushWorld(t, open);
    await pointTo(world, world.organizationId, 8099);
    let begun = 0;
    const engine = world.engine({
      attempts: {
        async attempt(): Promise<Outcome> {
          begun += 1;
          return begun > 100 ? { kind: 'answered', status: 200, ms: 0 } : { kind: 'cutOff', ms: 0 };
        },
      },
    });
    await engine.beat();
    await accept(world, statusOf(world.organizationId, 'b1'), statusOf(world.organizationId, 'b2'));
    await world.quiet(engine);
    assert.equal(begun, 1);
    await world.later(0, engine);
    assert.equal(begun, 2);
    assert.equal((await world.waiting()).length, 2);
  });
});
