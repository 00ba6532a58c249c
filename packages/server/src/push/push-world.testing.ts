import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { PushKind } from '@waxwing/contract/push-request.ts';
import { Registry } from 'prom-client';
import { type AuditTrail, createAuditTrail } from '../audit/audit-trail.ts';
import { type ChangeFeed, createChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import type { PushAttemptRow, PushHistoryRow, PushRow } from '../database/schema/push-tables.ts';
import type { Open } from '../database/testing.ts';
import { networkSet } from '../http/request/ip-address.ts';
import { createOrganizations, type Organizations } from '../organizations/organization.ts';
import { attemptDelivery } from '../outbound/attempt.ts';
import type { AttemptThread } from '../outbound/attempt-thread.ts';
import { GuardedAgent } from '../outbound/guarded-agent.ts';
import { ownEndpoints } from '../outbound/own-endpoints.ts';
import type { TargetGuard } from '../outbound/target-guard.ts';
import type { Clock } from '../runtime/clock.ts';
import { keyCheck } from '../secrets/key-material.ts';
import { type KeyRing, newMasterKey } from '../secrets/key-ring.ts';
import { createPushEngine, type PushEngine, type PushEngineNeeds } from './engine/push-engine.ts';
import { createPushSettings, type PushSettings } from './manage-push-settings.ts';
import { createPushes, type Pushes } from './manage-pushes.ts';
import { createOutbox, type MissedEvents, type Outbox, type PushEvent } from './outbox/outbox.ts';
import type { PushSetting } from './settings/push-setting.ts';
import { createSettingFactsReader } from './settings/setting-facts.ts';

/** A clock that moves when it is told to. */
export interface MovingClock extends Clock {
  advance(ms: number): void;
  /** Sets the wall clock alone, as an administrator or a time server does. */
  jump(ms: number): void;
}

export function movingClock(start = Date.UTC(2026, 0, 1)): MovingClock {
  let passed = 0;
  let offset = start;
  return {
    now: () => offset + passed,
    monotonic: () => passed,
    advance(ms) {
      passed += ms;
    },
    jump(ms) {
      offset += ms;
    },
  };
}

/** Push engines over a fresh database, with settings of two organizations; pushes may go to loopback. */
export interface PushWorld {
  readonly database: Database;
  readonly clock: MovingClock;
  readonly feed: ChangeFeed;
  readonly audit: AuditTrail;
  readonly outbox: Outbox;
  readonly missed: MissedEvents;
  readonly organizations: Organizations;
  readonly settings: PushSettings;
  readonly pushes: Pushes;
  readonly organizationId: string;
  readonly otherOrganizationId: string;
  readonly guard: TargetGuard;
  readonly log: string[];
  ring(): KeyRing;
  /** Another server on the same database, or on another view of it. */
  engine(options?: Partial<PushEngineNeeds>): PushEngine;
  /** Lets everything that is under way end. */
  quiet(...engines: readonly PushEngine[]): Promise<void>;
  /** Turns the clock on, and looks: as the worker does. */
  later(ms: number, ...engines: readonly PushEngine[]): Promise<void>;
  waiting(): Promise<PushRow[]>;
  history(): Promise<PushHistoryRow[]>;
  attempts(): Promise<PushAttemptRow[]>;
}

export const RETRY_WAITS = [30_000, 120_000, 600_000, 1_800_000];
const loopback = networkSet(['127.0.0.0/8', '::1']);

/** Nothing is kept beside pushes. */
const nothingMissed = (): MissedEvents => ({
  markBefore: async () => 0,
  enqueue: async (_trx, { after }) => ({ after, queued: 0, isLast: true, committed() {} }),
});

/** @param createMissed what the message gateway joins, where a test is about it */
export async function openPushWorld(
  t: TestContext,
  open: Open,
  createMissed: (needs: { readonly database: Database; readonly outbox: Outbox }) => MissedEvents = nothingMissed,
): Promise<PushWorld> {
  let isOver = false;
  // Before the database closes: an engine that a failed assertion left behind would offer its outcomes to it for ever.
  t.after(() => {
    isOver = true;
  });
  const database = await open(t);
  const clock = movingClock();
  const audit = createAuditTrail(database, randomBytes(32));
  const feed = createChangeFeed(database, clock, async () => {});
  await feed.sync();
  const key = newMasterKey(1, randomBytes);
  const ring: KeyRing = { current: key, keys: [key] };
  await database.db
    .insertInto('master_key')
    .values({ id: key.id, key_check: keyCheck(key.key), created_at: key.createdAt })
    .execute();
  const organizations = createOrganizations({ database, feed, audit, clock });
  const { id: organizationId } = await organizations.create('test', 'Acme');
  const { id: otherOrganizationId } = await organizations.create('test', 'Other');
  const outbox = createOutbox({ database, clock });
  const guard: TargetGuard = { allowed: loopback, own: ownEndpoints(() => []), resolve: async () => [] };
  const log: string[] = [];
  const write = (fields: Record<string, unknown>, message: string) => {
    log.push(`${message}${fields.err instanceof Error ? `: ${fields.err.message}` : ''}`);
  };
  const agents: GuardedAgent[] = [];
  /** In this thread, where the clock can be moved. */
  const newAttempts = (): Pick<AttemptThread, 'attempt'> => {
    const agent = new GuardedAgent({ guard, clock });
    agents.push(agent);
    return { attempt: (request, limits) => attemptDelivery(agent, request, { ...limits, clock }) };
  };
  t.after(() => {
    for (const agent of agents) agent.close();
  });
  const missed = createMissed({ database, outbox });
  const shared = { database, feed, audit, clock, ring: () => ring };
  const engine = (options: Partial<PushEngineNeeds> = {}) =>
    createPushEngine({
      database,
      outbox,
      missed,
      facts: createSettingFactsReader({ db: database.db, feed, ring: () => ring }),
      attempts: newAttempts(),
      clock,
      random: () => 0.5,
      metrics: new Registry(),
      log: { info: write, warn: write, error: write },
      wait: async () => {
        await (isOver ? new Promise(() => {}) : setImmediate());
      },
      nodeId: 'node-1',
      userAgent: 'Waxwing/test',
      retryWaits: RETRY_WAITS,
      concurrency: 256,
      settingConcurrency: 64,
      resendRate: 100,
      leaseMs: 10_000,
      beginWithinMs: 5_000,
      stopMs: 1_000,
      ...options,
    });
  const quiet = async (...engines: readonly PushEngine[]) => {
    await setImmediate();
    while (engines.some(({ isAtWork }) => isAtWork)) await setImmediate();
  };
  return {
    database,
    clock,
    feed,
    audit,
    outbox,
    missed,
    organizations,
    settings: createPushSettings({
      ...shared,
      guard,
      attempts: newAttempts(),
      userAgent: 'Waxwing/test',
      sampleOf: (kind, sample) => ({ of: `${kind} ${sample}` }),
    }),
    pushes: createPushes({ ...shared, missed }),
    organizationId,
    otherOrganizationId,
    guard,
    log,
    ring: () => ring,
    engine,
    quiet,
    async later(ms, ...engines) {
      clock.advance(ms);
      for (const each of engines) {
        await each.beat();
        await each.look();
      }
      await quiet(...engines);
    },
    waiting: () => database.db.selectFrom('push').selectAll().orderBy('id').execute(),
    history: () => database.db.selectFrom('push_history').selectAll().orderBy('id').execute(),
    attempts: () => database.db.selectFrom('push_attempt').selectAll().orderBy('push_id').orderBy('number').execute(),
  };
}

export function statusOf(organizationId: string, batchId = 'b1', status: 'DELIVRD' | 'UNDELIV' = 'DELIVRD'): PushEvent {
  return { organizationId, kind: 'status', query: { batch_id: batchId, mobile: '13800138000', status } };
}

export function replyOf(organizationId: string, message = 'yes'): PushEvent {
  return { organizationId, kind: 'uplink', query: { mobile: '+8613800138000', message } };
}

/** Switches pushes of a kind on, to this path of a receiver. */
export async function pointTo(
  world: PushWorld,
  organizationId: string,
  port: number,
  options: { readonly kind?: PushKind; readonly retries?: number; readonly concurrency?: number } = {},
): Promise<string> {
  const { kind = 'status', ...limits } = options;
  const { setting } = await world.settings.set('test', {
    organizationId,
    kind,
    url: `http://127.0.0.1:${port}/${kind}`,
    enabled: true,
    ...limits,
  });
  return setting.id;
}

/** Accepts events and tells the ids of their pushes. */
export async function accept(world: PushWorld, ...events: readonly PushEvent[]): Promise<string[]> {
  const enqueued = await Promise.all(events.map((event) => world.outbox.accept(event)));
  return enqueued.map((result) => {
    assert.ok(result.state === 'queued');
    return result.pushId;
  });
}

/** A setting that must be there. */
export async function settingOf(
  settings: Pick<PushSettings, 'find'>,
  organizationId: string,
  kind: PushKind,
): Promise<PushSetting> {
  const setting = await settings.find(organizationId, kind);
  assert.ok(setting, `there is a push setting for ${kind}`);
  return setting;
}

/** Those that are there. */
export async function settingsOf(settings: Pick<PushSettings, 'find'>, organizationId: string): Promise<PushSetting[]> {
  const both = [await settings.find(organizationId, 'status'), await settings.find(organizationId, 'uplink')];
  return both.filter((setting) => setting !== undefined);
}
