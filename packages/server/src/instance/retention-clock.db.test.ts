import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { applicationOn } from '../cli/application.testing.ts';
import { databaseNow } from '../database/database-clock.ts';
import { onBothDatabases } from '../database/testing.ts';
import { firstIdAt, systemClock } from '../runtime/clock.ts';
import { startServer } from '../start-server.ts';
import { createRetentionClock, nextReached } from './retention-clock.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = Date.UTC(2026, 5, 1);

test('retention follows the clock, and no clock that jumps ahead', () => {
  const cases = [
    ['the first start', undefined, undefined, now, now],
    ['an hour of running', now - hour, { reached: now - hour, elapsedMs: hour }, now, now],
    ['right after a start', now - 90 * day, undefined, now, now - 90 * day],
    [
      'an hour after a stop of three months',
      now - 90 * day,
      { reached: now - 90 * day, elapsedMs: hour },
      now,
      now - 89 * day,
    ],
    ['a minute after a jump of a year', now, { reached: now, elapsedMs: 60_000 }, now + 365 * day, now + 24 * 60_000],
    ['a start after a jump of a year', now, undefined, now + 365 * day, now],
    ['a clock set back', now, { reached: now, elapsedMs: hour }, now - day, now - day],
    ['a start after the clock was set back', now, undefined, now - day, now - day],
    ['another server has gone on', now, { reached: now - day, elapsedMs: 60_000 }, now + hour, now],
    ['no faster than each of two servers alone', now, { reached: now - day, elapsedMs: hour }, now + day, now],
  ] as const;
  for (const [name, stored, earlier, clock, expected] of cases) {
    assert.equal(nextReached(stored, earlier, clock), expected, name);
  }
});

onBothDatabases('the clock of retention', (open, kind) => {
  test('is remembered through restarts, told of when it is far behind, and of two clocks goes by the earlier', async (t) => {
    const database = await open(t);
    const start = await databaseNow(database);
    let ahead = -100 * day;
    let passed = 0;
    const clock = { now: () => start + ahead, monotonic: () => passed };
    const lines: string[] = [];
    const note = (_fields: object, message?: string) => void lines.push(message ?? '');
    const startAgain = () =>
      createRetentionClock({ database, clock, log: { info: note, warn: note } as never, wait: async () => {} });
    const first = startAgain();
    assert.equal(first.now(), 0, 'nothing is old until it is known');
    await first.advance();
    assert.equal(first.now(), start - 100 * day);

    ahead = 0;
    const second = startAgain();
    await second.advance();
    assert.equal(second.now(), start - 100 * day);
    passed += hour;
    await second.advance();
    assert.equal(second.now(), start - 99 * day);
    const third = startAgain();
    await third.advance();
    assert.equal(third.now(), start - 99 * day);
    passed += 99 * hour;
    ahead = kind === 'postgres' ? 365 * day : 0;
    await third.advance();
    // The test takes some time by the database's clock.
    assert.ok(third.now() >= start && third.now() < start + hour, `${third.now() - start}`);
    assert.deepEqual(
      lines.map((line) => line.split(':')[0]),
      [...Array(2).fill('retention removes no more than a day in an hour'), 'retention has caught up with the clock'],
    );
  });

  test('what a server keeps outlives a start with a clock that is a year ahead', async (t) => {
    const restart = await applicationOn(t, kind, {
      ...{ WAXWING_LISTEN: '127.0.0.1:0', WAXWING_PUSH_ALLOW_NETWORKS: '192.0.2.0/24' },
    });
    const application = await restart();
    await (await startServer(application)).stop();

    const { id: organizationId } = await application.organizations.create('test', 'Acme');
    const { setting } = await application.messaging.pushSettings.set('test', {
      ...{ organizationId, kind: 'status', url: 'https://192.0.2.1/', enabled: false },
    });
    const none = { at: null, ms: null, address: null, outcome: null, status: null, error: null, excerpt: null };
    const ended = (at: number) => ({
      ...{ ...none, organization_id: organizationId, setting_id: setting.id, id: firstIdAt(at) },
      ...({ state: 'delivered', created_at: at, ended_at: at, attempts: 1, payload: '{}' } as const),
    });
    const lately = Date.now() - day;
    await application.database.db
      .insertInto('push_history')
      .values([ended(lately), ended(lately - 100 * day)])
      .execute();

    const later = await restart({ ...systemClock, now: () => Date.now() + 365 * day });
    const { db } = later.database;
    const pushes = async () => {
      const rows = await db.selectFrom('push_history').select('ended_at').execute();
      return rows.map((row) => row.ended_at);
    };
    const server = await startServer(later);
    // When the old ones are gone, retention has had its round.
    while ((await pushes()).length > 1) await delay(10, undefined, { signal: t.signal });
    await server.stop();
    assert.deepEqual(await pushes(), [lately]);
  });
});
