import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext } from 'node:test';
import { Client, escapeIdentifier } from 'pg';
import type { DatabaseHooks, DatabaseKind, OpenedDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { type DatabaseOptions, openDatabase } from './open-database.ts';
import { findPostgres, startPostgres, type TestPostgres } from './postgres/postgres.testing.ts';

export interface FreshDatabase {
  readonly database: OpenedDatabase;
  /** To open it once more, as a second node or after a restart. */
  readonly options: DatabaseOptions;
  /** Closes and removes it. */
  close(): Promise<void>;
}

export interface FreshOptions {
  /** Without tables; otherwise with the newest schema. */
  readonly empty?: boolean;
  readonly hooks?: DatabaseHooks;
}

/**
 * A database nobody else uses, a copy of a migrated template.
 * PostgreSQL is the cluster that `WAXWING_TEST_POSTGRES` names, else one that lives as long as this process.
 */
export function freshDatabase(kind: DatabaseKind, options: FreshOptions = {}): Promise<FreshDatabase> {
  return kind === 'sqlite' ? freshSqlite(options) : freshPostgres(options);
}

/** Opens a fresh database that is closed and removed when the test ends. */
export type Open = (test: TestContext, options?: FreshOptions) => Promise<OpenedDatabase>;

/**
 * Declares the same tests for both databases. Where the system has no PostgreSQL its half is skipped with the reason,
 * and fails with `CI=true`. A database that a test leaves open fails the run.
 */
export function onBothDatabases(name: string, declare: Declare): void {
  declareOn(['sqlite', 'postgres'], name, declare);
}

/** The same for long tests of what no database decides, such as roles and schemas: a short run has SQLite alone. */
export function onBothDatabasesInFull(name: string, declare: Declare): void {
  declareOn(process.env.WAXWING_TEST_SCALE === 'full' ? ['sqlite', 'postgres'] : ['sqlite'], name, declare);
}

type Declare = (open: Open, kind: DatabaseKind) => void;

function declareOn(kinds: readonly DatabaseKind[], name: string, declare: Declare): void {
  for (const kind of kinds) {
    describe(`${name} on ${kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`, { skip: reasonToSkip(kind) }, () => {
      const open: Open = async (test, options) => {
        const fresh = await freshDatabase(kind, options);
        test.after(() => fresh.close());
        return fresh.database;
      };
      declare(open, kind);
    });
  }
}

/** Why tests on this database cannot run here, or false. With `CI=true` they are not skipped: they run and fail. */
export function reasonToSkip(kind: DatabaseKind): string | false {
  if (kind === 'sqlite' || process.env.CI === 'true') return false;
  if (process.env.WAXWING_TEST_POSTGRES !== undefined || findPostgres() !== undefined) return false;
  return 'SKIPPED: no postgres and initdb programs here (Debian: apt-get install postgresql)';
}

const unclosed = new Set<string>();

if (process.env.NODE_TEST_CONTEXT !== undefined) {
  after(async () => {
    const cluster = await ownCluster;
    await cluster?.stop();
    if (unclosed.size > 0) throw new Error(`databases left open: ${[...unclosed].join(', ')}`);
  });
}

async function freshSqlite({ empty = false, hooks }: FreshOptions): Promise<FreshDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'waxwing-sqlite-'));
  const options = { kind: 'sqlite', file: join(folder, 'waxwing.db') } as const;
  if (!empty) await writeFile(options.file, await migratedFile(), { mode: 0o600 });
  const database = await openDatabase(options, hooks);
  return lent(database, options, () => rm(folder, { recursive: true, force: true }));
}

let ourMigratedFile: Promise<Buffer> | undefined;

function migratedFile(): Promise<Buffer> {
  ourMigratedFile ??= makeMigratedFile();
  return ourMigratedFile;
}

async function makeMigratedFile(): Promise<Buffer> {
  const fresh = await freshSqlite({ empty: true });
  try {
    await migrate(fresh.database);
    await fresh.database.close();
    return await readFile((fresh.options as { readonly file: string }).file);
  } finally {
    await fresh.close();
  }
}

async function freshPostgres({ empty = false, hooks }: FreshOptions): Promise<FreshDatabase> {
  const maintenance = process.env.WAXWING_TEST_POSTGRES ?? (await startOwnCluster()).url;
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = empty ? 'template0' : await ensureTemplate(maintenance);
  await administer(maintenance, `create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)}`);
  const options = { kind: 'postgres', url: urlOf(maintenance, name), poolSize: 5 } as const;
  const database = await openDatabase(options, hooks);
  return lent(database, options, () => administer(maintenance, `drop database ${escapeIdentifier(name)} with (force)`));
}

function lent(database: OpenedDatabase, options: DatabaseOptions, remove: () => Promise<void>): FreshDatabase {
  const name = options.kind === 'sqlite' ? options.file : new URL(options.url).pathname;
  unclosed.add(name);
  return {
    database,
    options,
    async close() {
      await database.close();
      await remove();
      unclosed.delete(name);
    },
  };
}

let ownCluster: Promise<TestPostgres> | undefined;

function startOwnCluster(): Promise<TestPostgres> {
  ownCluster ??= startPostgres({ durable: false });
  return ownCluster;
}

let ourTemplate: Promise<string> | undefined;

/** Several test processes may ask at once: the first one makes it, under a name it only gets when it is complete. */
function ensureTemplate(maintenance: string): Promise<string> {
  ourTemplate ??= withClient(maintenance, async (client) => {
    const template = 'waxwing_template';
    await client.query('select pg_advisory_lock(1)');
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template]);
    if (rowCount !== 0) return template;
    await client.query('drop database if exists unfinished_template');
    await client.query('create database unfinished_template template template0');
    const database = await openDatabase({
      kind: 'postgres',
      url: urlOf(maintenance, 'unfinished_template'),
      poolSize: 1,
    });
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    await client.query(`alter database unfinished_template rename to ${template}`);
    return template;
  });
  return ourTemplate;
}

function administer(maintenance: string, statement: string): Promise<void> {
  return withClient(maintenance, async (client) => {
    await client.query(statement);
  });
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(maintenance: string, database: string): string {
  const url = new URL(maintenance);
  url.pathname = `/${database}`;
  return url.href;
}
