import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import type { Database } from '../../database/database.ts';
import { DatabaseUnavailable } from '../../database/sql/database-errors.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { reply, startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { accept, openPushWorld, type PushWorld, pointTo, statusOf } from '../push-world.testing.ts';
import type { PushEngine, PushEngineNeeds } from './push-engine.ts';

const STALL = 12_000;
const TICK = 100;
const LEASE = 200_000;

onBothDatabases('a push engine that was held up', (open) => {
  test('by a database that stood still for 12 s finds everything within 5 s', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    const metrics = new Registry();
    const rounds = startEngine(t, world, { metrics, retryWaits: [STALL + 2_000] });
    await rounds.waiting(TICK);

    receiver.serve = (socket) => socket.write(reply(500));
    await acceptElsewhere(world, 'retried');
    await rounds.pass(1_000);
    assert.deepEqual(batchesOf(receiver.requests), ['retried']);
    receiver.serve = (socket) => socket.write(reply(200));

    await acceptElsewhere(world, 'before');
    const stalled = await holdPushes(world);
    world.clock.advance(1_000);
    rounds.go(TICK);
    await setImmediate();
    world.clock.advance(STALL);
    assert.match(await metrics.metrics(), /^waxwing_push_last_look_age_seconds 13$/m);
    await stalled.end();
    await rounds.waiting(TICK);

    await acceptElsewhere(world, 'after');
    for (let passed = 0; passed < 5_000; passed += TICK) await rounds.pass(TICK);
    assert.deepEqual(batchesOf(receiver.requests), ['after', 'before', 'retried', 'retried']);
    assert.deepEqual(await world.waiting(), []);
  });

  test('by one that then failed looks again at once', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    let stall: Promise<void> | undefined;
    const database: Database = {
      ...world.database,
      async runBatch(...given) {
        if (stall === undefined) return world.database.runBatch(...given);
        await stall;
        throw new DatabaseUnavailable('it stood still');
      },
    };
    const rounds = startEngine(t, world, { database });
    await rounds.waiting(TICK);

    await acceptElsewhere(world, 'b1');
    const { promise, resolve: endStall } = Promise.withResolvers<void>();
    stall = promise;
    world.clock.advance(1_000);
    rounds.go(TICK);
    await setImmediate();
    world.clock.advance(STALL);
    endStall();
    await rounds.waiting(TICK);
    stall = undefined;
    await rounds.pass(0);
    assert.deepEqual(batchesOf(receiver.requests), ['b1']);
  });

  test('looks at once at shards that it takes over', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    await pointTo(world, world.organizationId, receiver.port);
    await world.engine({ ...deaf, nodeId: 'dead' }).beat();
    const rounds = startEngine(t, world, { nodeId: 'heir' });
    await rounds.waiting(TICK);
    await rounds.pass(0);

    await acceptElsewhere(world, 'b1');
    await world.database.db.updateTable('lease').set({ until: 1 }).where('holder', '=', 'dead').execute();
    rounds.go(LEASE / 4);
    await rounds.waiting(LEASE / 4);
    await rounds.pass(0);
    assert.deepEqual(batchesOf(receiver.requests), ['b1']);
  });
});

/** It hears of no commit: as though other servers made them all. */
const deaf = { outbox: { onCommitted() {} } };

/** The pauses of a worker's loops, by their lengths: each ends when the test says so. */
interface Rounds {
  /** Resolves when the loop that pauses so long does. */
  waiting(ms: number): Promise<void>;
  /** Ends such a pause. */
  go(ms: number): void;
  /** Moves the clock, and lets the engine look or tick once and all that follows from it end. */
  pass(ms: number): Promise<void>;
}

function startEngine(t: TestContext, world: PushWorld, options: Partial<PushEngineNeeds>): Rounds {
  const pauses = new Map<number, () => void>();
  const engine: PushEngine = world.engine({
    ...deaf,
    leaseMs: LEASE,
    wait: (ms, signal) =>
      ms < TICK ? setImmediate() : new Promise((resolve) => pauseUntil(signal, pauses, ms, resolve)),
    ...options,
  });
  const stop = new AbortController();
  const running = engine.worker.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
  });
  const rounds: Rounds = {
    async waiting(ms) {
      while (!pauses.has(ms)) await setImmediate();
    },
    go(ms) {
      const end = pauses.get(ms);
      pauses.delete(ms);
      end?.();
    },
    async pass(ms) {
      world.clock.advance(ms);
      rounds.go(TICK);
      await rounds.waiting(TICK);
      await world.quiet(engine);
    },
  };
  return rounds;
}

function pauseUntil(signal: AbortSignal, pauses: Map<number, () => void>, ms: number, resolve: () => void): void {
  pauses.set(ms, resolve);
  if (signal.aborted) resolve();
  else signal.addEventListener('abort', () => resolve(), { once: true });
}

async function acceptElsewhere(world: PushWorld, batchId: string): Promise<void> {
  await accept(world, statusOf(world.organizationId, batchId));
}

/** Looks for pushes wait meanwhile. */
async function holdPushes({ database }: PushWorld): Promise<{ end(): Promise<void> }> {
  const held = Promise.withResolvers<void>();
  const enough = Promise.withResolvers<void>();
  const holding = database.transaction(async (trx) => {
    if (database.dialect === 'postgres') await sql`lock table push in access exclusive mode`.execute(trx);
    held.resolve();
    await enough.promise;
  });
  await held.promise;
  return {
    async end() {
      enough.resolve();
      await holding;
    },
  };
}

function batchesOf(requests: readonly string[]): string[] {
  return requests.map((head) => /batch_id=(\w+)/.exec(head)?.[1] ?? '').sort();
}
