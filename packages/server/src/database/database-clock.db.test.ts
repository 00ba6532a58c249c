import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseNow } from './database-clock.ts';
import { onBothDatabases } from './testing.ts';

onBothDatabases("the database's clock", (open) => {
  test('tells whole milliseconds since the epoch', async (t) => {
    const database = await open(t);
    const before = Date.now();
    const now = await databaseNow(database);
    assert.ok(Number.isInteger(now));
    // The database is on this machine; one millisecond is lost where a clock is rounded down.
    assert.ok(now >= before - 1 && now <= Date.now() + 1, `${now - before} ms after the question`);
  });
});
