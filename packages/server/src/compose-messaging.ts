import type { Ground } from './audit/ground.ts';
import { isDown } from './carriers/carrier-choice.ts';
import { createCarrierMetrics } from './carriers/carrier-metrics.ts';
import { createSimulator, isSimulated } from './carriers/carrier-registry.ts';
import type { TestCarrier } from './carriers/carrier-routes.ts';
import { type CarrierStates, createCarrierStates } from './carriers/carrier-states.ts';
import { createCarrierChoices } from './carriers/choose-carriers.ts';
import { createIdleCarriers } from './carriers/idle-carriers.ts';
import { createKnownCarriers } from './carriers/known-carriers.ts';
import { createReplyJoiner } from './carriers/links/join-replies.ts';
import { createLinkCarriers } from './carriers/links/link-carriers.ts';
import { createLinkRecords, createReadLinkStates } from './carriers/links/link-record-store.ts';
import { createTestCarrier } from './carriers/links/test-carrier.ts';
import { createManageCarriers, type ManageCarriers } from './carriers/manage-carriers.ts';
import { createNamedCarriers } from './carriers/named-carriers.ts';
import { createCarrierRunner } from './carriers/run-carriers.ts';
import { sealedCarriers } from './carriers/sealed-carriers.ts';
import { createSimulateReply, type SimulateReply } from './carriers/simulator/simulate-reply.ts';
import { createSubmitWorker } from './carriers/submit-worker.ts';
import type { Settings } from './config/settings.ts';
import { networkSet } from './http/request/ip-address.ts';
import type { MasterKeys, SealedStore } from './instance/master-keys.ts';
import { countRoutes } from './intake/intake-store.ts';
import { createReplyRoutes, type Routes } from './intake/reply-routes.ts';
import { createTakeInbound } from './intake/take-inbound.ts';
import { createDeliveries } from './messages/delivery/apply-receipt.ts';
import { createStopWords } from './messages/delivery/apply-reply.ts';
import { createGraceWorker } from './messages/delivery/grace-worker.ts';
import { createPartQueue } from './messages/delivery/part-queue.ts';
import { readPartsAwaitingReceipt } from './messages/delivery/parts-awaiting-receipt.ts';
import type { ReadPushStates } from './messages/history/batch-report.ts';
import type { ReadCarrierNames } from './messages/history/carrier-name.ts';
import { createMessages, type Messages } from './messages/history/manage-messages.ts';
import { createMessageRetention } from './messages/history/message-retention.ts';
import { createMissedEvents } from './messages/history/missed-events.ts';
import { createMessageMetrics, type MessageMetrics } from './messages/message-metrics.ts';
import { createSendByHand, type SendByHand } from './messages/send/send-by-hand.ts';
import { createSendMessages, type SendMessages } from './messages/send/send-messages.ts';
import { createMessagingFacts, type MessagingFacts } from './messages/senders/known-senders.ts';
import { type BlockedLists, createBlockedLists } from './messages/senders/manage-blocked-lists.ts';
import { createMessagingKeys, type MessagingKeys } from './messages/senders/manage-messaging-keys.ts';
import { createOptOuts, type OptOuts } from './messages/senders/manage-opt-outs.ts';
import { createMessagingSettings, type MessagingSettingsKeeper } from './messages/senders/messaging-settings.ts';
import { sampleParameters } from './messages/state/pushed-parameters.ts';
import { type AttemptThread, createAttemptThread } from './outbound/attempt-thread.ts';
import { dnsResolver } from './outbound/host-resolver.ts';
import { ownEndpoints } from './outbound/own-endpoints.ts';
import type { TargetGuard } from './outbound/target-guard.ts';
import { createPushEngine, type PushEngine } from './push/engine/push-engine.ts';
import { createPushRetention } from './push/history/push-retention.ts';
import { createPushSettings, type PushSettings } from './push/manage-push-settings.ts';
import { createPushes, type Pushes } from './push/manage-pushes.ts';
import { createOutbox } from './push/outbox/outbox.ts';
import { createQuerySealer, sealedPushQueries } from './push/settings/sealed-push-queries.ts';
import { sealedPushSecrets } from './push/settings/sealed-push-secrets.ts';
import { createSettingFactsReader } from './push/settings/setting-facts.ts';
import type { Clock } from './runtime/clock.ts';
import { rateLimitedLog } from './runtime/rate-limited-log.ts';
import { createRecentCount, type RecentCount } from './runtime/recent-count.ts';
import type { Worker } from './runtime/supervisor.ts';
import type { Telemetry } from './runtime/telemetry.ts';
import { version } from './runtime/version.ts';

/** The message gateway: its operations and its workers. */
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
  readonly manageCarriers: ManageCarriers;
  readonly testCarrier: TestCarrier;
  readonly carrierNames: ReadCarrierNames;
  readonly pushSettings: PushSettings;
  readonly pushes: Pushes;
  readonly engine: Pick<PushEngine, 'laneStatus'>;
  readonly facts: MessagingFacts;
  readonly readPushStates: ReadPushStates;
  readonly metrics: MessageMetrics;
  /** How requests leave this process, and where they may go. */
  readonly attempts: AttemptThread;
  readonly guard: TargetGuard;
  /** Messages that this process accepted lately. */
  readonly recentMessages: RecentCount;
  /** Only servers run these. */
  readonly workers: readonly Worker[];
  readonly sealedStores: readonly SealedStore[];
  /** Call it after the workers have ended: commits what callers wait for, and closes connections to receivers. */
  close(): Promise<void>;
}

interface MessagingNeeds {
  readonly ground: Ground;
  readonly settings: Settings;
  readonly nodeId: string;
  readonly telemetry: Telemetry;
  /** Decides what is old enough to be removed. */
  readonly retentionClock: Pick<Clock, 'now'>;
  readonly ring: MasterKeys['ring'];
  /** The ports on which this process listens. */
  readonly ownPorts: () => readonly number[];
}

const logLinesPerMinute = 60;

/** Builds every object of the message gateway once, in the order of dependencies. */
export function composeMessaging(needs: MessagingNeeds): Messaging {
  const { settings, telemetry, ground, ring, nodeId } = needs;
  const { database, feed, audit, clock, wait } = ground;
  const log = rateLimitedLog(telemetry.log, logLinesPerMinute, clock);

  const outbox = createOutbox(ground);
  const missed = createMissedEvents({ database, outbox });
  const guard = {
    allowed: networkSet(settings.pushAllowNetworks),
    own: ownEndpoints(needs.ownPorts),
    resolve: dnsResolver(),
  };
  // Leases are renewed four times in their duration, so half of it is left.
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
    // A part of the grace: requests are answered first, and outcomes are recorded last.
    stopMs: settings.shutdownGrace / 3,
  });

  const metrics = createMessageMetrics(telemetry.metrics);
  const recentMessages = createRecentCount(clock);
  const facts = createMessagingFacts({ db: database.db, feed, maxEntries: settings.retrievalCache });
  const queue = createPartQueue(ground);
  const deliveries = createDeliveries({ ...ground, outbox, log, onSettled: metrics.settled });
  const take = createTakeInbound({
    database,
    deliveries,
    outbox,
    stopWords: createStopWords(settings.stopWords),
    isSimulated,
    clock,
    log,
  });
  const simulator = createSimulator({
    simulatorSeed: settings.simulatorSeed,
    take,
    readPending: (carrierId) => readPartsAwaitingReceipt(database.db, carrierId),
    clock,
    wait,
  });
  const known = createKnownCarriers({ db: database.db, feed });
  const replies = createReplyJoiner({ database, take, clock, wait });
  const links = createLinkCarriers({
    database,
    known,
    ring,
    take,
    takeSegment: replies.takeSegment,
    records: createLinkRecords(database, clock),
    clock,
    wait,
    random: Math.random,
    log,
  });
  const resting = new Set<string>();
  const choices = createCarrierChoices({
    known,
    downSince: links.downSince,
    isResting: (carrierId) => resting.has(carrierId),
    queue,
    clock,
    random: Math.random,
  });
  const named = createNamedCarriers(database, known);
  const sends = createSendMessages({
    ...ground,
    outbox,
    queue,
    facts,
    carrierChooser: choices.chooser,
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
    ...ground,
    nodeId,
    carriers: async () => [simulator, ...(await links.current())],
    leaseMs: settings.pushLease,
    wait,
    submitter: (carrier, holds) =>
      createSubmitWorker({
        carrier,
        queue,
        deliveries,
        holds,
        takesParts: async () => !isDown(carrier, clock.now()) && (await choices.takesParts(carrier.id)),
        onResting: (carrierId, rests) => void (rests ? resting.add(carrierId) : resting.delete(carrierId)),
        moveParts: () => choices.moveParts(carrier.id),
        nextCarrier: ({ ref, number, sender }, refusedBy) =>
          choices.other({ organizationId: ref.organizationId, destination: number, sender, refusedBy }),
        clock,
        random: Math.random,
        wait,
        // The same part of the grace as pushes.
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
    messages: createMessages({ database, readPushStates: outbox.readStates, carrierNames: named.names }),
    keys: createMessagingKeys(ground),
    settings: createMessagingSettings(ground),
    blockedLists: createBlockedLists(ground),
    optOuts: createOptOuts(ground),
    routes: createReplyRoutes({ database, audit, clock, carriers: named }),
    simulateReply: createSimulateReply({ ...ground, simulator }),
    carriers: createCarrierStates({ database, known, readLinks: createReadLinkStates(database) }),
    manageCarriers: createManageCarriers({ ...ground, ring, countRoutes }),
    testCarrier: createTestCarrier({ ...ground, ring }),
    carrierNames: named.names,
    pushSettings: createPushSettings({
      ...ground,
      ring,
      guard,
      attempts,
      userAgent,
      sampleOf: sampleParameters,
    }),
    pushes: createPushes({ ...ground, missed }),
    engine,
    attempts,
    guard,
    facts,
    readPushStates: outbox.readStates,
    metrics,
    recentMessages,
    workers: [
      engine.worker,
      createQuerySealer({ database, feed, ring }, wait),
      carriers,
      links.worker,
      replies.worker,
      createIdleCarriers({ ...ground, nodeId, leaseMs: settings.pushLease, choices }),
      createGraceWorker({ ...ground, deliveries }),
      createPushRetention({ ...ground, clock: needs.retentionClock, keepMs: settings.pushHistoryRetention }),
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
    sealedStores: [sealedPushSecrets(database, feed), sealedPushQueries(database, feed), sealedCarriers(database)],
    async close() {
      await Promise.all([sends.drain(), deliveries.drain()]);
      await attempts.close();
    },
  };
}
