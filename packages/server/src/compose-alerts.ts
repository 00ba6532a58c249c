import { statfs } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import type { Registry } from 'prom-client';
import { type AlertChannels, createAlertChannels } from './alerts/channels/manage-alert-channels.ts';
import { sealedAlertChannels } from './alerts/channels/sealed-alert-channels.ts';
import { expiryDays } from './alerts/rules/alert-rules.ts';
import type { FactSource } from './alerts/rules/fact-source.ts';
import type { MailSettings } from './alerts/senders/email.ts';
import type { SendNotices } from './alerts/senders/send-notice.ts';
import { createAlertEngine } from './alerts/telling/alert-engine.ts';
import { createDeliveryMetric } from './alerts/telling/alert-metrics.ts';
import type { Ground } from './audit/ground.ts';
import { listDownCarriers } from './carriers/links/down-carriers.ts';
import { listFailingRequests } from './certificates/acme/requests/failing-requests.ts';
import type { Messaging } from './compose-messaging.ts';
import type { Settings } from './config/settings.ts';
import type { Database } from './database/database.ts';
import { listExpiring } from './deployments/expiring-certificates.ts';
import { readDeployed } from './deployments/rollout.ts';
import { readClockDifference } from './instance/clock-watch.ts';
import { isAlive, listNodes } from './instance/instance-store.ts';
import { readLastBackup } from './instance/last-backup.ts';
import type { SealedStore } from './instance/master-keys.ts';
import { serverOf } from './instance/node-identity.ts';
import type { AttemptThread } from './outbound/attempt-thread.ts';
import type { TargetGuard } from './outbound/target-guard.ts';
import { readSettingOutcomes } from './push/history/setting-outcomes.ts';
import type { Clock } from './runtime/clock.ts';
import { loadedOnce } from './runtime/loaded-once.ts';
import { rateLimitedLog } from './runtime/rate-limited-log.ts';
import type { Worker } from './runtime/supervisor.ts';
import type { Telemetry } from './runtime/telemetry.ts';
import { version } from './runtime/version.ts';
import type { KeyRing } from './secrets/key-ring.ts';

/** Alerts: their channels, and the worker that sends them. */
export interface Alerts {
  readonly channels: AlertChannels;
  readonly sealedStore: SealedStore;
  /** Only servers run it. @param metrics of the server that runs it */
  createWorker(metrics: Registry): Worker;
  /** Closes connections to receivers. */
  close(): Promise<void>;
}

interface AlertsNeeds {
  readonly ground: Ground;
  readonly settings: Settings;
  readonly nodeId: string;
  readonly telemetry: Telemetry;
  readonly retentionClock: Pick<Clock, 'now'>;
  readonly ring: () => KeyRing;
  readonly outbound: Pick<Messaging, 'attempts' | 'guard'>;
  /** PEM of authorities beside those of this machine. */
  readonly extraRoots: string | undefined;
}

const logLinesPerMinute = 60;

export function composeAlerts(needs: AlertsNeeds): Alerts {
  const { ground, settings, nodeId, telemetry, ring } = needs;
  const { database, feed, clock } = ground;
  const log = rateLimitedLog(telemetry.log, logLinesPerMinute, clock);
  const sender = lazySender(mailSettings(settings, needs.extraRoots), clock, needs.outbound);
  return {
    channels: createAlertChannels({ ...ground, ring, guard: needs.outbound.guard, send: sender.send }),
    sealedStore: sealedAlertChannels(database, feed),
    createWorker: (metrics) =>
      createAlertEngine({
        ...ground,
        nodeId,
        ring,
        send: sender.send,
        limits: {
          pushFailingMs: settings.alertPushFailing,
          carrierDownMs: settings.alertCarrierDown,
          notFetchedMs: settings.alertNotFetched,
          backupAgeMs: settings.alertBackupAge,
        },
        sources: factSources(database, settings, nodeId, clock),
        leaseMs: settings.pushLease,
        everyMs: settings.alertEvery,
        keepMs: settings.alertRetention,
        retentionClock: needs.retentionClock,
        onResult: createDeliveryMetric(metrics),
        log,
      }).worker,
    close: sender.close,
  };
}

const dayMs = 86_400_000;

/** The facts of each domain. */
export function factSources(
  database: Database,
  settings: Pick<Settings, 'modules' | 'data'>,
  nodeId: string,
  clock: Clock,
): readonly FactSource[] {
  const own = serverOf(nodeId);
  const has = (module: Settings['modules'][number]) => settings.modules.includes(module);
  const isOwnDatabase = database.dialect === 'sqlite';
  return [
    ...(has('certificates')
      ? [expiringCertificates(database), failingOrders(database), deployedCertificates(database)]
      : []),
    ...(has('messaging') ? [failingPushes(database), downCarriers(database, clock)] : []),
    // Backups of PostgreSQL are made beside this service.
    ...(isOwnDatabase ? [lastBackup(database)] : []),
    diskSpace(settings.data, own),
    // SQLite has this server's clock, and no other server.
    ...(isOwnDatabase ? [] : [clockDifference(database, clock, own), runningServers(database, clock)]),
  ];
}

function expiringCertificates(database: Database): FactSource {
  return {
    decides: ['certificate.expiring'],
    async read(now) {
      const found = await listExpiring(database, { now, before: now + expiryDays[0] * dayMs });
      return found.map((each) => ({ kind: 'certificate', ...each }));
    },
  };
}

function failingOrders(database: Database): FactSource {
  return {
    decides: ['certificate.issuance-failed', 'certificate.renewal-failed'],
    read: async () => (await listFailingRequests(database)).map((each) => ({ kind: 'issuing', ...each })),
  };
}

function deployedCertificates(database: Database): FactSource {
  return {
    decides: ['deployment.outdated', 'certificate.rollout-complete'],
    async read(now, eventsSince) {
      const { outdated, rollouts } = await readDeployed(database, now, eventsSince);
      return [
        ...outdated.map(({ organizationId, id, name, certificateName: certificate, since }) => {
          return { kind: 'outdated' as const, organizationId, id, name, certificate, since };
        }),
        ...rollouts.map(({ certificateId: id, certificateName: name, ...rollout }) => {
          return { kind: 'rollout' as const, id, name, ...rollout };
        }),
      ];
    },
  };
}

function failingPushes(database: Database): FactSource {
  return {
    decides: ['push.failing'],
    read: async () =>
      (await readSettingOutcomes(database)).map(({ kind, ...outcome }) => ({
        ...outcome,
        kind: 'push',
        pushes: kind,
      })),
  };
}

function downCarriers(database: Database, clock: Clock): FactSource {
  const began = clock.now();
  return {
    decides: ['carrier.down'],
    read: async () => (await listDownCarriers(database, began)).map((each) => ({ kind: 'carrier', ...each })),
  };
}

function lastBackup(database: Database): FactSource {
  return {
    decides: ['instance.backup'],
    read: async () => [{ kind: 'backup', ...(await readLastBackup(database.db)) }],
  };
}

type Server = ReturnType<typeof serverOf>;

function diskSpace(folder: string, own: Server): FactSource {
  return {
    decides: ['instance.disk'],
    ofServer: own.server,
    async read() {
      const { bavail, blocks, bsize } = await statfs(folder);
      return [{ kind: 'disk', ...own, freeBytes: bavail * bsize, bytes: blocks * bsize }];
    },
  };
}

function clockDifference(database: Database, clock: Clock, own: Server): FactSource {
  return {
    decides: ['instance.clock'],
    ofServer: own.server,
    async read() {
      const { differenceMs } = await readClockDifference(database, clock);
      return [{ kind: 'clock', ...own, aheadMs: differenceMs }];
    },
  };
}

/** A server that starts again within that time has not left. */
const leftAfterMs = 600_000;

/** By it ends what was told of servers that are gone. */
export function runningServers(database: Pick<Database, 'db'>, clock: Clock): FactSource {
  const began = clock.now();
  const seenAt = new Map<string, number>();
  return {
    decides: ['instance.disk', 'instance.clock'],
    async read(now) {
      const nodes = await listNodes(database.db);
      for (const { id } of nodes.filter((node) => isAlive(node, now))) seenAt.set(serverOf(id).server, now);
      // One that is about to start again was not seen yet.
      if (now - began < leftAfterMs) return undefined;
      const running = [...seenAt].filter(([, at]) => now - at < leftAfterMs).map(([server]) => server);
      return running.flatMap((server) =>
        (['instance.disk', 'instance.clock'] as const).map((decides) => ({ kind: 'server', server, decides }) as const),
      );
    },
  };
}

/** The code that dials is loaded with the first alert: a server that sends none needs none of its memory. */
function lazySender(
  mail: MailSettings | undefined,
  clock: Clock,
  { attempts, guard }: { readonly attempts: AttemptThread; readonly guard: TargetGuard },
): { readonly send: SendNotices; close(): Promise<void> } {
  const sender = loadedOnce(async () => {
    const { GuardedAgent } = await import('./outbound/guarded-agent.ts');
    const { createNoticeSender } = await import('./alerts/senders/send-notice.ts');
    const agent = new GuardedAgent({ guard, clock });
    const userAgent = `Waxwing/${version}`;
    return { send: createNoticeSender({ agent, attempts, mail, clock, userAgent }), close: () => agent.close() };
  });
  return { send: async (...call) => (await sender.get()).send(...call), close: sender.close };
}

function mailSettings(
  { smtpUrl: server, smtpPasswordFile: passwordFile, mailFrom: from }: Settings,
  extraRoots: string | undefined,
): MailSettings | undefined {
  if (server === undefined || from === undefined) return undefined;
  const authorities = extraRoots === undefined ? {} : { authorities: [...getCACertificates('default'), extraRoots] };
  return { server, passwordFile, from, ...authorities };
}
