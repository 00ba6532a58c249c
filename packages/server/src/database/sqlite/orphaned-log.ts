import { closeSync, existsSync, openSync, readdirSync, readSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from './database-file.ts';

/** What SQLite keeps beside a database, which means nothing without it. */
const companions = ['-wal', '-shm', '-journal'];

/**
 * The write-ahead log beside `file` that belongs to another database, with what goes with it; none where it is the database's own.
 * A log may hold the whole of a database that is gone. SQLite deletes it when it makes a new one in that place, and plays it
 * onto a copy that was restored there.
 */
export function orphansOf(file: string): readonly string[] {
  if (!holdsBytes(`${file}-wal`) || keepsLog(file)) return [];
  return companions.map((suffix) => `${file}${suffix}`).filter((path) => existsSync(path));
}

/** The files that a start has moved aside, from which data may be rescued. */
export function movedOrphansOf(file: string): readonly string[] {
  const folder = dirname(file);
  const isMoved = (name: string) => companions.some((suffix) => name.startsWith(`${basename(file)}${suffix}.`));
  return namesIn(folder)
    .filter(isMoved)
    .sort()
    .map((name) => join(folder, name));
}

/** None of a folder that is not there, or may not be read: others say so. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Gives the orphans names that end with the time, on disk before it returns. @returns the new names */
export function moveOrphansAside(file: string, now: number): readonly string[] {
  const orphans = orphansOf(file);
  if (orphans.length === 0) return [];
  let at = now;
  while (orphans.some((path) => existsSync(asideName(path, at)))) at += 1;
  for (const path of orphans) renameSync(path, asideName(path, at));
  syncFolder(dirname(file));
  return orphans.map((path) => asideName(path, at));
}

function asideName(path: string, at: number): string {
  return `${path}.${new Date(at).toISOString().replaceAll(':', '')}`;
}

function holdsBytes(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0;
}

/** Byte 18 of a database: 2 for one with a write-ahead log, as all of ours have when they are open, and no backup has. */
const formatAt = 18;
const withLog = 2;

/** Whether the database may have written the log beside it. Of one that is no database nothing is known. */
function keepsLog(file: string): boolean {
  if (!holdsBytes(file)) return false;
  const handle = openSync(file, 'r');
  try {
    const head = Buffer.alloc(formatAt + 1);
    readSync(handle, head, 0, head.length, 0);
    return !head.toString('latin1').startsWith('SQLite format 3') || head[formatAt] === withLog;
  } finally {
    closeSync(handle);
  }
}
