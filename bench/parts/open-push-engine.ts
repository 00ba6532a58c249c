import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { Application } from '../../packages/server/src/compose.ts';
import { createMissedEvents } from '../../packages/server/src/messages/missed-events.ts';
import { createAttemptThread } from '../../packages/server/src/push/attempt-thread.ts';
import { createOutbox, type Outbox } from '../../packages/server/src/push/outbox.ts';
import { createPushEngine } from '../../packages/server/src/push/push-engine.ts';
import type { WaitingPush } from '../../packages/server/src/push/push-event.ts';
import { SHARDS } from '../../packages/server/src/push/push-shard.ts';
import { createSettingFactsReader } from '../../packages/server/src/push/setting-facts.ts';
import { readUnfiled } from '../../packages/server/src/push/unfiled-store.ts';
import { readWaitingSettings } from '../../packages/server/src/push/waiting-store.ts';
import { rateLimitedLog } from '../../packages/server/src/runtime/rate-limited-log.ts';
import { supervise } from '../../packages/server/src/runtime/supervisor.ts';
import { wait } from '../../packages/server/src/runtime/wait.ts';

export interface BenchEngine {
  readonly accept: Outbox['accept'];
  /** Resolves when nothing is under way, and nothing waits that did not when the engine was opened. */
  whenQuiet(): Promise<void>;
  stop(): Promise<void>;
}

const lookAgainMs = 2;
const stopMs = 1_000;
const shards = Array.from({ length: SHARDS }, (_, shard) => shard);

/**
 * Outbox and push engine as compose-messaging.ts joins them, without the rest of the message gateway.
 * @param onCommitted hears of pushes when they are durable, before the engine does
 */
export async function openPushEngine(
  { settings, nodeId, clock, telemetry, database, feed, masterKeys }: Application,
  onCommitted: (pushes: readonly WaitingPush[]) => void,
): Promise<BenchEngine> {
  const outbox = createOutbox({ database, clock });
  const beginWithinMs = settings.pushLease / 2;
  const attempts = createAttemptThread({
    allowNetworks: settings.pushAllowNetworks,
    maxIdle: settings.pushConcurrency,
    ownPorts: () => [],
    staleAfterMs: beginWithinMs,
  });
  const engine = createPushEngine({
    database,
    outbox: {
      onCommitted: (listener) =>
        outbox.onCommitted((pushes, since) => {
          onCommitted(pushes);
          listener(pushes, since);
        }),
    },
    missed: createMissedEvents({ database, outbox }),
    facts: createSettingFactsReader({ db: database.db, feed, ring: masterKeys.ring }),
    attempts,
    clock,
    random: Math.random,
    metrics: new Registry(),
    log: rateLimitedLog(telemetry.log, 10, clock),
    wait,
    nodeId,
    userAgent: 'Waxwing/bench',
    retryWaits: settings.pushRetryWaits,
    concurrency: settings.pushConcurrency,
    settingConcurrency: settings.pushSettingConcurrency,
    resendRate: settings.pushResendRate,
    leaseMs: settings.pushLease,
    beginWithinMs,
    stopMs,
  });
  const waitingSettings = async () => (await readWaitingSettings(database, shards)).map(({ settingId }) => settingId);
  const before = new Set(await waitingSettings());
  await feed.sync();
  const supervisor = supervise([feed.worker, engine.worker], { log: telemetry.log, clock });
  while (engine.gauges().shards < SHARDS) await delay(lookAgainMs);

  return {
    accept: outbox.accept,
    async whenQuiet() {
      for (;;) {
        while (engine.isAtWork) await delay(lookAgainMs);
        // What is unfiled first: it may be filed between the two questions.
        const [unfiled] = await readUnfiled(database.db, '', 1);
        if (unfiled === undefined && (await waitingSettings()).every((id) => before.has(id))) return;
        await delay(lookAgainMs);
      }
    },
    async stop() {
      await supervisor.stop(2 * stopMs);
      await attempts.close();
    },
  };
}
