import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import { createPeople, type People, type SsoSettings } from './accounts/compose-accounts.ts';
import type { Operators } from './accounts/operator.ts';
import type { Credentials } from './api/actor.ts';
import { type AuditTrail, createAuditTrail } from './audit/audit-trail.ts';
import type { Ground } from './audit/ground.ts';
import type { AcmeParts } from './certificates/acme/acme-parts.ts';
import { machineRoots, readExtraRoots } from './certificates/chain/machine-roots.ts';
import { createCompletionQueue, createImportQueue } from './certificates/import-queue.ts';
import { type Certificates, createCertificates } from './certificates/manage-certificates.ts';
import { sealedPrivateKeys } from './certificates/sealed-keys.ts';
import { type Acme, composeAcme } from './compose-acme.ts';
import { type Alerts, composeAlerts } from './compose-alerts.ts';
import { composeMessaging, type Messaging } from './compose-messaging.ts';
import type { Settings } from './config/settings.ts';
import { type ChangeFeed, createChangeFeed } from './database/change-feed.ts';
import type { Database, OpenedDatabase } from './database/database.ts';
import { createDatabaseOutage } from './database/database-outage.ts';
import { migrate, readSchema } from './database/migrate.ts';
import { openDatabase } from './database/open-database.ts';
import { holdsDatabase } from './database/sqlite/database-file.ts';
import { deploymentsOfCertificates } from './deployments/deployments-of-certificates.ts';
import { createDeployments, type Deployments } from './deployments/manage-deployments.ts';
import { auditKeyStore, openAuditKey } from './instance/audit-key.ts';
import { LostDatabase } from './instance/lost-database.ts';
import { createMasterKeys, type MasterKeys, openMasterKeys, type SealedStore } from './instance/master-keys.ts';
import { readNodeId } from './instance/node-identity.ts';
import { openingProblem } from './instance/opening-problem.ts';
import { createRetentionClock, type RetentionClock } from './instance/retention-clock.ts';
import { createManagementKeys, type ManagementKeys } from './organizations/manage-management-keys.ts';
import { createFindManagementKey } from './organizations/management-key-facts.ts';
import { createOrganizations, type Organizations } from './organizations/organization.ts';
import type { TargetGuard } from './outbound/target-guard.ts';
import type { Clock } from './runtime/clock.ts';
import { loadedOnce } from './runtime/loaded-once.ts';
import { rateLimitedLog } from './runtime/rate-limited-log.ts';
import type { Telemetry } from './runtime/telemetry.ts';
import { version } from './runtime/version.ts';
import { wait } from './runtime/wait.ts';

const logLinesPerMinute = 60;

/** Everything Waxwing can do, on an open database. A server listens on top; the CLI may use it alone. */
export interface Application {
  readonly settings: Settings;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly database: Database;
  readonly feed: ChangeFeed;
  /** Decides what is old enough to be removed. */
  readonly retentionClock: RetentionClock;
  readonly audit: AuditTrail;
  readonly people: People;
  readonly operators: Operators;
  readonly organizations: Organizations;
  readonly managementKeys: ManagementKeys;
  /** How the management API finds out who asks. */
  readonly credentials: Credentials;
  readonly certificates: Certificates;
  readonly acme: Acme;
  /** The authorities at which chains may end. */
  readonly known: KnownAuthorities;
  readonly deployments: Deployments;
  readonly masterKeys: MasterKeys;
  readonly sealedStores: readonly SealedStore[];
  readonly messaging: Messaging;
  readonly alerts: Alerts;
  /** The ports on which this process listens, beside those in the settings. Added once known. */
  readonly ownPorts: Set<number>;
  close(): Promise<void>;
}

/** The embedded database's path. */
export function databaseFile(settings: Settings): string {
  return join(settings.data, 'waxwing.db');
}

/** Opens the configured database without touching its schema. */
export function connect(settings: Settings, telemetry: Telemetry): Promise<OpenedDatabase> {
  const log = (message: string, error: Error) => telemetry.log.error({ err: error }, message);
  const onMovedAside = (files: readonly string[]) =>
    telemetry.log.warn(
      { files },
      'the write-ahead log of another database was moved aside; it may hold all of its data',
    );
  return settings.databaseUrl === undefined
    ? openDatabase({ kind: 'sqlite', file: databaseFile(settings) }, { log, onMovedAside })
    : openDatabase({ kind: 'postgres', url: settings.databaseUrl.reveal(), poolSize: settings.databasePool }, { log });
}

/** Opens the database for migration and use. @throws LostDatabase when it is missing, but a key was in use */
export async function connectToUse(settings: Settings, telemetry: Telemetry): Promise<OpenedDatabase> {
  const file = settings.masterKeyFile;
  // Before the database: another server's first start names its key after making the schema.
  const hasKey = isNamed(file);
  if (hasKey && settings.databaseUrl === undefined && !holdsDatabase(databaseFile(settings)))
    throw new LostDatabase(file);
  const database = await connect(settings, telemetry);
  try {
    if (hasKey && (await readSchema(database)).current === 0) throw new LostDatabase(file);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Also by a link whose target is not mounted. */
function isNamed(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Builds every object that commands need once, in the order of dependencies. Closing is that order reversed.
 * @param acmeParts in place of the real ones, for tests
 * @throws Problem or a database error with a line for the operator; nothing stays open
 */
export async function openApplication(
  settings: Settings,
  clock: Clock,
  telemetry: Telemetry,
  { acmeParts: parts }: { readonly acmeParts?: AcmeParts } = {},
): Promise<Application> {
  const extraRoots = settings.extraRoots === undefined ? undefined : readExtraRoots(settings.extraRoots);
  mkdirSync(settings.data, { recursive: true, mode: 0o700 });
  const database = await connectToUse(settings, telemetry);
  try {
    await migrate(database, { clock });
    const file = settings.masterKeyFile;
    const nodeId = readNodeId(settings.data, database.dialect);
    const ring = await openMasterKeys({ database, file, clock });
    const audit = createAuditTrail(database, await openAuditKey(database, ring));
    // Strangers can cause its lines.
    const log = rateLimitedLog(telemetry.log, logLinesPerMinute, clock);
    const feed = createChangeFeed(database, clock, wait, {
      prompt: database.prompt,
      outage: createDatabaseOutage(log, clock),
    });
    const ground: Ground = { database, feed, audit, clock, wait };
    const retentionClock = createRetentionClock({ ...ground, log: telemetry.log });
    const ownPorts = new Set(configuredPorts(settings));
    const messaging = composeMessaging({
      ground,
      settings,
      nodeId,
      telemetry,
      retentionClock,
      ring: () => masterKeys.ring(),
      ownPorts: () => [...ownPorts],
    });
    const alerts = composeAlerts({
      ground,
      settings,
      nodeId,
      telemetry,
      retentionClock,
      ring: () => masterKeys.ring(),
      outbound: messaging,
      extraRoots,
    });
    const people = createPeople({
      ground,
      retentionClock,
      ring: () => masterKeys.ring(),
      baseUrl: settings.baseUrl,
      sessionLimits: {
        idleMs: settings.sessionIdle,
        absoluteMs: settings.sessionLimit,
        perAccount: settings.sessionsPerAccount,
      },
      sso: ssoSettings(settings),
      onError: (error) => telemetry.log.error({ err: error }, 'a refused sign-in was not recorded'),
      onSsoRefused: (refusal) => log.warn({ ...refusal }, 'a sign-in by the identity provider was refused'),
    });
    const known = machineRoots(extraRoots);
    const acme = composeAcme({
      ...{ ground, settings, nodeId, telemetry, known, parts, extraRoots },
      ring: () => masterKeys.ring(),
      ownPorts: () => [...ownPorts],
    });
    const sealedStores = [
      sealedPrivateKeys(database, feed),
      ...acme.sealedStores,
      auditKeyStore(database),
      ...messaging.sealedStores,
      alerts.sealedStore,
      people.sealedStore,
    ];
    const masterKeys = createMasterKeys({ database, file, clock, nodeId }, audit, ring, sealedStores);
    const organizations = createOrganizations(ground);
    const findManagementKey = createFindManagementKey({ db: database.db, feed, clock });
    const issuers = loadsIssuerFetch(messaging.guard, clock);
    const certificates = createCertificates({
      ...ground,
      ring: masterKeys.ring,
      maxImportBytes: settings.importLimit,
      turns: createImportQueue(settings.importsWaiting),
      completions: createCompletionQueue(),
      known,
      fetchIssuer: async (url, limits) => (await issuers.get()).fetch(url, limits),
      deployments: deploymentsOfCertificates(database, clock),
      issuing: acme.issuing,
    });
    const deployments = createDeployments(ground);
    return {
      settings,
      nodeId,
      clock,
      telemetry,
      database,
      feed,
      retentionClock,
      audit,
      people,
      operators: people.operators,
      organizations,
      managementKeys: createManagementKeys(ground),
      credentials: { findSession: people.sessions.find, findManagementKey },
      certificates,
      acme,
      known,
      deployments,
      masterKeys,
      sealedStores,
      messaging,
      alerts,
      ownPorts,
      async close() {
        await people.close();
        await issuers.close();
        await acme.close();
        await alerts.close();
        await messaging.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw openingProblem(settings.data, error);
  }
}

/** Only few imports fetch anything, so the code that dials is loaded with the first request. */
function loadsIssuerFetch(guard: TargetGuard, clock: Clock) {
  return loadedOnce(async () => {
    const { createFetchIssuer } = await import('./certificates/chain/fetch-issuer.ts');
    const { GuardedAgent } = await import('./outbound/guarded-agent.ts');
    const agent = new GuardedAgent({ guard, clock });
    return { fetch: createFetchIssuer({ agent, userAgent: `Waxwing/${version}` }), close: () => agent.close() };
  });
}

function configuredPorts({
  listen,
  metricsListen,
  http01Listen,
  tlsAlpnListen,
  dnsListen,
}: Settings): readonly number[] {
  const others = [metricsListen, http01Listen, tlsAlpnListen, dnsListen];
  return [listen.port, ...others.flatMap((each) => each?.port ?? [])];
}

/** Loading the settings has checked that an issuer's settings are complete. */
function ssoSettings(settings: Settings): SsoSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecret: settings.oidcClientSecret,
    clientSecretFile: settings.oidcClientSecretFile,
    allowedDomains: settings.oidcAllowedDomains,
    roleClaim: settings.oidcRoleClaim,
    roles: settings.oidcRoles,
  };
}
