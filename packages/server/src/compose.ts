import { mkdirSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { createOperators, type Operators } from './accounts/operator.ts';
import { createOrganizations, type Organizations } from './accounts/organization.ts';
import { createAuditRetention } from './audit/audit-retention.ts';
import { type AuditTrail, createAuditTrail } from './audit/audit-trail.ts';
import { type Certificates, createCertificates } from './certificates/manage-certificates.ts';
import { sealedPrivateKeys } from './certificates/sealed-keys.ts';
import type { Settings } from './config/settings.ts';
import { type ChangeFeed, createChangeFeed } from './database/change-feed.ts';
import { type Database, openDatabase } from './database/connect.ts';
import { migrate } from './database/migrate.ts';
import { createDeployments, type Deployments } from './deployments/manage-deployments.ts';
import { createRequestRate } from './deployments/request-rate.ts';
import { createRetrievalFacts } from './deployments/retrieval-facts.ts';
import { createRetrievalMetrics } from './deployments/retrieval-metrics.ts';
import { createRetrievalRecords } from './deployments/retrieval-records.ts';
import { registerRetrievalRoutes } from './deployments/retrieval-routes.ts';
import { createRetrieveCertificate } from './deployments/retrieve-certificate.ts';
import { networkSet, parseAddress } from './http/ip-address.ts';
import { listenForMetrics } from './http/metrics-listener.ts';
import { registerProbes } from './http/probes.ts';
import { createHttpServer, replaceTls } from './http/server.ts';
import { createTlsWatch, readTlsFiles } from './http/tls-files.ts';
import { createWrongTokenLimit } from './http/wrong-token-limit.ts';
import { auditKeyStore, openAuditKey } from './instance/audit-key.ts';
import { createMasterKeys, type MasterKeys, openMasterKeys, type SealedStore } from './instance/master-keys.ts';
import { createNodeHeartbeat } from './instance/node-heartbeat.ts';
import { readNodeId } from './instance/node-identity.ts';
import type { Clock } from './runtime/clock.ts';
import { rateLimitedLog } from './runtime/rate-limited-log.ts';
import { supervise, type Worker, type WorkerReport } from './runtime/supervisor.ts';
import type { Telemetry } from './runtime/telemetry.ts';
import { version } from './runtime/version.ts';
import { wait } from './runtime/wait.ts';

/** Everything Waxwing can do, on an open database. A server listens on top of it; the CLI may use it alone. */
export interface Application {
  readonly settings: Settings;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly audit: AuditTrail;
  readonly operators: Operators;
  readonly organizations: Organizations;
  readonly certificates: Certificates;
  readonly deployments: Deployments;
  readonly masterKeys: MasterKeys;
  readonly sealedStores: readonly SealedStore[];
  close(): Promise<void>;
}

export interface RunningServer {
  /** Where it listens, with the port that was really taken. */
  readonly url: string;
  status(): ServerStatus;
  /** Ends within the configured grace: no new requests, running ones answered, what waits written. */
  stop(): Promise<void>;
}

export interface ServerStatus {
  readonly version: string;
  readonly node_id: string;
  readonly url: string;
  readonly workers: readonly WorkerReport[];
  readonly tokens_in_memory: number;
  /** Requests from loopback that carried X-Forwarded-For although no proxy is trusted. */
  readonly untrusted_forwards: number;
}

/** Where the embedded database lies. */
export function databaseFile(settings: Settings): string {
  return join(settings.data, 'waxwing.db');
}

/** Opens the database as configured, without touching its schema. */
export function connect(settings: Settings, telemetry: Telemetry): Promise<Database> {
  const log = (message: string, error: Error) => telemetry.log.error({ err: error }, message);
  return settings.databaseUrl === undefined
    ? openDatabase({ kind: 'sqlite', file: databaseFile(settings) }, { log })
    : openDatabase({ kind: 'postgres', url: settings.databaseUrl.reveal(), poolSize: settings.databasePool }, { log });
}

/**
 * Builds every object once, in the order in which they depend on each other; closing is this order reversed.
 * @throws Problem or an error of the database with a line for the operator; nothing stays open then.
 */
export async function openApplication(settings: Settings, clock: Clock, telemetry: Telemetry): Promise<Application> {
  mkdirSync(settings.data, { recursive: true, mode: 0o700 });
  const database = await connect(settings, telemetry);
  try {
    await migrate(database, { clock });
    const file = settings.masterKeyFile;
    const nodeId = readNodeId(settings.data);
    const ring = await openMasterKeys({ database, file, clock });
    const audit = createAuditTrail(database, await openAuditKey(database, ring));
    const feed = createChangeFeed(database, clock, wait);
    const sealedStores = [sealedPrivateKeys(database, feed), auditKeyStore(database)];
    const masterKeys = createMasterKeys({ database, file, clock, nodeId }, audit, ring, sealedStores);
    const operators = createOperators({ database, audit, clock });
    const organizations = createOrganizations({ database, feed, audit, clock });
    const certificates = createCertificates({ database, feed, audit, clock, ring: masterKeys.ring });
    const deployments = createDeployments({ database, feed, audit, clock });
    return {
      settings,
      nodeId,
      clock,
      telemetry,
      database,
      feed,
      audit,
      operators,
      organizations,
      certificates,
      deployments,
      masterKeys,
      sealedStores,
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const logLinesPerMinute = 60;

/** Listens, and starts the workers. @throws when the address is taken or the own TLS files are not usable. */
export async function startServer(application: Application): Promise<RunningServer> {
  const { settings, nodeId, clock, telemetry, database, feed, audit, masterKeys } = application;
  const { log, metrics } = telemetry;
  const calmLog = rateLimitedLog(log, logLinesPerMinute, clock);

  const facts = createRetrievalFacts({
    db: database.db,
    feed,
    timeZone: settings.timeZone,
    maxEntries: settings.retrievalCache,
  });
  const records = createRetrievalRecords({
    database,
    audit,
    clock,
    maxWaiting: settings.recordsWaiting,
    flushMs: settings.activityFlush,
    wait,
  });
  const retrieve = createRetrieveCertificate({
    facts,
    feed,
    records,
    wrongTokens: createWrongTokenLimit({ limit: settings.wrongTokensPerMinute }),
    requestRate: createRequestRate(settings.retrievalCache),
    ring: masterKeys.ring,
    clock,
    metrics: createRetrievalMetrics(metrics, facts),
  });

  const tlsFiles =
    settings.tlsCertificate === undefined || settings.tlsKey === undefined
      ? undefined
      : { certificate: settings.tlsCertificate, key: settings.tlsKey };
  const tls = tlsFiles === undefined ? undefined : readTlsFiles(tlsFiles);
  const app = createHttpServer({
    log: calmLog,
    clock,
    ...(tls === undefined ? {} : { tls }),
    limits: { headerBytes: settings.requestHeaderLimit, connections: settings.connectionsMax },
  });
  registerProbes(app, () => feed.isProven(5_000));
  let untrustedForwards = 0;
  if (settings.modules.includes('certificates')) {
    registerRetrievalRoutes(app, {
      retrieve,
      trustedProxies: networkSet(settings.trustedProxies),
      onUntrustedForward(peer) {
        const address = parseAddress(peer);
        if (address === undefined || !loopback.has(address)) return;
        untrustedForwards += 1;
        calmLog.warn(
          {},
          'a proxy on this machine forwards requests, but WAXWING_TRUSTED_PROXIES is empty: every client looks like 127.0.0.1',
        );
      },
    });
  }

  const workers: Worker[] = [
    feed.worker,
    createNodeHeartbeat({ database, nodeId, version, keys: masterKeys, wait }),
    records.worker,
    createAuditRetention(audit, clock, settings.auditRetention, log, wait),
  ];
  if (tlsFiles !== undefined && tls !== undefined) {
    workers.push(createTlsWatch(tlsFiles, tls, (material) => replaceTls(app, material), log, wait));
  }

  await feed.sync();
  await app.listen({ host: settings.listen.host, port: settings.listen.port });
  const metricsServer =
    settings.metricsListen === undefined ? undefined : await listenForMetrics(metrics, settings.metricsListen);
  const supervisor = supervise(workers, { log, clock });
  const url = urlOf(app.server.address(), tls !== undefined);

  return {
    url,
    status: () => ({
      version,
      node_id: nodeId,
      url,
      workers: supervisor.reports(),
      tokens_in_memory: facts.size,
      untrusted_forwards: untrustedForwards,
    }),
    async stop() {
      const closed = app.close();
      app.server.closeIdleConnections();
      const cut = setTimeout(() => app.server.closeAllConnections(), settings.shutdownGrace);
      await closed;
      clearTimeout(cut);
      metricsServer?.close();
      metricsServer?.closeAllConnections();
      await supervisor.stop(settings.shutdownGrace);
      await records.flush();
    },
  };
}

const loopback = networkSet(['127.0.0.0/8', '::1']);

function urlOf(address: ReturnType<Server['address']>, tls: boolean): string {
  const { address: host, port, family } = address as AddressInfo;
  return `${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${host}]` : host}:${port}`;
}
