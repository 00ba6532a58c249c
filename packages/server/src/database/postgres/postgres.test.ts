import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Database, OpenedDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { openDatabase } from '../open-database.ts';
import { DatabaseUnavailable, isUnavailable, QueryFailed, UnsuitableDatabase } from '../sql/database-errors.ts';
import { reasonToSkip } from '../testing.ts';
import { startPostgres, type TestPostgres } from './postgres.testing.ts';

/** A cluster of its own: these tests stop and kill it. */
describe('a PostgreSQL server that comes and goes', { skip: reasonToSkip('postgres') }, () => {
  let cluster: TestPostgres;
  before(async () => {
    cluster = await startPostgres();
  });
  after(() => cluster.stop());

  async function open(options: { log?: (message: string, error: Error) => void } = {}): Promise<OpenedDatabase> {
    return openDatabase({ kind: 'postgres', url: cluster.url, poolSize: 3 }, options);
  }

  function backend(database: Database): Promise<{ pid: number } | undefined> {
    return sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db).then(({ rows }) => rows[0]);
  }

  /** The number of the tried queries that failed until one succeeded. */
  async function healsWithin(database: Database, tries: number): Promise<number> {
    for (let failed = 0; failed < tries; failed += 1) {
      const error = await database.ping().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined) return failed;
      assert.ok(isUnavailable(error), String(error));
    }
    return assert.fail(`still failing after ${tries} tries`);
  }

  test('sets what a session needs, whatever the server has for defaults', async () => {
    await sql`alter system set synchronous_commit = off`.execute((await withAdmin(cluster)).db);
    await closeAdmin();
    const database = await open();
    try {
      const { rows } = await sql`
        select current_setting('synchronous_commit') as commit, current_setting('statement_timeout') as statement,
          current_setting('lock_timeout') as lock, current_setting('application_name') as name,
          current_setting('idle_in_transaction_session_timeout') as idle`.execute(database.db);
      assert.deepEqual(rows, [{ commit: 'on', statement: '15s', lock: '10s', name: 'waxwing', idle: '2s' }]);
      const patient = await database.maintain((trx) =>
        sql<{ limit: string }>`select current_setting('statement_timeout') as limit`.execute(trx),
      );
      assert.equal(patient.rows[0]?.limit, '0');
    } finally {
      await database.close();
    }
  });

  test('a backend that is terminated while idle costs no caller anything', async (t) => {
    const lost = Promise.withResolvers<void>();
    const log = t.mock.fn((_message: string, _error: Error) => lost.resolve());
    const database = await open({ log });
    try {
      const idle = await backend(database);
      const admin = await withAdmin(cluster);
      await sql`select pg_terminate_backend(${idle?.pid})`.execute(admin.db);
      await lost.promise;
      assert.equal(await healsWithin(database, 1), 0);
      assert.equal(log.mock.callCount(), 1);
    } finally {
      await database.close();
      await closeAdmin();
    }
  });

  test('a backend that is terminated in a batch fails that batch only, and keeps nothing of it', async () => {
    const database = await open();
    try {
      await sql`create table batched (n integer)`.execute(database.db);
      const add = (n: number) => sql`insert into batched values (${n})`.compile(database.db);
      const end = sql`select pg_terminate_backend(pg_backend_pid())`.compile(database.db);
      await assert.rejects(database.runBatch([add(1), end, add(2)]), DatabaseUnavailable);
      await assert.rejects(
        database.runBatch([add(3)], () => [add(4), end]),
        DatabaseUnavailable,
      );
      await database.runBatch([add(5), add(6)]);
      const { rows } = await sql`select n from batched order by n`.execute(database.db);
      assert.deepEqual(rows, [{ n: 5 }, { n: 6 }]);
    } finally {
      await database.close();
    }
  });

  test('a batch gives values back as a statement by itself does, and fails for one that cannot be read', async () => {
    const database = await open();
    try {
      const values = sql`select 1::bigint as n, 'é'::text as text, '\\x00ff'::bytea as bytes, null as nothing, 1.5::float8 as part`;
      const [first, second] = await database.runBatch([
        values.compile(database.db),
        sql`select ${'é'} as given`.compile(database.db),
      ]);
      assert.deepEqual(first?.rows, (await values.execute(database.db)).rows);
      assert.deepEqual(second?.rows, [{ given: 'é' }]);
      const large = sql`select 9007199254740993::bigint as n`.compile(database.db);
      await assert.rejects(database.runBatch([large, large]), /too large to be read/);
      assert.equal(await healsWithin(database, 1), 0);
    } finally {
      await database.close();
    }
  });

  test('a backend that is terminated in a transaction fails that transaction only', async () => {
    const database = await open();
    try {
      const failing = database.transaction(async (trx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
        await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.db);
        await sql`select 1`.execute(trx);
      });
      await assert.rejects(failing, DatabaseUnavailable);
      assert.equal(await healsWithin(database, 1), 0);
    } finally {
      await database.close();
    }
  });

  test('who gets no connection is told which setting names the database, and no password', async () => {
    const wrong = new URL(cluster.url);
    wrong.password = 'kept-secret';
    wrong.pathname = '/missing';
    const locked = new URL(cluster.url);
    locked.username = 'locked';
    locked.password = 'kept-secret';
    const { db } = await withAdmin(cluster);
    const { rows } = await sql<{ file: string }>`select current_setting('hba_file') as file`.execute(db);
    const hba = rows[0]?.file ?? '';
    const trusting = readFileSync(hba, 'utf8');
    writeFileSync(hba, `local all locked scram-sha-256\nhost all locked all scram-sha-256\n${trusting}`);
    await sql`create role locked login password 'another'`.execute(db);
    await sql`select pg_reload_conf()`.execute(db);
    await closeAdmin();
    for (const [url, reason, remedy] of [
      [wrong.href, 'database "missing" does not exist', 'createdb --owner waxwing waxwing'],
      [locked.href, 'password authentication failed for user "locked"', 'Correct the user or the password'],
      ['postgres://someone:kept-secret@127.0.0.1:1/missing', 'ECONNREFUSED 127.0.0.1:1', 'See that it runs'],
    ] as const) {
      await assert.rejects(openDatabase({ kind: 'postgres', url }), (error) => {
        assert.ok(isUnavailable(error));
        assert.ok(
          error.message.includes(reason) &&
            error.message.includes(remedy) &&
            error.message.includes('WAXWING_DATABASE_URL'),
          error.message,
        );
        return !JSON.stringify([error, error.message, error.stack]).includes('kept-secret');
      });
    }
  });

  test('a server killed and started again is found again', async () => {
    const database = await open();
    try {
      await sql`create table kept (id integer)`.execute(database.db);
      await sql`insert into kept values (1)`.execute(database.db);
      await cluster.kill9();
      // The children of a killed postmaster need a moment to notice, and may answer until then.
      while (await answers(database));
      await assert.rejects(
        database.transaction(async () => {}),
        DatabaseUnavailable,
      );
      await assert.rejects(open(), DatabaseUnavailable);
      await cluster.restart();
      await healsWithin(database, 3);
      assert.deepEqual((await sql`select id from kept`.execute(database.db)).rows, [{ id: 1 }]);
    } finally {
      await database.close();
    }
  });

  test('connections that fall silent cost the question for changes two seconds, and others that were idle nothing', async () => {
    const database = await open();
    const pidOf = async (db: Database['db'], lastsS = 0) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(${lastsS})`.execute(db);
      return rows[0]?.pid ?? 0;
    };
    // Together, so that each has one of its own.
    const idle = await Promise.all([1, 2, 3].map(() => pidOf(database.db, 0.2)));
    const pids = [await pidOf(database.prompt), ...idle];
    try {
      assert.equal(new Set(pids).size, 4);
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
      const began = performance.now();
      await assert.rejects(pidOf(database.prompt), DatabaseUnavailable);
      for (const db of [database.prompt, database.db]) assert.ok(!pids.includes(await pidOf(db)));
      const took = performance.now() - began;
      assert.ok(took < 10_000, `${took} ms`);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
      await database.close();
    }
  });

  test('a batch whose answer nobody waits for any more gives its connection up, and the next one gets another', async () => {
    const database = await open();
    const ask = sql<{ pid: number }>`select pg_backend_pid() as pid`.compile(database.db);
    const pidOf = async () =>
      (await database.runBatch([ask], undefined, { answerMs: 1_000 }))[0]?.rows[0] as { pid: number };
    const { pid } = await pidOf();
    try {
      process.kill(pid, 'SIGSTOP');
      await assert.rejects(pidOf(), DatabaseUnavailable);
      assert.notEqual((await pidOf()).pid, pid);
    } finally {
      process.kill(pid, 'SIGCONT');
      await database.close();
    }
  });

  test('the question for changes waits behind nobody', async () => {
    const database = await open();
    try {
      const ask = () => sql`select 1`.execute(database.prompt);
      await ask();
      const sleeping = [1, 2, 3].map(() => sql`select pg_sleep(1)`.execute(database.db));
      const first = await Promise.race([ask().then(() => 'prompt'), ...sleeping]);
      assert.equal(first, 'prompt');
      await Promise.all(sleeping);
    } finally {
      await database.close();
    }
  });

  test('a server that stands still in a transaction keeps others waiting for two seconds, and nothing of it is kept', async () => {
    const [paused, other] = [await open(), await open()];
    const add = (n: number) => sql`update counted set n = n + ${n}`;
    const counted = async () => (await sql`select n from counted`.execute(other.db)).rows;
    try {
      await sql`create table counted (n integer)`.execute(other.db);
      await sql`insert into counted values (0)`.execute(other.db);
      const inTransaction = paused.transaction(async (trx) => {
        await add(1).execute(trx);
        // Nobody but the database ends the wait of the other.
        await other.transaction((rival) => add(10).execute(rival));
        await add(100).execute(trx);
      });
      await assert.rejects(inTransaction, DatabaseUnavailable);
      assert.deepEqual(await counted(), [{ n: 10 }]);
      const [first, second] = [add(1).compile(paused.db), add(100).compile(paused.db)];
      const inBatch = paused.runBatch([first], () => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
        return [second];
      });
      await assert.rejects(inBatch, DatabaseUnavailable);
      assert.deepEqual(await counted(), [{ n: 10 }]);
      assert.equal(await healsWithin(paused, 1), 0);
    } finally {
      await paused.close();
      await other.close();
    }
  });

  test('a fast shutdown in the middle of queries is unavailability, and nothing else', async () => {
    const database = await open();
    try {
      const sleeping = assert.rejects(sql`select pg_sleep(30)`.execute(database.db), DatabaseUnavailable);
      await healsWithin(database, 1);
      await cluster.restart();
      await sleeping;
      await healsWithin(database, 3);
    } finally {
      await database.close();
    }
  });

  test('an encoding other than UTF8 is refused with the remedy', async () => {
    const admin = await withAdmin(cluster);
    await sql`create database latin encoding 'LATIN1' template template0`.execute(admin.db);
    await closeAdmin();
    const url = new URL(cluster.url);
    url.pathname = '/latin';
    await assert.rejects(
      openDatabase({ kind: 'postgres', url: url.href }),
      (error) => error instanceof UnsuitableDatabase && /has encoding LATIN1; create one with/.test(error.message),
    );
  });

  test('a role that may not make tables is refused with the remedy', async () => {
    const admin = await withAdmin(cluster);
    await sql`create role guest login`.execute(admin.db);
    await sql`create database others`.execute(admin.db);
    await closeAdmin();
    const url = new URL(cluster.url);
    url.pathname = '/others';
    url.username = 'guest';
    const database = await openDatabase({ kind: 'postgres', url: url.href });
    try {
      const isTold = (error: unknown) =>
        error instanceof UnsuitableDatabase && /schema public.*let it own its database/.test(error.message);
      await assert.rejects(migrate(database), isTold);
    } finally {
      await database.close();
    }
  });

  test('a value that fits no column is refused without being quoted', async () => {
    const database = await open();
    try {
      const error = await sql`select cast(${'+15550100'} || 'x' as bigint)`
        .execute(database.db)
        .catch((thrown) => thrown);
      assert.ok(error instanceof QueryFailed);
      assert.equal(error.code, '22P02');
      assert.ok(!error.message.includes('15550100'), error.message);
    } finally {
      await database.close();
    }
  });

  test('integers too large to be read exactly are an error, not another number', async () => {
    const database = await open();
    try {
      await assert.rejects(sql`select cast(9007199254740993 as bigint) as number`.execute(database.db));
      await healsWithin(database, 1);
    } finally {
      await database.close();
    }
  });
});

let admin: Database | undefined;

async function withAdmin(cluster: TestPostgres): Promise<Database> {
  admin ??= await openDatabase({ kind: 'postgres', url: cluster.url, poolSize: 1 });
  return admin;
}

async function closeAdmin(): Promise<void> {
  await admin?.close();
  admin = undefined;
}

/** False where there is no connection any more; any other failure is thrown. */
async function answers(database: Database): Promise<boolean> {
  try {
    await database.ping();
    return true;
  } catch (error) {
    assert.ok(error instanceof DatabaseUnavailable, String(error));
    return false;
  }
}
