import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseNow } from '../database/database-clock.ts';
import { onBothDatabases } from '../database/testing.ts';
import { createClockWatch, judgeClock, readClockDifference } from './clock-watch.ts';

test('a clock is judged by its distance, whichever way', () => {
  const cases = [
    [0, 'close'],
    [10_000, 'close'],
    [-10_000, 'close'],
    [10_001, 'apart'],
    [-60_000, 'apart'],
    [60_001, 'far'],
    [-3_600_000, 'far'],
  ] as const;
  for (const [ms, verdict] of cases) assert.equal(judgeClock(ms), verdict, `${ms}`);
});

onBothDatabases('the clock of a server', (open, kind) => {
  test('is compared with the database’s, each change is told once, and what the question took is no difference', async (t) => {
    const database = await open(t);
    const start = await databaseNow(database);
    let ahead = 0;
    let asked = 0;
    // Every look takes a minute: a slow database is not a wrong clock.
    const slow = { monotonic: () => 0, now: () => start + ahead + 60_000 * (asked++ % 2) - 30_000 };
    assert.equal((await readClockDifference(database, slow)).differenceMs, 0);

    const clock = { monotonic: () => 0, now: () => start + ahead };
    const lines: string[] = [];
    const note = (_fields: object, message?: string) => void lines.push(message ?? '');
    const watch = createClockWatch(database, clock, { info: note, warn: note } as never);
    const seen: boolean[] = [];
    for (const ms of [0, 3_600_000, 3_600_000, -3_600_000, -40_000, 0]) {
      ahead = ms;
      assert.ok(Math.abs((await watch.read()) - start) < 600_000, 'what is read is the time of the database');
      seen.push(watch.isClose());
    }
    // SQLite has only the server's clock.
    const told = { sqlite: [], postgres: ['differ', 'differ', 'again'] }[kind];
    assert.deepEqual(seen, kind === 'sqlite' ? Array(6).fill(true) : [true, false, false, false, false, true]);
    assert.deepEqual(
      lines.map((line) => line.split(' ').at(-1)),
      told,
    );
  });
});
