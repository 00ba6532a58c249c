import { CompiledQuery, Kysely, PostgresDialect, type QueryResult, sql } from 'kysely';
import type { Database, DatabaseHooks, OpenedDatabase } from '../database.ts';
import type { Tables } from '../schema/tables.ts';
import { isUnavailable, UnsuitableDatabase } from '../sql/database-errors.ts';
import { postgresJsonField } from '../sql/json-field.ts';
import { postgresKeyedJoin } from '../sql/keyed-join.ts';
import { postgresRowSource } from '../sql/row-source.ts';
import { type BatchPool, createPostgresPool, type LentConnection, type PostgresPoolOptions } from './postgres-pool.ts';

const oldestVersion = 15;
const defaultPoolSize = 10;
/**
 * Nothing in memory is used that was proven more than a second ago, and requests wait a second for proof: with this they wait or are
 * refused for two seconds at most where the database can be reached by another connection.
 */
const promptMs = 2_000;

/** Connects to a PostgreSQL server, or to what speaks its protocol, and checks that it can serve us. */
export async function openPostgres(
  options: { readonly url: string; readonly poolSize?: number },
  hooks: DatabaseHooks,
): Promise<OpenedDatabase> {
  const poolOptions: PostgresPoolOptions = {
    url: options.url,
    poolSize: options.poolSize ?? defaultPoolSize,
    limited: true,
    silences: { count: 0 },
    onLost: (error) => hooks.log?.('a database connection was lost', error),
  };
  const { db, pool, end } = connect(poolOptions);
  const prompt = connect({ ...poolOptions, poolSize: 1, answerMs: promptMs });
  try {
    await checkServer(db);
  } catch (error) {
    await end();
    throw error;
  }

  return {
    dialect: 'postgres',
    db,
    prompt: prompt.db,
    transaction: (work) => db.transaction().execute(work),
    async maintain(work) {
      const patient = connect({ ...poolOptions, poolSize: 1, limited: false });
      try {
        return await patient.db.transaction().execute(work);
      } finally {
        await patient.end();
      }
    },
    rowSource: postgresRowSource,
    lookUp: postgresKeyedJoin,
    jsonField: postgresJsonField,
    batchesAtOnce: 1,
    runBatch: (queries, next, options) => runTogether(pool, queries, next, options?.answerMs),
    readAside: (query) => db.executeQuery(query),
    async ping() {
      await sql`select 1`.execute(db);
    },
    isInPlace: async () => true,
    async close() {
      await Promise.all([end(), prompt.end()]);
    },
  };
}

type Results = readonly QueryResult<unknown>[];

const begin = CompiledQuery.raw('begin');
const commit = CompiledQuery.raw('commit');
const rollback = CompiledQuery.raw('rollback');

/**
 * All in one round trip, begin and commit included. PostgreSQL takes messages that are sent together for one
 * transaction, but not every server that speaks its protocol does, and the two cost nothing there.
 */
async function runTogether(
  pool: BatchPool,
  queries: readonly CompiledQuery[],
  next: Parameters<Database['runBatch']>[1],
  answerMs: number | undefined,
): Promise<Results> {
  const connection = await pool.lend(answerMs);
  try {
    // A statement by itself is a transaction.
    if (next === undefined && queries.length === 1) return await connection.runTogether(queries);
    return await runWhole(connection, queries, next);
  } finally {
    connection.release();
  }
}

async function runWhole(
  connection: LentConnection,
  queries: readonly CompiledQuery[],
  next: Parameters<Database['runBatch']>[1],
): Promise<Results> {
  try {
    if (next === undefined) return (await connection.runTogether([begin, ...queries, commit])).slice(1, -1);
    const [, ...first] = await connection.runTogether([begin, ...queries]);
    const second = await connection.runTogether([...next(first), commit]);
    return [...first, ...second.slice(0, -1)];
  } catch (error) {
    // A connection that is lost, or late with its answer, is given to nobody again. Nor is one that fails here.
    if (!isUnavailable(error)) await connection.runTogether([rollback]).catch(() => {});
    throw error;
  }
}

interface Connection {
  readonly db: Kysely<Tables>;
  readonly pool: BatchPool;
  end(): Promise<void>;
}

function connect(options: PostgresPoolOptions): Connection {
  const pool = createPostgresPool(options);
  // Ended here, not by Kysely: what comes after the end is then refused by the pool, as unavailable.
  return { db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), pool, end: () => pool.end() };
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
