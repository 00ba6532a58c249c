import { open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { Application } from '../../compose.ts';
import { isUnavailable } from '../../database/sql/database-errors.ts';
import { movedAway, movedRemedy } from '../../database/sqlite/database-file.ts';
import { noteBackup } from '../../instance/last-backup.ts';
import { Problem } from '../../runtime/problem.ts';
import { codeOf } from '../person-files.ts';
import { renameExclusive } from '../rename-exclusive.ts';
import type { writeBackup } from './machine-operations.ts';

type Backup = AnswerOf<typeof writeBackup>;

/** Writes a consistent copy of the embedded database, while everything goes on. @throws Problem; then there is no copy */
export async function backUpDatabase(application: Application, actor: string, file: string): Promise<Backup> {
  if (application.database.dialect === 'postgres') throw ofPostgres();
  await refuseUnlessInPlace(application);
  // Every byte goes to a file of another name first: what has the name is whole.
  const partial = `${file}.partial`;
  await reserve(file, partial);
  let recorded = false;
  try {
    // Before the copy, so that it is in the copy too: who asked for it.
    recorded = await record(application, file, actor);
    await copyTo(application, partial);
    await refuseUnlessInPlace(application);
    await sync(partial);
    await renameExclusive(partial, file);
  } catch (cause) {
    throw failure(file, cause);
  } finally {
    for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(`${partial}${suffix}`, { force: true });
  }
  await sync(dirname(file));
  await noteMade(application);
  return { file, bytes: (await stat(file)).size, key_id: application.masterKeys.ring().current.id, recorded };
}

/** The copy is of what has the name: the server may write to another. @throws Problem when it does */
async function refuseUnlessInPlace({ database, settings }: Application): Promise<void> {
  if (await database.isInPlace()) return;
  const { databaseFile } = await import('../../compose.ts');
  const detail = `Nothing was copied. ${movedAway(databaseFile(settings))} ${movedRemedy}`;
  throw new Problem('conflict', { field: 'WAXWING_DATA', detail });
}

/** Makes the file that the copy goes to first, its owner's alone. @throws Problem when FILE cannot be written */
async function reserve(file: string, partial: string): Promise<void> {
  const taken = await stat(file).catch(() => undefined);
  if (taken !== undefined) throw refusal(`${file} exists already; it was left as it is. Choose another name.`);
  try {
    await (await open(partial, 'wx', 0o600)).close();
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'EEXIST') {
      const detail = `${partial} is there: another backup is being written, or one was cut off. If none is, remove it.`;
      throw refusal(detail, cause);
    }
    const remedy = 'The folder must exist, and the account that runs the server must be allowed to write there.';
    throw refusal(`${file} cannot be written (${code}). ${remedy}`, cause);
  }
}

/**
 * A database that cannot be written, as on a full disk, is the one that most needs a copy: then the log alone tells of it.
 * @returns whether it is in the audit trail
 */
async function record(application: Application, file: string, actor: string): Promise<boolean> {
  const { database, audit, clock, telemetry } = application;
  const detail = JSON.stringify({ file });
  const event = {
    organizationId: '',
    actor,
    action: 'database.backup' as const,
    subject: 'database',
    at: clock.now(),
    detail,
  };
  try {
    await database.transaction((trx) => audit.record(trx, [event]));
    return true;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    telemetry.log.warn({ err: error, actor, file }, 'a backup is made that the audit trail does not tell of');
    return false;
  }
}

/** For alerts, which tell when the last backup is old. */
async function noteMade({ database, clock, telemetry }: Application): Promise<void> {
  try {
    await noteBackup(database.db, clock.now());
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    telemetry.log.warn({ err: error }, 'a backup was made, but not noted');
  }
}

/**
 * Copies the state committed at this moment, on a connection of its own and off the main thread: neither the server's
 * readers nor its writer wait. It is done in one step, because a copy in several steps starts from the beginning after
 * each commit of others.
 */
async function copyTo({ settings }: Application, target: string): Promise<void> {
  const { DatabaseSync, backup: copyDatabase } = await import('node:sqlite');
  const { databaseFile } = await import('../../compose.ts');
  const source = new DatabaseSync(databaseFile(settings), { readOnly: true, timeout: 5_000 });
  try {
    await copyDatabase(source, target, { rate: pagesOfAny });
  } finally {
    source.close();
  }
  // A log found beside what was restored from it is then known to be another database's (orphaned-log.ts).
  const handle = await open(target, 'r+');
  try {
    await handle.write(writtenWithoutLog, 0, writtenWithoutLog.length, formatVersionsAt);
  } finally {
    await handle.close();
  }
}

/** Where a database file says how it is written and read, and that no write-ahead log belongs to it (sqlite.org/fileformat2.html §1.3.3). */
const formatVersionsAt = 18;
const writtenWithoutLog = Buffer.of(1, 1);

/** More pages than any database has, in the 31 bits that the interface takes. */
const pagesOfAny = 2 ** 31 - 1;

/** A file's bytes, or a folder's entries, are on disk when this resolves. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function failure(file: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (code === 'EEXIST') return refusal(`${file} was made by another meanwhile; it was left as it is.`, cause);
  if (!(cause instanceof Error) || !/^(?:ERR_SQLITE_ERROR|E[A-Z]+)$/.test(code)) return cause;
  return refusal(`${file} was not written: ${cause.message}.`, cause);
}

function refusal(detail: string, cause?: unknown): Problem {
  return new Problem('conflict', { field: 'out', detail, cause });
}

function ofPostgres(): Problem {
  return new Problem('conflict', {
    field: 'WAXWING_DATABASE_URL',
    detail:
      'This copies the embedded database, and yours is PostgreSQL: back it up with pg_dump --format=custom, or as you do your other databases.',
  });
}
