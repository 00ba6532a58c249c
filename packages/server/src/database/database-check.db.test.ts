import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import { openDatabase } from './connect.ts';
import { checkDatabase } from './database-check.ts';
import { freshDatabase, onBothDatabases } from './testing.ts';

onBothDatabases('The check of the database', (open, kind) => {
  test('a sound database has no faults, and says what serves it', async (context) => {
    const { server, faults } = await checkDatabase(await open(context));
    assert.deepEqual(faults, []);
    assert.match(server, kind === 'sqlite' ? /^SQLite 3\.\d+\.\d+$/ : /^PostgreSQL \d+.*, UTF8$/);
  });
});

test('a page of a SQLite file that was overwritten is found', async (context) => {
  const fresh = await freshDatabase('sqlite');
  context.after(() => fresh.close());
  await fresh.database.close();
  assert.ok(fresh.options.kind === 'sqlite');
  const file = openSync(fresh.options.file, 'r+');
  // Beyond the pages of the schema itself, which are read when the file is opened.
  writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, 20 * 4096);
  closeSync(file);
  const damaged = await openDatabase(fresh.options);
  context.after(() => damaged.close());
  const { faults } = await checkDatabase(damaged);
  assert.notDeepEqual(faults, []);
});
