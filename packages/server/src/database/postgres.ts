import { type CompiledQuery, Kysely, PostgresDialect, type QueryResult, sql } from 'kysely';
import { postgresBulkInsert } from './bulk-insert.ts';
import type { Database, DatabaseHooks, Db } from './connect.ts';
import { UnsuitableDatabase } from './database-errors.ts';
import { postgresJsonField } from './json-field.ts';
import { postgresLookUp } from './look-up.ts';
import { createPostgresPool, type PostgresPoolOptions } from './postgres-pool.ts';
import { postgresRowSource, postgresTextSource } from './row-source.ts';
import type { Tables } from './tables.ts';

const oldestVersion = 15;
const defaultPoolSize = 10;

/** Connects to a PostgreSQL server, or to what speaks its protocol, and checks that it can serve us. */
export async function openPostgres(
  options: { readonly url: string; readonly poolSize?: number },
  hooks: DatabaseHooks,
): Promise<Database> {
  const poolOptions: PostgresPoolOptions = {
    url: options.url,
    poolSize: options.poolSize ?? defaultPoolSize,
    limited: true,
    onLost: (error) => hooks.log?.('a database connection was lost', error),
  };
  const { db, end } = connect(poolOptions);
  try {
    await checkServer(db);
  } catch (error) {
    await end();
    throw error;
  }

  return {
    dialect: 'postgres',
    db,
    transaction: (work) => db.transaction().execute(work),
    async maintain(work) {
      const patient = connect({ ...poolOptions, poolSize: 1, limited: false });
      try {
        return await patient.db.transaction().execute(work);
      } finally {
        await patient.end();
      }
    },
    async bulkInsert(trx, table, columns, rows) {
      if (rows.length > 0) await trx.executeQuery(postgresBulkInsert(table, columns, rows));
    },
    bulk: postgresBulkInsert,
    rowSource: postgresRowSource,
    textSource: postgresTextSource,
    lookUp: postgresLookUp,
    jsonField: postgresJsonField,
    batchesAtOnce: 1,
    runBatch(queries, next) {
      // A statement by itself is a transaction: begin and commit would be two more round trips.
      if (next === undefined && queries.length === 1) return runEach(db, queries);
      return db.transaction().execute(async (trx) => {
        const results = await runEach(trx, queries);
        return next === undefined ? results : [...results, ...(await runEach(trx, next(results)))];
      });
    },
    readAside: (query) => db.executeQuery(query),
    async ping() {
      await sql`select 1`.execute(db);
    },
    close: end,
  };
}

async function runEach(trx: Db, queries: readonly CompiledQuery[]): Promise<QueryResult<unknown>[]> {
  const results = [];
  for (const query of queries) results.push(await trx.executeQuery(query));
  return results;
}

interface Connection {
  readonly db: Kysely<Tables>;
  end(): Promise<void>;
}

function connect(options: PostgresPoolOptions): Connection {
  const pool = createPostgresPool(options);
  // Ended here, not by Kysely: what comes after the end is then refused by the pool, as unavailable.
  return { db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), end: () => pool.end() };
}

async function checkServer(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::integer as version,
      current_setting('server_encoding') as encoding`.execute(db);
  const [server] = rows;
  const version = Math.floor((server?.version ?? 0) / 10_000);
  if (version < oldestVersion) {
    throw new UnsuitableDatabase(`This is PostgreSQL ${version}; Waxwing needs ${oldestVersion} or later.`);
  }
  if (server?.encoding !== 'UTF8') {
    throw new UnsuitableDatabase(
      `The database has encoding ${server?.encoding}; create one with "create database … encoding 'UTF8' template template0".`,
    );
  }
}
