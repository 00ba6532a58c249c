import { flushCompileCache } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createAlertMetric } from './alerts/telling/alert-metrics.ts';
import { createAuditIndexer } from './audit/audit-index.ts';
import { createAuditRetention } from './audit/audit-retention.ts';
import type { DnsResponder } from './certificates/acme/dns/dns-responder.ts';
import { listenForHttpChallenges, registerHttpChallenges } from './certificates/acme/proofs/http-challenge.ts';
import { listenForAlpnChallenges } from './certificates/acme/proofs/tls-alpn-listener.ts';
import { createChainJudge } from './certificates/chain-judge.ts';
import { openPrivateKey } from './certificates/hand-out.ts';
import { type Application, databaseFile } from './compose.ts';
import { unlessUnavailable } from './database/database.ts';
import { provenForMs } from './database/fact-memory.ts';
import { createDatabaseFileWatch } from './database/sqlite/database-file.ts';
import { createExpiryMetric } from './deployments/expiring-certificates.ts';
import { createOutdatedMetric } from './deployments/outdated-deployments.ts';
import { createRetrievalRecords } from './deployments/retrieval/hand-out-records.ts';
import { createRetrievalFacts } from './deployments/retrieval/known-tokens.ts';
import { createRetrievalBodies } from './deployments/retrieval/opened-keys.ts';
import { createRetrievalMetrics } from './deployments/retrieval/retrieval-metrics.ts';
import { registerRetrievalRoutes } from './deployments/retrieval/retrieval-routes.ts';
import { createRetrieveCertificate } from './deployments/retrieval/retrieve-certificate.ts';
import { countAnswers, createAnswerMetrics } from './http/answer-metrics.ts';
import { apiHeaders } from './http/api-headers.ts';
import { readConsoleFiles } from './http/console-files.ts';
import { registerConsole } from './http/console-routes.ts';
import { listenProblem } from './http/listen-problem.ts';
import { listenForMetrics } from './http/metrics-listener.ts';
import { createProbeMetrics, createReadiness, type Probe, probeOf, registerProbes } from './http/probes.ts';
import { networkSet, parseAddress } from './http/request/ip-address.ts';
import { createWindowLimit } from './http/request/window-limit.ts';
import { createHttpServer, replaceTls } from './http/server.ts';
import { createTlsWatch, readTlsFiles } from './http/tls-files.ts';
import { createClockWatch } from './instance/clock-watch.ts';
import { createNodeHeartbeat } from './instance/node-heartbeat.ts';
import { registerManagementApi } from './management-api.ts';
import { registerMessageRoutes } from './messages/message-routes.ts';
import { createAuthenticateSender } from './messages/senders/authenticate-sender.ts';
import { createWaitingMetric } from './push/history/waiting-figures.ts';
import { limitHeapGrowth } from './runtime/heap-growth.ts';
import { rateLimitedLog } from './runtime/rate-limited-log.ts';
import { createRecentCount } from './runtime/recent-count.ts';
import { type Supervisor, supervise, type Worker, type WorkerState } from './runtime/supervisor.ts';
import { version } from './runtime/version.ts';
import { wait, within } from './runtime/wait.ts';
import { masterKeyOf } from './secrets/envelope.ts';

export interface RunningServer {
  /** With the real port. */
  readonly url: string;
  status(): ServerStatus;
  /** What `/readyz` answers. */
  probe(): Promise<Probe>;
  /** Ends within the configured grace: no new requests, running ones answered, what waits written. */
  stop(): Promise<void>;
}

interface ServerStatus {
  readonly version: string;
  readonly node_id: string;
  readonly url: string;
  readonly workers: readonly { name: string; state: WorkerState; faults: number; last_fault: string | null }[];
  readonly tokens_in_memory: number;
  /** Requests from loopback with X-Forwarded-For although no proxy is trusted. */
  readonly untrusted_forwards: number;
}

const logLinesPerMinute = 60;
/** The output of scripts/build-console.ts. */
const consoleFolder = fileURLToPath(new URL('../../console/dist', import.meta.url));
/** Two answers of the change feed, which asks four times a second. Without them a probe asks itself. */
const provenLatelyMs = 500;

/** Listens, and starts the workers. @throws Problem for an unusable address or TLS file; nothing listens then */
export async function startServer(application: Application): Promise<RunningServer> {
  const { settings, nodeId, clock, telemetry, database, feed, audit, masterKeys, messaging, ownPorts } = application;
  const { log, metrics } = telemetry;
  const calmLog = rateLimitedLog(log, logLinesPerMinute, clock);
  limitHeapGrowth();

  const facts = createRetrievalFacts({
    db: database.db,
    feed,
    timeZone: settings.timeZone,
    maxEntries: settings.retrievalCache,
    maxBytes: settings.retrievalMemory,
  });
  const retrievalMetrics = createRetrievalMetrics(metrics, facts);
  const retrievals = createRecentCount(clock);
  const records = createRetrievalRecords({
    database,
    feed,
    audit,
    clock,
    retentionClock: application.retentionClock,
    maxWaiting: settings.recordsWaiting,
    flushMs: settings.activityFlush,
    wait,
    onUncounted: retrievalMetrics.uncounted,
  });
  const wrongTokens = createWindowLimit({ limit: settings.wrongTokensPerMinute });
  const retrieve = createRetrieveCertificate({
    facts,
    feed,
    records,
    wrongTokens,
    requestRate: createWindowLimit({ maxNames: settings.retrievalCache }),
    // Checking takes time of every answer, and a key is hardly ever missing.
    checkKey({ sealed }) {
      if (masterKeys.lacking().length > 0) masterKeyOf(masterKeys.ring(), sealed.sealedKey);
    },
    bodies: createRetrievalBodies(({ sealed }) => openPrivateKey(masterKeys.ring(), sealed)),
    clock,
    metrics: {
      ...retrievalMetrics,
      answered(representation, status) {
        retrievalMetrics.answered(representation, status);
        retrievals.add(1);
      },
    },
  });

  const tlsFiles =
    settings.tlsCertificate === undefined || settings.tlsKey === undefined
      ? undefined
      : { certificate: settings.tlsCertificate, key: settings.tlsKey };
  const tls = tlsFiles === undefined ? undefined : readTlsFiles(tlsFiles);
  const trustedProxies = networkSet(settings.trustedProxies);
  const app = createHttpServer({
    log: calmLog,
    clock,
    ...(tls === undefined ? {} : { tls }),
    limits: { headerBytes: settings.requestHeaderLimit, connections: settings.connectionsMax },
    trustedProxies,
    problemHeaders: apiHeaders(settings.baseUrl),
  });
  countAnswers(app, createAnswerMetrics(metrics));
  // As patient as hand-outs: when they are refused for want of the database, the server is not ready.
  const isDatabaseUp = async () =>
    feed.isProven(provenLatelyMs) ||
    within(provenForMs, 'the database did not answer', feed.sync()).then(
      () => true,
      () => false,
    );
  const clockWatch = createClockWatch(database, clock, log);
  const heartbeat = createNodeHeartbeat({
    ...{ database, nodeId, version, keys: masterKeys, databaseNow: clockWatch.read, log, wait },
    recent: { messages: messaging.recentMessages, retrievals },
  });
  const readiness = createReadiness({
    needed: {
      database: isDatabaseUp,
      records: () => records.canRecord(),
      storage: () => heartbeat.canWrite(),
      master_key: () => masterKeys.lacking().length === 0,
      database_file: () => database.isInPlace(),
    },
    // Only wished: another server has no better clock, and hand-outs need no exact one.
    wished: { clock: () => clockWatch.isClose() },
  });
  registerProbes(app, readiness);
  createProbeMetrics(metrics, { isReady: async () => (await readiness()).ready, isDatabaseUp });
  let untrustedForwards = 0;
  const fromClients = {
    trustedProxies,
    onUntrustedForward(peer: string) {
      const address = parseAddress(peer);
      if (address === undefined || !loopback.has(address)) return;
      untrustedForwards += 1;
      calmLog.warn(
        {},
        'a proxy on this machine forwards requests, but WAXWING_TRUSTED_PROXIES is empty: every client looks like 127.0.0.1',
      );
    },
  };
  if (settings.modules.includes('certificates')) {
    registerRetrievalRoutes(app, { retrieve, ...fromClients });
    registerHttpChallenges(app, database);
    createExpiryMetric(metrics, database, clock);
    createOutdatedMetric(metrics, database, clock);
  }
  if (settings.modules.includes('messaging')) {
    createWaitingMetric(metrics, database, clock);
    registerMessageRoutes(app, {
      database,
      messages: messaging.sends,
      readPushStates: messaging.readPushStates,
      authenticate: createAuthenticateSender({
        facts: messaging.facts,
        feed,
        wrongTokens,
        clock,
        onRefused: messaging.metrics.refusedRequest,
      }),
      ...fromClients,
    });
  }

  createAlertMetric(metrics, database, clock);

  let supervisor: Supervisor | undefined;
  const workerStates = () =>
    (supervisor?.reports() ?? []).map(({ name, state, faults, lastFault }) => ({
      name,
      state,
      faults,
      last_fault: lastFault ?? null,
    }));
  const apiWorkers = registerManagementApi(app, {
    application,
    workers: workerStates,
    credentials: application.credentials,
    wrongTokens,
    ...fromClients,
  });

  const consoleFiles = readConsoleFiles(consoleFolder);
  if (consoleFiles === undefined)
    log.warn({}, 'the web console is not built, so it is not served; "npm start" builds it');
  else registerConsole(app, consoleFiles, settings.baseUrl);

  const chainJudge = createChainJudge({
    ...{ database, clock, wait, known: application.known },
    onError: (error, { certificate_id, id }) =>
      calmLog.error({ err: error, certificate: certificate_id, version: id }, 'a stored chain could not be judged'),
  });
  const workers: Worker[] = [
    feed.worker,
    application.retentionClock.worker,
    ...apiWorkers,
    heartbeat,
    records.worker,
    createAuditIndexer(database, wait),
    createAuditRetention(audit, clock, application.retentionClock, settings.auditRetention, log, wait),
    ...application.people.workers,
    ...(settings.modules.includes('certificates') ? [chainJudge, application.acme.createWorker()] : []),
    ...(settings.modules.includes('messaging') ? messaging.workers : []),
    ...(settings.alerts === 'on' ? [application.alerts.createWorker(metrics)] : []),
  ];
  if (database.dialect === 'sqlite') {
    workers.push(createDatabaseFileWatch(database, databaseFile(settings), log, wait));
  }
  if (tlsFiles !== undefined && tls !== undefined) {
    workers.push(createTlsWatch(tlsFiles, tls, (material) => replaceTls(app, material), log, wait, clock));
  }

  // Not ready, and without hand-outs, until the first answer.
  await unlessUnavailable(Promise.all([feed.sync(), application.retentionClock.advance()]), (error) =>
    log.warn({ err: error }, 'the database is slow to answer'),
  );
  const metricsServer =
    settings.metricsListen === undefined ? undefined : await listenForMetrics(metrics, settings.metricsListen);
  const challengeListeners: Server[] = [];
  let dnsResponder: DnsResponder | undefined;
  const closeListeners = async () => {
    for (const listener of [metricsServer, ...challengeListeners]) listener?.close();
    await dnsResponder?.close();
  };
  try {
    for (const listening of challengeListenersOf(application, calmLog)) challengeListeners.push(await listening());
    dnsResponder = await listenForDns(application, calmLog);
  } catch (error) {
    await closeListeners();
    throw error;
  }
  try {
    await app.listen({ host: settings.listen.host, port: settings.listen.port });
  } catch (error) {
    await closeListeners();
    throw listenProblem('WAXWING_LISTEN', settings.listen, error);
  }
  // Before the first push, so that none comes back to this server.
  for (const listener of [app.server, metricsServer, ...challengeListeners]) {
    const address = listener?.address() as AddressInfo | null | undefined;
    if (address) ownPorts.add(address.port);
  }
  supervisor = supervise(workers, { log, clock });
  // Keep compiled code now, not only after an orderly end.
  flushCompileCache();
  const url = urlOf(app.server.address(), tls !== undefined);

  return {
    url,
    probe: async () => probeOf(await readiness()),
    status: () => ({
      version,
      node_id: nodeId,
      url,
      workers: workerStates(),
      tokens_in_memory: facts.size,
      untrusted_forwards: untrustedForwards,
    }),
    async stop() {
      // One deadline for all parts.
      const deadline = clock.monotonic() + settings.shutdownGrace;
      const closed = app.close();
      app.server.closeIdleConnections();
      const cut = setTimeout(() => app.server.closeAllConnections(), settings.shutdownGrace / 2);
      await closed;
      clearTimeout(cut);
      await closeListeners();
      metricsServer?.closeAllConnections();
      await supervisor?.stop(Math.max(0, deadline - clock.monotonic()));
      // Only last-seen figures are lost: hand-outs were on disk before they left.
      await records.flush().catch((error) => log.error({ err: error }, 'last-seen figures were not written'));
    },
  };
}

/** The listeners on which authorities check proofs. */
function challengeListenersOf(
  { settings, database, acme }: Application,
  log: { warn(fields: object, message: string): void },
): (() => Promise<Server>)[] {
  const { http01Listen, tlsAlpnListen, baseUrl, modules } = settings;
  if (!modules.includes('certificates')) return [];
  const onError = (error: unknown) => log.warn({ err: error }, 'a challenge could not be answered');
  return [
    ...(http01Listen === undefined
      ? []
      : [() => listenForHttpChallenges({ database, baseUrl, onError }, http01Listen)]),
    ...(tlsAlpnListen === undefined
      ? []
      : [() => listenForAlpnChallenges({ database, parts: acme.parts }, tlsAlpnListen)]),
  ];
}

/** Managed delegation. */
async function listenForDns(
  { settings, database, clock }: Application,
  log: { warn(fields: object, message: string): void },
): Promise<DnsResponder | undefined> {
  const { dnsListen, dnsZone: zone, baseUrl, modules } = settings;
  if (dnsListen === undefined || zone === undefined || !modules.includes('certificates')) return undefined;
  const { listenForDnsQuestions } = await import('./certificates/acme/dns/delegation-responder.ts');
  const onFault = (error: unknown) => log.warn({ err: error }, 'a question about the zone could not be answered');
  return listenForDnsQuestions({ database, clock, zone, baseUrl, onFault }, dnsListen);
}

const loopback = networkSet(['127.0.0.0/8', '::1']);

function urlOf(address: ReturnType<Server['address']>, tls: boolean): string {
  const { address: host, port, family } = address as AddressInfo;
  return `${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
