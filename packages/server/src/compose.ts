import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Operators } from './accounts/operator.ts';
import { createOrganizations, type Organizations } from './accounts/organization.ts';
import { createPeople, type People, type SsoSettings } from './accounts/people.ts';
import { type AuditTrail, createAuditTrail } from './audit/audit-trail.ts';
import { type Certificates, createCertificates } from './certificates/manage-certificates.ts';
import { createMaterialTurns } from './certificates/material-turns.ts';
import { sealedPrivateKeys } from './certificates/sealed-keys.ts';
import { composeMessaging, type Messaging } from './compose-messaging.ts';
import type { Settings } from './config/settings.ts';
import { type ChangeFeed, createChangeFeed } from './database/change-feed.ts';
import { type Database, openDatabase } from './database/connect.ts';
import { holdsDatabase } from './database/database-file.ts';
import { createDatabaseOutage } from './database/database-outage.ts';
import { migrate, readSchema } from './database/migrate.ts';
import { createDeployments, type Deployments } from './deployments/manage-deployments.ts';
import { auditKeyStore, openAuditKey } from './instance/audit-key.ts';
import { LostDatabase } from './instance/lost-database.ts';
import { createMasterKeys, type MasterKeys, openMasterKeys, type SealedStore } from './instance/master-keys.ts';
import { readNodeId } from './instance/node-identity.ts';
import { openingProblem } from './instance/opening-problem.ts';
import { createRetentionClock, type RetentionClock } from './instance/retention-clock.ts';
import type { Clock } from './runtime/clock.ts';
import { rateLimitedLog } from './runtime/rate-limited-log.ts';
import type { Telemetry } from './runtime/telemetry.ts';
import { wait } from './runtime/wait.ts';

const logLinesPerMinute = 60;

/** Everything Waxwing can do, on an open database. A server listens on top of it; the CLI may use it alone. */
export interface Application {
  readonly settings: Settings;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly database: Database;
  readonly feed: ChangeFeed;
  /** What is old enough to be removed goes by this one. */
  readonly retentionClock: RetentionClock;
  readonly audit: AuditTrail;
  readonly people: People;
  readonly operators: Operators;
  readonly organizations: Organizations;
  readonly certificates: Certificates;
  readonly deployments: Deployments;
  readonly masterKeys: MasterKeys;
  readonly sealedStores: readonly SealedStore[];
  readonly messaging: Messaging;
  /** The ports on which this process listens, beside those that the settings name: added to when they are known. */
  readonly ownPorts: Set<number>;
  close(): Promise<void>;
}

/** Where the embedded database lies. */
export function databaseFile(settings: Settings): string {
  return join(settings.data, 'waxwing.db');
}

/** Opens the database as configured, without touching its schema. */
export function connect(settings: Settings, telemetry: Telemetry): Promise<Database> {
  const log = (message: string, error: Error) => telemetry.log.error({ err: error }, message);
  const onMovedAside = (files: readonly string[]) =>
    telemetry.log.warn(
      { files },
      'the write-ahead log of another database was moved aside; it may hold the whole of it',
    );
  return settings.databaseUrl === undefined
    ? openDatabase({ kind: 'sqlite', file: databaseFile(settings) }, { log, onMovedAside })
    : openDatabase({ kind: 'postgres', url: settings.databaseUrl.reveal(), poolSize: settings.databasePool }, { log });
}

/**
 * Opens the database for those who bring its schema up to date.
 * @throws LostDatabase where there is none, or an empty one, beside a key that was in use: nothing is made or changed then
 */
export async function connectToUse(settings: Settings, telemetry: Telemetry): Promise<Database> {
  const file = settings.masterKeyFile;
  // Looked at before the database: the first start of another server names its key after the schema is there.
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
 * Builds every object that a command may need once, in the order in which they depend on each other; closing is this
 * order reversed. What only a server needs start-server.ts builds on top.
 * @throws Problem or an error of the database with a line for the operator; nothing stays open then.
 */
export async function openApplication(settings: Settings, clock: Clock, telemetry: Telemetry): Promise<Application> {
  mkdirSync(settings.data, { recursive: true, mode: 0o700 });
  const database = await connectToUse(settings, telemetry);
  try {
    await migrate(database, { clock });
    const file = settings.masterKeyFile;
    const nodeId = readNodeId(settings.data, database.dialect);
    const ring = await openMasterKeys({ database, file, clock });
    const audit = createAuditTrail(database, await openAuditKey(database, ring));
    // Strangers cause its lines.
    const log = rateLimitedLog(telemetry.log, logLinesPerMinute, clock);
    const feed = createChangeFeed(database, clock, wait, createDatabaseOutage(log, clock));
    const retentionClock = createRetentionClock({ database, clock, log: telemetry.log, wait });
    const ownPorts = new Set(configuredPorts(settings));
    const messaging = composeMessaging({
      settings,
      nodeId,
      clock,
      telemetry,
      database,
      feed,
      audit,
      retentionClock,
      ring: () => masterKeys.ring(),
      ownPorts: () => [...ownPorts],
    });
    const people = createPeople({
      database,
      feed,
      audit,
      clock,
      retentionClock,
      ring: () => masterKeys.ring(),
      baseUrl: settings.baseUrl,
      sessionLimits: {
        idleMs: settings.sessionIdle,
        absoluteMs: settings.sessionLimit,
        perAccount: settings.sessionsPerAccount,
      },
      sso: ssoSettings(settings),
      wait,
      onError: (error) => telemetry.log.error({ err: error }, 'a refused sign-in was not recorded'),
      onSsoRefused: (refusal) => log.warn({ ...refusal }, 'a sign-in by the identity provider was refused'),
    });
    const sealedStores = [
      sealedPrivateKeys(database, feed),
      auditKeyStore(database),
      ...messaging.sealedStores,
      people.sealedStore,
    ];
    const masterKeys = createMasterKeys({ database, file, clock, nodeId }, audit, ring, sealedStores);
    const organizations = createOrganizations({ database, feed, audit, clock });
    const certificates = createCertificates({
      database,
      feed,
      audit,
      clock,
      ring: masterKeys.ring,
      maxImportBytes: settings.importLimit,
      turns: createMaterialTurns(settings.importsWaiting),
    });
    const deployments = createDeployments({ database, feed, audit, clock });
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
      certificates,
      deployments,
      masterKeys,
      sealedStores,
      messaging,
      ownPorts,
      async close() {
        await people.close();
        await messaging.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw openingProblem(settings.data, error);
  }
}

function configuredPorts({ listen, metricsListen }: Settings): readonly number[] {
  return [listen.port, ...(metricsListen === undefined ? [] : [metricsListen.port])];
}

/** Loading the settings has seen to it that what belongs to an issuer is there. */
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
