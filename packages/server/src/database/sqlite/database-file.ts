import { closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { repeatingWorker, type Worker } from '../../runtime/supervisor.ts';
import type { Log } from '../../runtime/telemetry.ts';
import type { Database } from '../database.ts';

/**
 * Remembers which file the path names, just after it was opened.
 * @returns a function that tells whether the path and its -wal still name the same files. When either is replaced
 * beside a running server, as by a restore, the server writes to a file without a name, and everything it acknowledges
 * from then on is lost. A file overwritten in place is not noticed.
 */
export async function rememberFile(path: string): Promise<() => Promise<boolean>> {
  const database = await identityOf(path);
  let wal: string | undefined;
  return async () => {
    const [found, foundWal] = await Promise.all([identityOf(path), identityOf(`${path}-wal`)]);
    // Made with the first write; it stays until the last connection is closed.
    if (foundWal !== gone) wal ??= foundWal;
    return isSame(database, found) && (wal === undefined || isSame(wal, foundWal));
  };
}

/** Whether there is a database at all: SQLite takes an empty file for one, and makes a new database in it. */
export function holdsDatabase(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0;
}

/** The names in the folder are on disk when this returns. Windows has no way to sync a folder. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const gone = 'gone';
const unknown = 'unknown';

/** Which file a path names. Of one that cannot be looked at nothing is known. */
async function identityOf(path: string): Promise<string> {
  try {
    // In full: a double does not hold every inode number.
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    return isGone ? gone : unknown;
  }
}

function isSame(former: string, found: string): boolean {
  return former === found || former === unknown || found === unknown;
}

const lookEveryMs = 2_000;

/** Says once in the log that the database's file was moved away or replaced, and once that it is back. */
export function createDatabaseFileWatch(
  { isInPlace }: Pick<Database, 'isInPlace'>,
  file: string,
  log: Pick<Log, 'info' | 'error'>,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
): Worker {
  let wasInPlace = true;
  return repeatingWorker('database-file', lookEveryMs, wait, async () => {
    const inPlace = await isInPlace();
    if (inPlace === wasInPlace) return;
    wasInPlace = inPlace;
    if (inPlace) log.info({ file }, 'the database file is in its place again');
    else log.error({ file }, `${movedAway(file)} ${movedRemedy}`);
  });
}

/** Said of a running server, in several places. */
export const movedAway = (file: string): string =>
  `The database file ${file} was moved away or replaced while the server runs, which goes on writing to the former file.`;
export const movedRemedy =
  'Stop the server; then put the database that you want in that place, with its -wal if it has one, and start it.';
