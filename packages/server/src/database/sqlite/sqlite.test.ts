import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { openDatabase } from '../open-database.ts';
import { DatabaseUnavailable, QueryFailed } from '../sql/database-errors.ts';
import { freshDatabase } from '../testing.ts';

async function temporaryFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'waxwing-sqlite-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'waxwing.db');
}

test('each commit is synced, foreign keys hold, and the files are for their owner only', async (t) => {
  const file = await temporaryFile(t);
  const database = await openDatabase({ kind: 'sqlite', file });
  t.after(() => database.close());
  const settings = await database.transaction(async (trx) => {
    const read = async (name: string) =>
      Object.values((await sql.raw<object>(`pragma ${name}`).execute(trx)).rows[0] ?? {})[0];
    return [await read('journal_mode'), await read('synchronous'), await read('foreign_keys')];
  });
  assert.deepEqual(settings, ['wal', 2, 1]);
  await sql`create table item (id integer)`.execute(database.db);
  for (const name of [file, `${file}-wal`, `${file}-shm`]) assert.equal((await stat(name)).mode & 0o777, 0o600, name);
});

test('a closed database is one file that holds everything', async (t) => {
  const file = await temporaryFile(t);
  const first = await openDatabase({ kind: 'sqlite', file });
  await sql`create table item (id integer)`.execute(first.db);
  await first.close();
  await assert.rejects(stat(`${file}-wal`), { code: 'ENOENT' });
  const second = await openDatabase({ kind: 'sqlite', file });
  t.after(() => second.close());
  assert.deepEqual((await sql`select * from item`.execute(second.db)).rows, []);
});

test('what is no database, or in no folder, is unavailable with the reason', async (t) => {
  const file = await temporaryFile(t);
  await writeFile(
    file,
    'this is some text and not a database, long enough to be looked at by SQLite, which reads 100 bytes',
  );
  const log = t.mock.fn();
  const open = (path: string) => openDatabase({ kind: 'sqlite', file: path }, { log });
  const name = 'DatabaseUnavailable';
  await assert.rejects(open(file), {
    name,
    message:
      `The database ${file} (WAXWING_DATA) cannot be used: it is damaged, or no database ` +
      '(SQLite: file is not a database, 26). Keep a copy of it as it is, and restore your last backup.',
  });
  const below = join(file, 'below');
  await assert.rejects(open(below), {
    name,
    message: `The database ${below} (WAXWING_DATA) cannot be used: a part of its path is a file (ENOTDIR). Choose another folder.`,
  });
  await assert.rejects(open(dirname(file)), {
    name,
    message: /there is a folder of that name \(SQLite: unable to open/,
  });
  assert.equal(log.mock.callCount(), 0, 'who opens it is told, and nobody else');
});

test('raw SQL reaches the connection that may run it', async () => {
  const fresh = await freshDatabase('sqlite');
  const { db } = fresh.database;
  try {
    await sql`with n (id) as (select 'a') insert into organization (id, name, created_at) select id, id, 1 from n`.execute(
      db,
    );
    const { rows } =
      await sql`with n (id) as (select 'a') select organization.id from organization join n using (id)`.execute(db);
    assert.deepEqual(rows, [{ id: 'a' }]);
  } finally {
    await fresh.close();
  }
});

test('streaming is refused: it exists on neither database', async () => {
  const fresh = await freshDatabase('sqlite');
  try {
    const read = async () => {
      for await (const row of fresh.database.db.selectFrom('organization').selectAll().stream())
        assert.fail(String(row));
    };
    await assert.rejects(read, /streaming is not portable/);
  } finally {
    await fresh.close();
  }
});

test('a thread that dies fails what waits for it and all that comes later, and says so once', async (t) => {
  const workers: Worker[] = [];
  const collect = (worker: Worker) => workers.push(worker);
  process.on('worker', collect);
  t.after(() => process.off('worker', collect));
  const log = t.mock.fn((_message: string, _error: Error) => {});
  const fresh = await freshDatabase('sqlite', { hooks: { log } });
  const { database } = fresh;
  const [writer] = workers;
  assert.ok(writer !== undefined);
  const inserting = database.transaction(async (trx) => {
    await trx.insertInto('organization').values({ id: 'a', name: 'a', created_at: 1 }).execute();
    const gone = once(writer, 'exit');
    await writer.terminate();
    await gone;
    await trx.insertInto('organization').values({ id: 'b', name: 'b', created_at: 1 }).execute();
  });
  await assert.rejects(inserting, DatabaseUnavailable);
  await assert.rejects(database.ping(), DatabaseUnavailable);
  await assert.rejects(database.runBatch([]), DatabaseUnavailable);
  const rows = await database.db.selectFrom('organization').select('id').execute();
  assert.deepEqual(rows, [], 'what was not committed is not there');
  assert.equal(log.mock.callCount(), 1);
  await fresh.close();
});

test('an outstanding call is failed, not forgotten, when its thread dies', async (t) => {
  const workers: Worker[] = [];
  const collect = (worker: Worker) => workers.push(worker);
  process.on('worker', collect);
  t.after(() => process.off('worker', collect));
  const fresh = await freshDatabase('sqlite');
  const endless = sql`
    select count(*) from (with recursive n (i) as (select 1 union all select i + 1 from n) select i from n)
  `.execute(fresh.database.db);
  const failed = assert.rejects(endless, DatabaseUnavailable);
  await Promise.all(workers.slice(1).map((reader) => reader.terminate()));
  await failed;
  await fresh.close();
});

test('a select that reads much holds no other up', async () => {
  const fresh = await freshDatabase('sqlite');
  const { db } = fresh.database;
  let hasEnded = false;
  const much = sql`
    select count(*) from (with recursive n (i) as (select 1 union all select i + 1 from n limit 10000000) select i from n)
  `.execute(db);
  const ended = much.then(() => {
    hasEnded = true;
  });
  for (let count = 0; count < 5; count += 1) {
    await Promise.all([1, 2, 3].map((number) => sql`select ${number} as number`.execute(db)));
  }
  assert.equal(hasEnded, false);
  await ended;
  await fresh.close();
});

test('a batch that somebody waits for goes before the transactions that wait longer', async () => {
  const fresh = await freshDatabase('sqlite');
  const { database } = fresh;
  const rowOf = (id: string) => ({ id, name: id, created_at: 1 });
  const order: string[] = [];
  const began = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const first = database.transaction(async (trx) => {
    await trx.insertInto('organization').values(rowOf('first')).execute();
    began.resolve();
    await mayEnd.promise;
  });
  await began.promise;
  const usual = ['a', 'b', 'c'].map(async (id) => {
    await database.transaction((trx) => trx.insertInto('organization').values(rowOf(id)).execute());
    order.push(id);
  });
  const query = database.db.insertInto('organization').values(rowOf('urgent')).compile();
  const urgent = database.runBatch([query], undefined, { isUrgent: true }).then(() => order.push('urgent'));
  mayEnd.resolve();
  await Promise.all([first, urgent, ...usual]);
  assert.deepEqual(order, ['urgent', 'a', 'b', 'c']);
  await fresh.close();
});

test('a row too large to be read exactly is an error, not another number', async () => {
  const fresh = await freshDatabase('sqlite');
  try {
    const reading = sql`select 9007199254740993 as number`.execute(fresh.database.db);
    await assert.rejects(reading, QueryFailed);
  } finally {
    await fresh.close();
  }
});
