import type { Registry } from 'prom-client';
import type { Ground } from '../../audit/ground.ts';
import { type DatabaseUnavailable, unlessUnavailable } from '../../database/database.ts';
import { createLeaseStore } from '../../database/lease-store.ts';
import type { AttemptThread } from '../../outbound/attempt-thread.ts';
import { createLeaseKeeper } from '../../runtime/lease.ts';
import type { LimitedLog } from '../../runtime/rate-limited-log.ts';
import type { Worker } from '../../runtime/supervisor.ts';
import { advanceResends } from '../history/advance-resends.ts';
import { createPushMinutes } from '../history/push-minutes.ts';
import { pullForward, readWaitingSettings } from '../history/waiting-store.ts';
import type { MissedEvents, Outbox } from '../outbox/outbox.ts';
import { allShardLeases, LEASE_GROUP } from '../outbox/push-shard.ts';
import type { SettingFactsReader } from '../settings/setting-facts.ts';
import { Dispatcher } from './dispatcher.ts';
import type { LaneStatus } from './lane-status.ts';
import { createPushMetrics, type PushGauges } from './push-metrics.ts';
import { longestWait } from './retry-policy.ts';
import { createSettler } from './settler.ts';

export interface PushEngineNeeds extends Pick<Ground, 'database' | 'clock' | 'wait'> {
  readonly outbox: Pick<Outbox, 'onCommitted'>;
  readonly missed: MissedEvents;
  readonly facts: SettingFactsReader;
  readonly attempts: Pick<AttemptThread, 'attempt'>;
  readonly random: () => number;
  readonly metrics: Registry;
  readonly log: LimitedLog;
  /** The name of this server among those on the same database; the same after a restart. */
  readonly nodeId: string;
  /** `Waxwing/1.0.0` */
  readonly userAgent: string;
  readonly retryWaits: readonly number[];
  readonly concurrency: number;
  readonly settingConcurrency: number;
  /** Pushes of one setting that are sent again, a second. */
  readonly resendRate: number;
  readonly leaseMs: number;
  /** An attempt that is given to `attempts` begins within this time, or not at all: the thread takes it for stale. */
  readonly beginWithinMs: number;
  /** How long running attempts may take to end on stop. */
  readonly stopMs: number;
}

export interface PushEngine {
  /** Holds shards and makes their attempts. Its end gives them up. */
  readonly worker: Worker;
  laneStatus(settingId: string): LaneStatus | undefined;
  gauges(): PushGauges;
  /** Whether an attempt runs, an outcome waits to be recorded, or the database is being read. */
  readonly isAtWork: boolean;
  /** For tests and for the worker: renews leases. */
  beat(): Promise<void>;
  /** For tests and for the worker: finds what is due, lets waits pass. */
  look(): Promise<void>;
  /** Ends gracefully: attempts that run may end within `stopMs`, what is decided is recorded, shards are given up. */
  stop(): Promise<void>;
}

const tickMs = 100;
const lookEveryMs = 1_000;
/** A look takes a tenth of the time, however many settings have something waiting: it rests nine times as long as it took. */
const restsPerLook = 9;
/** But no longer than this: a database or a process that stood still took its time, too. */
const longestRestMs = 3_000;
const pullEveryMs = 60_000;
const countEveryMs = 5_000;
/** Clocks of several servers differ a little. */
const clockSkewMs = 60_000;

export function createPushEngine(needs: PushEngineNeeds): PushEngine {
  const { database, clock, log, wait, leaseMs, beginWithinMs, nodeId } = needs;
  const leases = createLeaseKeeper({
    store: createLeaseStore({ database, group: LEASE_GROUP, all: allShardLeases, durationMs: leaseMs }),
    clock,
    holder: nodeId,
    all: allShardLeases,
    durationMs: leaseMs,
    givenOutMs: leaseMs - beginWithinMs,
    isIdle: (name) => dispatcher.isIdle(name),
  });
  const gauges = () => ({ ...dispatcher.gauges(), shards: leases.names.length });
  const metrics = createPushMetrics(needs.metrics, gauges, () =>
    seenAt === undefined ? undefined : (clock.monotonic() - seenAt) / 1000,
  );
  const settler = createSettler({ database, clock, log, wait });
  const minutes = createPushMinutes({ database, clock });
  const dispatcher = new Dispatcher({ ...needs, leases, metrics, minutes, settler });
  needs.outbox.onCommitted((pushes, since) => dispatcher.offer(pushes, since));
  const longestWaitMs = longestWait(needs.retryWaits) + clockSkewMs;
  // The leases end by themselves.
  const logOutage = (error: DatabaseUnavailable) => log.warn({ err: error }, 'pushes wait for the database');
  let lookedAt = clock.monotonic();
  /** When the last look that succeeded began, or the worker. Undefined while none runs. */
  let seenAt: number | undefined;
  /** Nobody has looked at the shards that were taken since the last look began. */
  let hasTaken = false;
  let pulledAt = Number.NEGATIVE_INFINITY;
  let countedAt = clock.monotonic();

  async function beat(): Promise<void> {
    const taken = await leases.beat();
    if (taken.length > 0) hasTaken = true;
    dispatcher.dropLost();
  }

  async function look(): Promise<void> {
    const began = clock.monotonic();
    const shards = leases.names.map((name) => Number(name.slice(LEASE_GROUP.length + 1)));
    const limit = Math.max(1, Math.floor((needs.resendRate * Math.min(began - lookedAt, 10_000)) / 1000));
    lookedAt = began;
    await advanceResends(needs, shards, limit, clock.now());
    if (began - pulledAt >= pullEveryMs) {
      const now = clock.now();
      await pullForward(database, shards, { latest: now + longestWaitMs, now });
      pulledAt = began;
    }
    dispatcher.wake(await readWaitingSettings(database, shards));
    dispatcher.tick();
    if (began - countedAt >= countEveryMs) {
      countedAt = began;
      await minutes.flush();
    }
  }

  async function stop(): Promise<void> {
    const enough = new AbortController();
    await Promise.race([dispatcher.close(), wait(needs.stopMs, enough.signal)]);
    enough.abort();
    // Cuts off what still runs: it costs its push nothing, and the next holder does it again.
    await unlessUnavailable(leases.releaseAll(), logOutage);
    await dispatcher.close();
    await unlessUnavailable(minutes.flush(), logOutage);
  }

  async function keepLeases(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await unlessUnavailable(beat(), logOutage);
      await wait(leaseMs / 4, signal);
    }
  }

  async function keepLooking(signal: AbortSignal): Promise<void> {
    let nextLook = 0;
    // A run that failed has not seen anything either.
    seenAt ??= clock.monotonic();
    while (!signal.aborted) {
      const began = clock.monotonic();
      if (hasTaken || began >= nextLook) {
        hasTaken = false;
        const isDone = await unlessUnavailable(look(), logOutage);
        const ended = clock.monotonic();
        if (isDone) seenAt = began;
        // One that failed has seen nothing: the next is due as though it had not been.
        const restMs = isDone ? Math.min((ended - began) * restsPerLook, longestRestMs) : 0;
        nextLook = Math.max(began + lookEveryMs, ended + restMs);
      } else {
        dispatcher.tick();
      }
      await wait(tickMs, signal);
    }
    seenAt = undefined;
  }

  return {
    worker: {
      name: 'push',
      async run(signal) {
        dispatcher.reopen();
        const ended = new AbortController();
        const either = AbortSignal.any([signal, ended.signal]);
        const loop = (run: (signal: AbortSignal) => Promise<void>) => run(either).finally(() => ended.abort());
        await unlessUnavailable(beat(), logOutage);
        // Both have ended before shards are given up: a beat that is under way would take them again.
        const ends = await Promise.allSettled([loop(keepLeases), loop(keepLooking)]);
        await stop();
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      },
    },
    gauges,
    laneStatus: (settingId) => dispatcher.laneStatus(settingId),
    get isAtWork() {
      return dispatcher.isAtWork;
    },
    beat,
    look,
    stop,
  };
}
