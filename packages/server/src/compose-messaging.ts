import type { AuditTrail } from './audit/audit-trail.ts';
import { createCarrierChoices } from './carriers/carrier-choice.ts';
import { createCarrierMetrics } from './carriers/carrier-metrics.ts';
import { type CarrierStates, createCarrierStates } from './carriers/carrier-states.ts';
import { createCarrierRunner } from './carriers/run-carriers.ts';
import { createSimulateReply, type SimulateReply } from './carriers/simulate-reply.ts';
import { createSimulatorCarrier, simulatorId } from './carriers/simulator-carrier.ts';
import { createSubmitWorker } from './carriers/submit-worker.ts';
import type { Settings } from './config/settings.ts';
import type { ChangeFeed } from './database/change-feed.ts';
import type { Database } from './database/connect.ts';
import { networkSet } from './http/ip-address.ts';
import type { MasterKeys, SealedStore } from './instance/master-keys.ts';
import { createRoutes, type Routes } from './intake/manage-routes.ts';
import { createTakeInbound } from './intake/take-inbound.ts';
import { createDeliveries } from './messages/apply-receipt.ts';
import { createStopWords } from './messages/apply-reply.ts';
import type { ReadPushStates } from './messages/batch-report.ts';
import { createGraceWorker } from './messages/grace-worker.ts';
import { type BlockedLists, createBlockedLists } from './messages/manage-blocked-lists.ts';
import { createMessages, type Messages } from './messages/manage-messages.ts';
import { createMessagingKeys, type MessagingKeys } from './messages/manage-messaging-keys.ts';
import { createOptOuts, type OptOuts } from './messages/manage-opt-outs.ts';
import { createMessageMetrics, type MessageMetrics } from './messages/message-metrics.ts';
import { createMessageRetention } from './messages/message-retention.ts';
import { createMessagingFacts, type MessagingFacts } from './messages/messaging-facts.ts';
import { createMessagingSettings, type MessagingSettingsKeeper } from './messages/messaging-settings.ts';
import { createMissedEvents } from './messages/missed-events.ts';
import { createPartQueue } from './messages/part-queue.ts';
import { createSendByHand, type SendByHand } from './messages/send-by-hand.ts';
import { createSendMessages, type SendMessages } from './messages/send-messages.ts';
import { readTakenParts } from './messages/taken-parts.ts';
import { createAttemptThread } from './push/attempt-thread.ts';
import { dnsResolver } from './push/host-resolver.ts';
import { createPushSettings, type PushSettings } from './push/manage-push-settings.ts';
import { createPushes, type Pushes } from './push/manage-pushes.ts';
import { createOutbox } from './push/outbox.ts';
import { ownEndpoints } from './push/own-endpoints.ts';
import { createPushEngine, type PushEngine } from './push/push-engine.ts';
import { createPushRetention } from './push/push-retention.ts';
import { createQuerySealer, sealedPushQueries } from './push/sealed-push-queries.ts';
import { sealedPushSecrets } from './push/sealed-push-secrets.ts';
import { createSettingFactsReader } from './push/setting-facts.ts';
import type { Clock } from './runtime/clock.ts';
import { rateLimitedLog } from './runtime/rate-limited-log.ts';
import { createRecentCount, type RecentCount } from './runtime/recent-count.ts';
import type { Worker } from './runtime/supervisor.ts';
import type { Telemetry } from './runtime/telemetry.ts';
import { version } from './runtime/version.ts';
import { wait } from './runtime/wait.ts';

/** The message gateway, on an open database: what the interfaces call, and the work behind it. */
export interface Messaging {
  readonly sends: SendMessages;
  readonly sendByHand: SendByHand;
  readonly messages: Messages;
  readonly keys: MessagingKeys;
  readonly settings: MessagingSettingsKeeper;
  readonly blockedLists: BlockedLists;
  readonly optOuts: OptOuts;
  readonly routes: Routes;
  readonly simulateReply: SimulateReply;
  readonly carriers: CarrierStates;
  readonly pushSettings: PushSettings;
  readonly pushes: Pushes;
  readonly engine: Pick<PushEngine, 'laneStatus'>;
  readonly facts: MessagingFacts;
  readonly readPushStates: ReadPushStates;
  readonly metrics: MessageMetrics;
  /** Messages that this process has accepted lately. */
  readonly recentMessages: RecentCount;
  /** What only a server runs. */
  readonly workers: readonly Worker[];
  readonly sealedStores: readonly SealedStore[];
  /** After the workers have ended: what callers still wait for is committed, and connections to receivers are closed. */
  close(): Promise<void>;
}

export interface MessagingNeeds {
  readonly settings: Settings;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly audit: AuditTrail;
  /** What is old enough to be removed goes by this one. */
  readonly retentionClock: Pick<Clock, 'now'>;
  readonly ring: MasterKeys['ring'];
  /** The ports on which this process listens. */
  readonly ownPorts: () => readonly number[];
}

const logLinesPerMinute = 60;

/** Builds every object of the message gateway once, in the order in which they depend on each other. */
export function composeMessaging(needs: MessagingNeeds): Messaging {
  const { settings, clock, telemetry, database, feed, audit, ring, nodeId } = needs;
  const log = rateLimitedLog(telemetry.log, logLinesPerMinute, clock);

  const outbox = createOutbox({ database, clock });
  const missed = createMissedEvents({ database, outbox });
  const guard = {
    allowed: networkSet(settings.pushAllowNetworks),
    own: ownEndpoints(needs.ownPorts),
    resolve: dnsResolver(),
  };
  // Leases are renewed four times as often as they end, so half of one is left.
  const beginWithinMs = settings.pushLease / 2;
  const attempts = createAttemptThread({
    allowNetworks: settings.pushAllowNetworks,
    maxIdle: settings.pushConcurrency,
    ownPorts: needs.ownPorts,
    staleAfterMs: beginWithinMs,
  });
  const userAgent = `Waxwing/${version}`;
  const engine = createPushEngine({
    database,
    outbox,
    missed,
    facts: createSettingFactsReader({ db: database.db, feed, ring }),
    attempts,
    clock,
    random: Math.random,
    metrics: telemetry.metrics,
    log,
    wait,
    nodeId,
    userAgent,
    retryWaits: settings.pushRetryWaits,
    concurrency: settings.pushConcurrency,
    settingConcurrency: settings.pushSettingConcurrency,
    resendRate: settings.pushResendRate,
    leaseMs: settings.pushLease,
    beginWithinMs,
    // Of the same grace: requests are answered first, and outcomes are recorded last.
    stopMs: settings.shutdownGrace / 3,
  });

  const metrics = createMessageMetrics(telemetry.metrics);
  const recentMessages = createRecentCount(clock);
  const facts = createMessagingFacts({ db: database.db, feed, maxEntries: settings.retrievalCache });
  const queue = createPartQueue({ database, clock });
  const deliveries = createDeliveries({ database, outbox, clock, wait, log, onSettled: metrics.settled });
  const simulator = createSimulatorCarrier({
    seed: settings.simulatorSeed,
    take: createTakeInbound({
      database,
      deliveries,
      outbox,
      stopWords: createStopWords(settings.stopWords),
      isSimulated: (id) => id === simulatorId,
      clock,
      log,
    }),
    readPending: () => readTakenParts(database.db, simulatorId),
    clock,
    wait,
  });
  const choices = createCarrierChoices(() => [simulator]);
  const sends = createSendMessages({
    database,
    feed,
    outbox,
    queue,
    facts,
    chooseCarrier: choices.choose,
    clock,
    validityMs: settings.messageValidity,
    graceMs: settings.receiptGrace,
    maxWaiting: settings.sendsWaiting,
    onAccepted(accepted, refused) {
      metrics.accepted(accepted, refused);
      recentMessages.add(accepted);
    },
  });
  const onResult = createCarrierMetrics(telemetry.metrics);
  const carriers = createCarrierRunner({
    database,
    clock,
    nodeId,
    carriers: [simulatorId],
    leaseMs: settings.pushLease,
    wait,
    submitter: (id, holds) =>
      createSubmitWorker({
        carrier: simulator,
        queue,
        deliveries,
        holds,
        heir: () => choices.heirOf(id),
        clock,
        random: Math.random,
        wait,
        // Of the same grace as the pushes.
        answersMs: settings.shutdownGrace / 3,
        log,
        onResult,
      }),
    isIdle: (id) => !queue.isOpen(id),
    log,
  });

  return {
    sends,
    sendByHand: createSendByHand({ db: database.db, sends, audit, clock }),
    messages: createMessages({ database, readPushStates: outbox.readStates }),
    keys: createMessagingKeys({ database, feed, audit, clock }),
    settings: createMessagingSettings({ database, feed, audit, clock }),
    blockedLists: createBlockedLists({ database, feed, audit, clock }),
    optOuts: createOptOuts({ database, audit, clock }),
    routes: createRoutes({ database, audit, clock, carriers: () => [simulatorId] }),
    simulateReply: createSimulateReply({ simulator, audit, clock }),
    carriers: createCarrierStates({ database, carriers: () => [simulator] }),
    pushSettings: createPushSettings({ database, feed, audit, clock, ring, guard, attempts, userAgent }),
    pushes: createPushes({ database, audit, clock, missed }),
    engine,
    facts,
    readPushStates: outbox.readStates,
    metrics,
    recentMessages,
    workers: [
      engine.worker,
      createQuerySealer({ database, feed, ring }, wait),
      carriers,
      createGraceWorker({ database, deliveries, clock, wait }),
      createPushRetention({ database, clock: needs.retentionClock, keepMs: settings.pushHistoryRetention, wait }),
      createMessageRetention({
        database,
        clock: needs.retentionClock,
        wait,
        log,
        messagesMs: settings.messageRetention,
        eventsMs: settings.eventRetention,
        openMs: settings.messageValidity + settings.receiptGrace,
      }),
    ],
    sealedStores: [sealedPushSecrets(database, feed), sealedPushQueries(database, feed)],
    async close() {
      await Promise.all([sends.drain(), deliveries.drain()]);
      await attempts.close();
    },
  };
}
