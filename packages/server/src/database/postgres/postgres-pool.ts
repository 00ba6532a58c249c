import type { CompiledQuery, PostgresPool, PostgresPoolClient, PostgresQueryResult, QueryResult } from 'kysely';
import { type ClientBase, DatabaseError, Pool, type PoolClient, types } from 'pg';
import { TooSlow, within } from '../../runtime/wait.ts';
import { DatabaseUnavailable } from '../sql/database-errors.ts';
import { toStoredValues } from '../sql/stored-value.ts';
import { PostgresBatch } from './postgres-batch.ts';
import { toPostgresError } from './postgres-error.ts';

export interface PostgresPoolOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Time limits of statements, locks and idle transactions; without them only connecting is limited. */
  readonly limited: boolean;
  /** For questions whose answer is worth nothing after so long. `silences` is shared between pools. */
  readonly answerMs?: number;
  readonly silences: Silences;
  readonly onLost: (error: DatabaseUnavailable) => void;
}

/**
 * How often no answer came in time. The connection may have fallen silent, and others that have said nothing since may have with it, as
 * when a firewall between has forgotten them all: they are not lent again. Each would keep somebody waiting for 20 s.
 */
export interface Silences {
  count: number;
}

const connectMs = 5_000;
const statementMs = 15_000;
const lockMs = 10_000;
/**
 * How long a paused or disconnected server keeps its locks. All others wait for them, at the head of the audit chain
 * and at the day's usage. It is less than the 2.5 s that a hand-out waits for its record, so hand-outs of other servers
 * are late but not refused. Our transactions await nothing but the database, so only a server whose event loop stands
 * still is idle in one for long. PostgreSQL ends that transaction and keeps nothing of it.
 */
const idleInTransactionMs = 2_000;
/** The client's own limit, for a server that has vanished without closing the connection. */
const answerMs = 20_000;

/** A pool as Kysely wants it. Its connections also take several statements at once. */
export interface BatchPool extends PostgresPool {
  /**
   * Lends a connection, which is given back in any case.
   * @param answerMs a connection that takes longer for an answer is not lent again
   */
  lend(answerMs?: number): Promise<LentConnection>;
}

export interface LentConnection {
  /** Sends all together: one round trip, and one transaction unless they say otherwise. */
  runTogether(queries: readonly Pick<CompiledQuery, 'sql' | 'parameters'>[]): Promise<QueryResult<unknown>[]>;
  release(): void;
}

/**
 * A pool of pg as Kysely wants it, made safe: a lost connection is dropped and replaced, never an uncaught error; every
 * error is one of ours; parameters are checked before they are sent.
 */
export function createPostgresPool(options: PostgresPoolOptions): BatchPool {
  const pool = new Pool({
    connectionString: options.url,
    max: options.poolSize,
    application_name: 'waxwing',
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
    ...(options.limited ? { query_timeout: answerMs } : {}),
    onConnect: (client) => prepareSession(client, options),
  });
  // An idle connection that the server closes; without a listener the process would end.
  pool.on('error', (error) => options.onLost(new DatabaseUnavailable(`PostgreSQL: ${error.message}`)));

  let ended: Promise<void> | undefined;
  const guarded = new WeakMap<PoolClient, GuardedClient>();
  const { silences } = options;

  async function lend(answerMs = options.answerMs): Promise<GuardedClient> {
    for (;;) {
      const client = await pool.connect().catch((error) => {
        throw noConnection(error);
      });
      const known = guarded.get(client) ?? new GuardedClient(client, silences);
      guarded.set(client, known);
      known.answerMs = answerMs;
      if (!known.isDoubtful) return known;
      known.release(true);
    }
  }

  return {
    lend,
    connect: async () => (await lend()) as unknown as PostgresPoolClient,
    end() {
      ended ??= pool.end();
      return ended;
    },
    options: pool.options,
  };
}

/** By SQLSTATE, for what a server says that does run. */
const remedies: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user or the password in WAXWING_DATABASE_URL.',
  '3D000':
    'Make the database, as its administrator ("createdb --owner waxwing waxwing"), or correct its name in WAXWING_DATABASE_URL.',
};

/** Whatever refuses a connection (also a wrong password, or a database that does not exist) may be gone a moment later. */
function noConnection(error: unknown): DatabaseUnavailable {
  const { message } = toPostgresError(error);
  const known = error instanceof DatabaseError ? remedies[error.code ?? ''] : undefined;
  const remedy = known ?? 'See that it runs, and that WAXWING_DATABASE_URL is right.';
  return new DatabaseUnavailable(`There is no connection to the database. ${message}. ${remedy}`);
}

/** A session's settings, whatever server, role and database have for defaults. */
async function prepareSession(client: ClientBase, options: PostgresPoolOptions): Promise<void> {
  // While a connection is lent out the pool does not listen; the query that fails tells its caller.
  client.on('error', () => {});
  const [statement, lock, idle] = options.limited ? [statementMs, lockMs, idleInTransactionMs] : [0, 0, 0];
  await client.query(`
    set synchronous_commit = on;
    set default_transaction_isolation = 'read committed';
    set standard_conforming_strings = on;
    set statement_timeout = ${statement};
    set lock_timeout = ${lock};
    set idle_in_transaction_session_timeout = ${idle}`);
}

/** The part of a pool's client that Kysely uses without cursors, which it is not given. */
class GuardedClient {
  /** For whoever it is lent to. */
  answerMs: number | undefined;
  readonly #client: PoolClient;
  readonly #silences: Silences;
  #broken = false;
  /** How many silences there had been when it last gave an answer. */
  #silencesThen: number;

  constructor(client: PoolClient, silences: Silences) {
    this.#client = client;
    this.#silences = silences;
    this.#silencesThen = silences.count;
  }

  get isDoubtful(): boolean {
    return this.#silencesThen !== this.#silences.count;
  }

  async query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const values = toStoredValues(parameters);
    return this.#guard(this.#client.query(text, values)) as unknown as Promise<PostgresQueryResult<R>>;
  }

  async runTogether(queries: readonly Pick<CompiledQuery, 'sql' | 'parameters'>[]): Promise<QueryResult<unknown>[]> {
    const statements = queries.map(({ sql, parameters }) => ({ sql, values: toStoredValues(parameters) }));
    const { answered } = this.#client.query(new PostgresBatch(statements, parserOf));
    return [...(await this.#guard(answered))];
  }

  async #guard<T>(answered: Promise<T>): Promise<T> {
    try {
      const answer = await (this.answerMs === undefined ? answered : within(this.answerMs, 'no answer', answered));
      this.#silencesThen = this.#silences.count;
      return answer;
    } catch (error) {
      if (error instanceof TooSlow) this.#silences.count += 1;
      else if (error instanceof DatabaseError) this.#silencesThen = this.#silences.count;
      const known = toPostgresError(error);
      // After its own time-out pg would lend the connection out again with the old query still running on it.
      if (known instanceof DatabaseUnavailable) this.#broken = true;
      throw known;
    }
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#broken);
  }
}

const int8 = 20;
const numeric = 1700;

/** Integers of any width arrive as numbers, as from SQLite: counters, times in ms, count(*) and sum(). */
function parserOf(type: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return type === int8 || type === numeric ? toExactNumber : types.getTypeParser(type, format);
}

function toExactNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError('the database holds an integer that is too large to be read exactly');
  }
  return value;
}
