import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockLeases } from '../database/lease-store.ts';
import type { AttemptBuckets, PushMinuteRow, PushResendRow } from '../database/push-tables.ts';
import { assertNoWaste, fillTable, type Questions, type Waste } from '../database/query-plan.testing.ts';
import type { Tables } from '../database/tables.ts';
import { onBothDatabases } from '../database/testing.ts';
import { newId } from '../runtime/clock.ts';
import { bucketNames } from './push-figures.ts';
import {
  findEnded,
  findEndedOf,
  findWaiting,
  findWaitingIds,
  listAttempts,
  listEnded,
  listHistory,
  listWaiting,
  readFigures,
} from './push-list-store.ts';
import { addMinutes, forgetOldestMinute, readMinutes, sumMinutes } from './push-minute-store.ts';
import { forgetOldPushes } from './push-retention.ts';
import { findSecrets, findSetting, findSettings } from './push-setting-store.ts';
import { insertWaiting, readStates } from './push-store.ts';
import { advanceResend, countUndelivered, listResends, moveBack, readUndelivered } from './resend-store.ts';
import { settlementQueries } from './settlement-store.ts';
import { filePushes, readUnfiled } from './unfiled-store.ts';
import { pullForward, readDue, readToEnd, readWaitingSettings } from './waiting-store.ts';

const settings = 100;
const rowsEach = 20_000;
const year = 365 * 86_400_000;
/** A page holds a few rows of it: the planner would rather read the whole of a small table. */
const payload = JSON.stringify({ batch_id: 'b', mobile: '+8613800138000', status: 'REJECTED', memo: 'x'.repeat(400) });

const organizationOf = (n: number) => `o${n % settings}`;
const settingOf = (n: number) => `s${n % settings}`;
const shardOf = (n: number) => n % 64;
const idOf = (n: number) => newId(year + n, new Uint8Array(10));
const attempt = { at: 1, ms: 1, address: null, outcome: 'refused', status: null, error: null, excerpt: null };

const rows: { readonly [Table in keyof Tables]?: (n: number) => Tables[Table] } = {
  push: (n) => ({
    ...{ organization_id: organizationOf(n), id: idOf(n), setting_id: settingOf(n), shard: shardOf(n % settings) },
    ...{ due_at: n, queued_at: n, created_at: n, attempts: 1, attempts_before: 0, payload },
    filed: n % 100 === 0 ? 0 : 1,
  }),
  // One in ten was not delivered.
  push_history: (n) => ({
    ...{ organization_id: organizationOf(n), id: idOf(n), setting_id: settingOf(n), payload, ...attempt },
    ...{ state: n % 10 === 0 ? 'failed' : 'delivered', created_at: n, ended_at: n, attempts: 2 },
  }),
  push_attempt: (n) => ({
    ...{ organization_id: organizationOf(n), push_id: idOf(n), number: 1, ...attempt, error: 'x'.repeat(200) },
  }),
  push_setting: (n) => ({
    ...{ organization_id: organizationOf(n), id: settingOf(n), kind: 'status', shard: shardOf(n), url: 'https://a.b/' },
    ...{ enabled: 1, timeout_ms: 1, retries: 3, concurrency: 1, created_at: 1, updated_at: 1, switched_at: 1 },
    ...{ sealed_query: null, query_key_id: null },
  }),
  push_minute: (n) => minuteOf(n),
  organization: (n) => ({ id: organizationOf(n), name: organizationOf(n), created_at: 1, suspended_at: null }),
};

function minuteOf(n: number): PushMinuteRow {
  const buckets = Object.fromEntries(bucketNames.map((name) => [name, 0])) as AttemptBuckets;
  return { organization_id: organizationOf(n), setting_id: settingOf(n), minute: n, delivered: 1, ...buckets };
}

const setting = rows.push_setting?.(7) ?? assert.fail();
const push = { organizationId: organizationOf(7), id: idOf(7) };
const lane = { shard: setting.shard, id: setting.id };
const resend: PushResendRow = {
  ...{ organization_id: organizationOf(7), id: 'r', setting_id: settingOf(7), shard: shardOf(7), states: 'failed,off' },
  ...{ reached: idOf(5), missed_since: null, missed_after: null, moved: 0, created_at: 1 },
};
const settlement = { ...push, lease: 'push/1', epoch: 1, attempts: 1, attempt };

/** Whatever is asked of a table that grows with what is pushed. */
const questions: Questions = {
  'which settings have something waiting': (database) => readWaitingSettings(database, [1, 2, 3]),
  'what is due too late': (database) => pullForward(database, [1, 2, 3], { latest: rowsEach - 10, now: 1 }),
  'what a setting has due': ({ db }) => readDue(db, lane, rowsEach, 100, { dueAt: 5, id: idOf(5) }),
  'what is to be filed': ({ db }) => readUnfiled(db, idOf(5_000), 100),
  'what is filed': (database) => filePushes(database, [push.id, idOf(100)]),
  'what is to be ended': ({ db }) => readToEnd(db, lane, 5_000, 500),
  'queue pushes': (database) =>
    database.runBatch([
      insertWaiting(database, [
        { ...push, id: 'new', kind: 'status', at: 1, payload: { batch_id: 'b', mobile: '1', status: 'DELIVRD' } },
      ]).compile(database.db),
    ]),
  'settle pushes': (database) =>
    database.runBatch(
      settlementQueries(database, [
        { ...settlement, end: { state: 'delivered', at: 1 } },
        { ...settlement, ...{ id: idOf(8), organizationId: organizationOf(8) }, end: { state: 'waiting', dueAt: 1 } },
        { ...settlement, ...{ id: idOf(9), organizationId: organizationOf(9) }, end: { state: 'off', at: 1 } },
      ])
        .slice(lockLeases(database, []).length)
        .map((query) => query.compile(database.db)),
    ),
  'move pushes back': (database) =>
    database.runBatch(moveBack(database, [push], 1).map((query) => query.compile(database.db))),
  'a step of a re-send': (database) => advanceResend(database, resend, [push.id], false, 1),
  're-sends under way': ({ db }) => listResends(db, [1, 2, 3]),
  'what was not delivered': ({ db }) => readUndelivered(db, resend, 100),
  'how far pushes have come': (database) => readStates(database, push.organizationId, [push.id, idOf(107)]),
  'a waiting push': ({ db }) => findWaiting(db, push.id),
  'an ended push': ({ db }) => findEnded(db, push.id),
  'its attempts': ({ db }) => listAttempts(db, { organization_id: push.organizationId, id: push.id }),
  'the waiting pushes of a setting': ({ db }) => listWaiting(db, setting, { before: idOf(9_000), limit: 50 }),
  'the ended ones': ({ db }) => listEnded(db, setting, { state: undefined, before: undefined, limit: 50 }),
  'the delivered ones': ({ db }) => listEnded(db, setting, { state: 'delivered', before: idOf(9_000), limit: 50 }),
  'the failed ones': ({ db }) => listEnded(db, setting, { state: 'failed', before: idOf(9_000), limit: 50 }),
  'how much waits and has failed': ({ db }) => readFigures(db, setting, 10_000),
  'whatever became of pushes': ({ db }) => listHistory(db, push.organizationId, { before: idOf(9_000), limit: 50 }),
  'what was accepted in some time': async ({ db }) => {
    const part = { before: idOf(9_000), from: idOf(8_000), limit: 50 };
    await listWaiting(db, setting, part);
    await listHistory(db, push.organizationId, part);
    await listEnded(db, setting, { state: 'failed', ...part });
  },
  'pushes that were selected': async ({ db }) => {
    await findEndedOf(db, push.organizationId, [push.id, idOf(107)]);
    await findWaitingIds(db, push.organizationId, [push.id, idOf(107)]);
  },
  'what is left of a re-send': ({ db }) => countUndelivered(db, resend, 10_000),
  'the minutes of a setting': ({ db }) => readMinutes(db, setting, 100),
  'the last minutes of all settings': ({ db }) => sumMinutes(db, rowsEach - 5, rowsEach),
  'figures that are too old': ({ db }) => forgetOldestMinute(db, 100),
  'figures that are added': (database) => addMinutes(database, [minuteOf(7), minuteOf(rowsEach)]),
  'what retention has passed': (database) => forgetOldPushes(database, year + 300, new AbortController().signal),
  'a setting with its secrets': async ({ db }) => {
    await findSetting(db, push.organizationId, 'status');
    await findSecrets(db, await findSettings(db, [setting.id]));
  },
};

const large = /\b(p|h|push|push_history|push_attempt|push_minute)\b/;
const rules = {
  isLarge: (table: string) => large.test(table),
  // What a setting has waiting, or one page of it, may be put in order.
  allows: (_: string, { kind }: Waste) => kind !== 'scan',
};

onBothDatabases('among many pushes', (open) => {
  test('nothing is asked that reads a table, or an index, as a whole', async (t) => {
    const database = await open(t);
    for (const [table, row] of Object.entries(rows)) {
      const count = table === 'push_setting' || table === 'organization' ? settings : rowsEach;
      await fillTable(database, table as 'push', count, row as (n: number) => Tables['push']);
    }
    await assertNoWaste(database, questions, rules);
  });
});
