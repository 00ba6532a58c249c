import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { Application } from '../../packages/server/src/compose.ts';
import { createMissedEvents } from '../../packages/server/src/messages/history/missed-events.ts';
import { createAttemptThread } from '../../packages/server/src/outbound/attempt-thread.ts';
import { createPushEngine } from '../../packages/server/src/push/engine/push-engine.ts';
import { readWaitingSettings } from '../../packages/server/src/push/history/waiting-store.ts';
import { createOutbox, type Outbox } from '../../packages/server/src/push/outbox/outbox.ts';
import type { WaitingPush } from '../../packages/server/src/push/outbox/push-event.ts';
import { SHARDS } from '../../packages/server/src/push/outbox/push-shard.ts';
import { createSettingFactsReader } from '../../packages/server/src/push/settings/setting-facts.ts';
import { rateLimitedLog } from '../../packages/server/src/runtime/rate-limited-log.ts';
import { supervise } from '../../packages/server/src/runtime/supervisor.ts';
import { wait } from '../../packages/server/src/runtime/wait.ts';

export interface BenchEngine {
  readonly accept: Outbox['accept'];
  /** Resolves when nothing is in flight, and no push waits beyond those of the start. */
  whenQuiet(): Promise<void>;
  stop(): Promise<void>;
}

const lookAgainMs = 2;
const stopMs = 1_000;
const shards = Array.from({ length: SHARDS }, (_, shard) => shard);

/**
 * Outbox and push engine as in compose-messaging.ts, without the rest of the gateway.
 * @param onCommitted receives durable pushes before the engine does
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
        if ((await waitingSettings()).every((id) => before.has(id))) return;
        await delay(lookAgainMs);
      }
    },
    async stop() {
      await supervisor.stop(2 * stopMs);
      await attempts.close();
    },
  };
}
