import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { DatabaseUnavailable } from './database.ts';
import { checkDatabase } from './database-check.ts';
import { openDatabase } from './open-database.ts';
import { freshDatabase, onBothDatabases } from './testing.ts';

onBothDatabases('The check of the database', (open, kind) => {
  test('a sound database has no faults, and says what serves it', async (context) => {
    const { server, faults } = await checkDatabase(await open(context));
    assert.deepEqual(faults, []);
    assert.match(server, kind === 'sqlite' ? /^SQLite 3\.\d+\.\d+$/ : /^PostgreSQL \d+.*, UTF8$/);
  });
});

test('reads and writes go on while SQLite is asked for something long, and closing ends that', async (context) => {
  const fresh = await freshDatabase('sqlite');
  const { database } = fresh;
  const endless = sql`
    select count(*) from (with recursive n (i) as (select 1 union all select i + 1 from n) select i from n)`;
  const ended = assert.rejects(database.readAside(endless.compile(database.db)), DatabaseUnavailable);
  context.after(() => fresh.close());
  await database.db.insertInto('organization').values({ id: 'a', name: 'a', created_at: 1 }).execute();
  assert.equal((await database.db.selectFrom('organization').selectAll().execute()).length, 1);
  await database.ping();
  await database.close();
  await ended;
});

test('the check of a SQLite file asks nothing of the threads that serve requests', async (context) => {
  const workers: Worker[] = [];
  const collect = (worker: Worker) => workers.push(worker);
  process.on('worker', collect);
  context.after(() => process.off('worker', collect));
  const fresh = await freshDatabase('sqlite');
  context.after(() => fresh.close());
  for (const worker of workers) await worker.terminate();
  assert.deepEqual((await checkDatabase(fresh.database)).faults, []);
});

test('long reads of SQLite are few at a time, and one that fails says why', async (context) => {
  const fresh = await freshDatabase('sqlite');
  context.after(() => fresh.close());
  const { database } = fresh;
  const ask = (text: string) => database.readAside(sql.raw(text).compile(database.db));
  const answers = await Promise.allSettled(
    ['select 1', 'select nonsense', 'select 2', 'select 3', 'select 4'].map(ask),
  );
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'rejected' ? answer.reason.message : answer.value.rows)),
    [[{ 1: 1 }], 'SQLite: no such column: nonsense (1)', [{ 2: 2 }], [{ 3: 3 }], '4 long reads run already'],
  );
  await assert.rejects(ask('delete from organization'), DatabaseUnavailable, 'they only read');
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
