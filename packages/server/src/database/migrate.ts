import { sql } from 'kysely';
import { type Clock, systemClock } from '../runtime/clock.ts';
import type { Database, Db } from './database.ts';
import type { Migration } from './schema/migration.ts';
import { migrations as ours } from './schema/migrations/list.ts';
import { QueryFailed, UnsuitableDatabase } from './sql/database-errors.ts';

export interface MigrateOptions {
  readonly migrations?: readonly Migration[];
  readonly clock?: Clock;
}

/** Any number, as long as no other program uses it on the same database. */
const advisoryLock = 7_924_831_106;

/**
 * Brings the schema up to what this version knows, one transaction for each step, safe beside others doing the same.
 * @returns the steps taken by this call, in order.
 * @throws UnsuitableDatabase when the schema is newer than this version, of another history, or may not be made.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<readonly Migration[]> {
  const migrations = options.migrations ?? ours;
  const clock = options.clock ?? systemClock;
  const taken: Migration[] = [];
  for (;;) {
    const step = await takeStep(database, migrations, clock).catch(refuseWithRemedy);
    if (step === undefined) return taken;
    taken.push(step);
  }
}

/** insufficient_privilege (PostgreSQL, appendix A): only a database's owner may create in its schema public since PostgreSQL 15. */
const mayNotCreate = '42501';

function refuseWithRemedy(error: unknown): never {
  if (!(error instanceof QueryFailed) || error.code !== mayNotCreate) throw error;
  throw new UnsuitableDatabase(
    `${error.message}: the role may not make the tables; let it own its database (ALTER DATABASE … OWNER TO …).`,
  );
}

/** Under the lock the state is read anew each time: another process may have taken the step meanwhile. */
function takeStep(database: Database, migrations: readonly Migration[], clock: Clock): Promise<Migration | undefined> {
  return database.maintain(async (trx) => {
    if (database.dialect === 'postgres') await sql`select pg_advisory_xact_lock(${advisoryLock})`.execute(trx);
    await createJournal(trx);
    const next = nextMigration(await readJournal(trx), migrations);
    if (next === undefined) return undefined;
    await next.up(trx as unknown as Parameters<Migration['up']>[0], database.dialect);
    const row = { id: next.id, name: next.name, applied_at: clock.now() };
    await trx.insertInto('schema_migration').values(row).execute();
    return next;
  });
}

interface JournalRow {
  readonly id: number;
  readonly name: string;
}

/**
 * The first migration that the journal lacks, if any.
 * @throws UnsuitableDatabase when the journal has steps that `migrations` lacks or names otherwise.
 */
export function nextMigration(journal: readonly JournalRow[], migrations: readonly Migration[]): Migration | undefined {
  const known = migrations.length;
  const newest = journal.at(-1);
  if (newest !== undefined && newest.id > known) {
    throw new UnsuitableDatabase(
      `The database has schema ${newest.id}, this version knows ${known}: start the newer version, or restore a backup.`,
    );
  }
  for (const [index, migration] of migrations.entries()) {
    const row = journal[index];
    if (row === undefined) return migration;
    if (row.id !== migration.id || row.name !== migration.name) {
      throw new UnsuitableDatabase(
        `The database has schema step ${row.id} "${row.name}" where this version has ${migration.id} "${migration.name}": ` +
          'it belongs to another program or an unreleased version.',
      );
    }
  }
  return undefined;
}

/** What a look at the schema tells without changing anything: `current` of `known`, 0 for an empty database. */
export async function readSchema(
  database: Database,
  migrations: readonly Migration[] = ours,
): Promise<{ readonly current: number; readonly known: number }> {
  const found =
    database.dialect === 'postgres'
      ? sql<{ name: string | null }>`select cast(to_regclass('schema_migration') as text) as name`
      : sql<{ name: string | null }>`select name from sqlite_schema where name = 'schema_migration'`;
  const { rows } = await found.execute(database.db);
  const exists = typeof rows[0]?.name === 'string';
  const journal = exists ? await readJournal(database.db) : [];
  return { current: journal.at(-1)?.id ?? 0, known: migrations.length };
}

function readJournal(db: Db): Promise<JournalRow[]> {
  return db.selectFrom('schema_migration').select(['id', 'name']).orderBy('id').execute();
}

async function createJournal(trx: Db): Promise<void> {
  await trx.schema
    .createTable('schema_migration')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
    .execute();
}
