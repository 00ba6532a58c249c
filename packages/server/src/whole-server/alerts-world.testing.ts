import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import type { Fact, FactSource } from '../alerts/rules/fact-source.ts';
import { type Notice, refused } from '../alerts/senders/notice.ts';
import type { SendNotices } from '../alerts/senders/send-notice.ts';
import { type AlertEngine, type AlertEngineNeeds, createAlertEngine } from '../alerts/telling/alert-engine.ts';
import { applicationOn } from '../cli/application.testing.ts';
import type { Application } from '../compose.ts';
import { factSources } from '../compose-alerts.ts';
import type { DatabaseKind } from '../database/database.ts';
import type { PushMinuteRow } from '../database/schema/push-tables.ts';
import { addActivity } from '../deployments/deployment-store.ts';
import { readLastBackup } from '../instance/last-backup.ts';
import { type MovingClock, movingClock } from '../push/push-world.testing.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
export const webhook = 'http://127.0.0.1:9/alerts';

export interface World {
  readonly application: Application;
  readonly clock: MovingClock;
  readonly start: number;
  /** What the instance's own sources say of each server. */
  readonly own: Map<string, Fact[]>;
  /** What was sent: when, to which kind of channel, and what. */
  readonly sent: { readonly day: number; readonly kind: string; readonly notices: readonly Notice[] }[];
  /** Kinds of channels that accept nothing at the moment. */
  readonly deaf: Set<string>;
  engine(server: string, other?: Partial<AlertEngineNeeds>): AlertEngine;
  day(): number;
  sources(server: string): readonly FactSource[];
}

export async function openWorld(t: TestContext, kind: DatabaseKind): Promise<World> {
  const clock = movingClock(Date.now());
  const start = clock.now();
  const open = await applicationOn(t, kind, { WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8' });
  const application = await open(clock);
  const { database, settings, messaging, masterKeys } = application;
  const own = new Map<string, Fact[]>();
  const sent: World['sent'] = [];
  const deaf = new Set<string>();
  const dayNow = () => Math.round(((clock.now() - start) / day) * 100) / 100;
  const send: SendNotices = async ({ kind }, notices) => {
    if (deaf.has(kind)) return refused('Not now.');
    sent.push({ day: dayNow(), kind, notices });
    return { kind: 'sent' };
  };
  const sources = (server: string): readonly FactSource[] => [
    ...factSources(database, settings, server, clock).filter(({ decides }) => !decides[0]?.startsWith('instance.')),
    {
      decides: ['instance.backup'],
      read: async () => [{ kind: 'backup', ...(await readLastBackup(database.db)) }],
    },
    {
      decides: ['instance.disk', 'instance.clock'],
      ofServer: server,
      read: async () => own.get(server) ?? [],
    },
  ];
  return {
    ...{ application, clock, start, own, sent, deaf, sources, day: dayNow },
    engine: (server, other) =>
      createAlertEngine({
        ...application,
        wait: async () => {},
        ring: masterKeys.ring,
        send,
        nodeId: server,
        limits: { pushFailingMs: 10 * minute, carrierDownMs: 300_000, notFetchedMs: day, backupAgeMs: 36 * hour },
        sources: sources(server),
        leaseMs: 10_000,
        everyMs: minute,
        keepMs: 90 * day,
        log: { info() {}, warn: (fields) => assert.fail(JSON.stringify(fields)) },
        ...{ attempts: messaging.attempts },
        ...other,
      }),
  };
}

export function tools({ application, clock }: World) {
  const { database, certificates, deployments, messaging } = application;
  const ca = makeTrialCa({ now: clock.now() });
  return {
    async importLeaf(organizationId: string, name: string, endsAt: number, onto?: string) {
      const leaf = ca.issue({ domains: [`${name}.example`], notAfter: Math.floor(endsAt / 1000) * 1000 });
      const files = [
        { name: 'chain.pem', bytes: Buffer.from(leaf.chainPem) },
        { name: 'key.pem', bytes: Buffer.from(leaf.keyPem) },
      ];
      return certificates.import('test', { organizationId, files, ...(onto !== undefined && { onto }) });
    },
    async deploy(certificateId: string, name: string) {
      const allow = ['192.0.2.1'];
      return (await deployments.create('test', { certificateId, name, allow })).deployment.id;
    },
    /** As a server's answer is recorded. */
    async fetch(organizationId: string, deploymentId: string, version: string) {
      const at = clock.now();
      const row = { organization_id: organizationId, deployment_id: deploymentId, last_address: '192.0.2.1' };
      const figures = { last_seen_at: at, version_since: at, successes: 1, not_modified: 0 };
      await addActivity(database, [{ ...row, ...figures, last_user_agent: 'curl/8', last_version: version }]);
    },
    async pushSetting(organizationId: string) {
      const url = 'http://127.0.0.1:9/pushes?secret=S3cret';
      return (await messaging.pushSettings.set('test', { organizationId, kind: 'status', url, enabled: true })).setting
        .id;
    },
    /** An attempt of this minute. */
    async attempted(organization_id: string, setting_id: string, delivered: 0 | 1) {
      const buckets = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`b${index}`, index === 0 ? 1 : 0]));
      const minuteOf = Math.floor(clock.now() / minute);
      const row = { organization_id, setting_id, minute: minuteOf, delivered, ...buckets };
      await database.db
        .insertInto('push_minute')
        .values(row as PushMinuteRow)
        .execute();
    },
  };
}

export const told = (world: World, kind: string) =>
  world.sent
    .filter((each) => each.kind === kind)
    .flatMap(({ day, notices }) => notices.map(({ type, subject }) => `${day} ${type}: ${subject}`));
