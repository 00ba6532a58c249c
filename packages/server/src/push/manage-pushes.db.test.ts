import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../database/testing.ts';
import { reply, startTrialReceiver, type TrialReceiver } from '../outbound/receiver.testing.ts';
import { Problem } from '../runtime/problem.ts';
import { createPushRetention } from './history/push-retention.ts';
import { accept, openPushWorld, type PushWorld, pointTo, replyOf, statusOf } from './push-world.testing.ts';

const DAY = 86_400_000;

onBothDatabases('pushes', (open) => {
  test('are listed newest first, by kind and state, page by page, and only their organization’s', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await failing(world, receiver);
    await pointTo(world, world.organizationId, receiver.port, { kind: 'uplink' });
    await pointTo(world, world.otherOrganizationId, receiver.port);
    const engine = world.engine();
    await engine.beat();
    const [failed = ''] = await accept(world, statusOf(world.organizationId, 'b1'));
    await world.quiet(engine);
    world.clock.advance(1);
    receiver.serve = (socket) => socket.write(reply(200));
    const [delivered = ''] = await accept(world, replyOf(world.organizationId, '好的'));
    await accept(world, statusOf(world.otherOrganizationId));
    await world.quiet(engine);
    await engine.stop();
    world.clock.advance(1);
    const [waiting = ''] = await accept(world, statusOf(world.organizationId, 'b2'));
    const list = async (filter: object) =>
      (await world.pushes.find({ organizationId: world.organizationId, limit: 10, ...filter })).rows.map(
        ({ id }) => id,
      );
    assert.deepEqual(await list({}), [waiting, delivered, failed]);
    assert.deepEqual(await list({ limit: 1 }), [waiting]);
    assert.deepEqual(await list({ before: waiting, limit: 1 }), [delivered]);
    assert.deepEqual(await list({ kind: 'status' }), [waiting, failed]);
    for (const [state, id] of [
      ['waiting', waiting],
      ['delivered', delivered],
      ['failed', failed],
    ] as const) {
      assert.deepEqual(await list({ state }), [id]);
    }
    assert.deepEqual(await list({ state: 'off' }), []);
    const found = async (filter: object) =>
      (await world.pushes.find({ organizationId: world.organizationId, limit: 10, ...filter })).rows.map(
        ({ id }) => id,
      );
    assert.deepEqual(await found({ search: 'b1' }), [failed]);
    assert.deepEqual(await found({ search: 'b1', state: 'failed' }), [failed]);
    assert.deepEqual(await found({ search: 'b1', state: 'waiting' }), []);
    assert.deepEqual(await found({ search: 'b2', state: 'waiting' }), [waiting]);
    assert.deepEqual(await found({ search: '138 0013 8000', kind: 'uplink' }), [delivered]);
    assert.deepEqual(await found({ search: '13900' }), []);
    const at = new Date(world.clock.now() - 1).toISOString();
    assert.deepEqual(await world.pushes.show(delivered), {
      id: delivered,
      organization_id: world.organizationId,
      kind: 'uplink',
      state: 'delivered',
      parameters: { mobile: '+8613800138000', message: '好的' },
      attempts: 1,
      created_at: at,
      due_at: null,
      ended_at: at,
      attempt_log: [
        {
          number: 1,
          at,
          ms: 0,
          address: '127.0.0.1',
          outcome: 'answered',
          status: 200,
          error: null,
          answer: null,
          withheld: true,
        },
      ],
    });
    assert.equal((await world.pushes.show(waiting)).state, 'waiting');
    await assertRefused(world.pushes.show('none'), 'not_found', 'push');
  });

  test('a failed one is sent again under its id with a new budget', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await failing(world, receiver, 1);
    const engine = world.engine();
    await engine.beat();
    const [id = ''] = await accept(world, statusOf(world.organizationId));
    await world.quiet(engine);
    await assertRefused(world.pushes.resendOne('operator:1', id), 'conflict', 'push', 'push_waiting');
    await world.later(30_000, engine);
    assert.equal((await world.pushes.show(id)).state, 'failed');
    // Older than what a silent lane keeps: the new budget counts from now.
    world.clock.advance(10 * DAY);
    assert.equal((await world.pushes.resendOne('operator:1', id)).state, 'waiting');
    await world.later(1_000, engine);
    assert.equal((await world.pushes.show(id)).state, 'waiting', 'one of two attempts');
    receiver.serve = (socket) => socket.write(reply(200));
    await world.later(30_000, engine);
    const { state, attempt_log } = await world.pushes.show(id);
    assert.equal(state, 'delivered');
    assert.deepEqual(
      attempt_log.map(({ number, status }) => [number, status]),
      [
        [1, 500],
        [2, 500],
        [3, 500],
        [4, 200],
      ],
    );
    assert.ok(receiver.requests.every((head) => head.includes(`webhook-id: ${id}`)));
    const [event] = await world.audit.list({ subject: id, limit: 1 });
    assert.deepEqual([event?.actor, event?.action], ['operator:1', 'push.resend']);
    assert.equal((await world.pushes.resendOne('operator:1', id)).state, 'waiting', 'a delivered one, too');
  });

  test('all that failed since a moment are sent again at a bounded rate', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await failing(world, receiver);
    const engine = world.engine({ resendRate: 10 });
    await engine.beat();
    const [early = ''] = await accept(world, statusOf(world.organizationId));
    world.clock.advance(60_000);
    const since = world.clock.now();
    await accept(world, ...Array.from({ length: 24 }, (_, index) => statusOf(world.organizationId, `b${index}`)));
    await world.later(1_000, engine);
    const failed = await world.history();
    assert.equal(failed.length, 25);
    receiver.serve = (socket) => socket.write(reply(200));
    const request = { organizationId: world.organizationId, kind: 'status', which: 'failed', since } as const;
    const resend = await world.pushes.resend('operator:1', request);
    assert.deepEqual([resend.moved, resend.states], [0, ['failed']]);
    const delivered = async () => (await world.history()).filter(({ state }) => state === 'delivered').length;
    await world.later(1_000, engine);
    assert.equal(await delivered(), 10);
    assert.equal((await world.pushes.resendProgress(world.organizationId))[0]?.moved, 10);
    await world.later(1_000, engine);
    assert.equal(await delivered(), 20);
    await world.later(1_000, engine);
    assert.equal(await delivered(), 24);
    assert.deepEqual(await world.pushes.resendProgress(world.organizationId), []);
    assert.equal((await world.pushes.show(early)).state, 'failed');
  });

  test('what ended as off is sent again when the switch is on, and not before', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const { organizationId } = world;
    await accept(world, statusOf(organizationId, 'b1'), statusOf(organizationId, 'b2'));
    const switched = (enabled: boolean) => world.settings.set('test', { organizationId, kind: 'status', enabled });
    await switched(false);
    const engine = world.engine();
    await world.later(0, engine);
    const ended = await world.history();
    assert.deepEqual(
      ended.map(({ state }) => state),
      ['off', 'off'],
    );
    const request = { organizationId, kind: 'status', which: 'undelivered' } as const;
    await assertRefused(world.pushes.resend('test', request), 'conflict', 'kind', 'pushes_off');
    await assertRefused(world.pushes.resendOne('test', ended[0]?.id ?? ''), 'conflict', 'kind', 'pushes_off');
    await assertRefused(world.pushes.resend('test', { ...request, kind: 'uplink' }), 'not_found', 'kind');
    await switched(true);
    await world.pushes.resend('test', request);
    for (let more = 1; more < 10; more += 1) await world.pushes.resend('test', request);
    await assertRefused(world.pushes.resend('test', request), 'conflict', 'kind', 'too_many_resends');
    await world.later(1_000, engine);
    assert.deepEqual(
      (await world.history()).map(({ state }) => state),
      ['delivered', 'delivered'],
    );
  });

  test('are forgotten with their attempts when retention has passed, and the younger ones stay', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await failing(world, receiver, 1);
    const engine = world.engine();
    await engine.beat();
    await accept(world, ...Array.from({ length: 1_100 }, (_, index) => statusOf(world.organizationId, `b${index}`)));
    await world.quiet(engine);
    await world.later(DAY, engine);
    const [young] = await accept(world, statusOf(world.organizationId));
    await world.quiet(engine);
    await world.later(DAY / 2, engine);
    assert.deepEqual([(await world.history()).length, (await world.attempts()).length], [1_101, 1_101]);
    world.clock.advance(28.5 * DAY);
    const stop = new AbortController();
    const wait = async () => stop.abort();
    const retention = createPushRetention({ database: world.database, clock: world.clock, keepMs: 29.5 * DAY, wait });
    await retention.run(stop.signal);
    assert.deepEqual(
      (await world.history()).map(({ id }) => id),
      [young],
    );
    assert.deepEqual(
      (await world.attempts()).map(({ push_id }) => push_id),
      [young],
    );
  });
});

/** A setting whose receiver answers 500. */
async function failing(world: PushWorld, receiver: TrialReceiver, retries = 0): Promise<void> {
  receiver.serve = (socket) => socket.write(reply(500));
  await pointTo(world, world.organizationId, receiver.port, { retries });
}

async function assertRefused(work: Promise<unknown>, code: string, field: string, reason?: string): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Problem, String(error));
    assert.deepEqual([error.code, error.field, error.reason], [code, field, reason], error.message);
    return true;
  });
}
