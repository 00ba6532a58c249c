/**
 * Every function here is synchronous: comparing the file with the ring and replacing it must not interleave with
 * another change in this process. The key that loses such a race may already have sealed something.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Problem, type ProblemCode } from '../runtime/problem.ts';
import { formatKeyRing, type KeyRing, newMasterKey, parseKeyRing, withCurrentKey, withKeysOnly } from './key-ring.ts';

const FIELD = 'WAXWING_MASTER_KEY_FILE';
const MAX_BYTES = 64 * 1024;
// Windows has neither mode bits nor a way to sync a folder.
const onWindows = process.platform === 'win32';

/**
 * @throws Problem `not_found` without a file; `invalid_parameter` (field WAXWING_MASTER_KEY_FILE) when other users have
 *   access, when it cannot be read, or when it is malformed
 */
export function loadKeyRing(path: string): KeyRing {
  const parsed = parseKeyRing(readPrivateFile(path));
  if ('fault' in parsed) throw refusal('invalid_parameter', `${path} ${parsed.fault}; restore it from your copy.`);
  return parsed.ring;
}

/** Makes a ring of one new key, on disk with its folder. @throws Problem `conflict` for an existing file */
export function createKeyRing(path: string, now: number): KeyRing {
  const current = newMasterKey(now, randomBytes);
  const ring = { current, keys: [current] };
  makeFolder(dirname(resolve(path)));
  const temporary = writeTemporary(path, ring);
  try {
    // Unlike rename, link never replaces a file.
    fs.linkSync(temporary, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw refusal('conflict', `${path} exists already; it was left as it is.`);
    throw afterRace(path, error);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
  syncFolder(dirname(resolve(path)));
  return ring;
}

/** The file name of a first key that no database remembers yet. A file named `path` was in use. */
const firstKeyOf = (path: string): string => `${path}.first`;

/** Makes the first key, or continues an interrupted start. @throws what `loadKeyRing` and `createKeyRing` throw */
export function createFirstKey(path: string, now: number): KeyRing {
  return ringIfThere(firstKeyOf(path)) ?? createKeyRing(firstKeyOf(path), now);
}

/** The first key that was made but not named, if any. */
export function unnamedFirstKey(path: string): KeyRing | undefined {
  return ringIfThere(firstKeyOf(path));
}

/** Names the first key once the database remembers it. Another server may have named it already. */
export function nameFirstKey(path: string): void {
  try {
    fs.renameSync(firstKeyOf(path), path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || !fs.existsSync(path)) throw error;
  }
  removeLeftovers(firstKeyOf(path));
  syncFolder(dirname(resolve(path)));
}

/** The file's ring, or undefined without a file. @throws what `loadKeyRing` throws for an existing one */
export function ringIfThere(path: string): KeyRing | undefined {
  try {
    return loadKeyRing(path);
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Adds a new current key, on disk before it returns. @throws Problem `conflict` for a changed file */
export function addKey(path: string, ring: KeyRing, now: number): KeyRing {
  return replace(path, ring, withCurrentKey(ring, newMasterKey(now, randomBytes)));
}

/**
 * Forgets every key not in `keepIds`. Secrets under a forgotten key are lost: the caller makes sure that none is left.
 * @throws Problem `invalid_parameter` when `keepIds` omits the current key or names an unknown one; `conflict` for a
 *   changed file
 */
export function retireKeys(path: string, ring: KeyRing, keepIds: readonly string[]): KeyRing {
  const reduced = withKeysOnly(ring, keepIds);
  if ('fault' in reduced) throw new Problem('invalid_parameter', { field: 'keepIds', detail: `${reduced.fault}.` });
  return replace(path, ring, reduced.ring);
}

/** Replaces the file in one step: a process killed at any moment leaves the old file or the new one. */
function replace(path: string, expected: KeyRing, next: KeyRing): KeyRing {
  if (formatKeyRing(loadKeyRing(path)) !== formatKeyRing(expected)) throw changedMeanwhile(path);
  // Replaces the target of a symbolic link, not the link.
  const target = fs.realpathSync(path);
  const temporary = writeTemporary(target, next);
  try {
    keepOwner(target, temporary);
    fs.renameSync(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw afterRace(path, error);
  }
  syncFolder(dirname(target));
  return next;
}

/** Root may rotate the key of a service that runs as another user, and must not lock it out. */
function keepOwner(target: string, temporary: string): void {
  const was = fs.statSync(target);
  const is = fs.statSync(temporary);
  if (was.uid !== is.uid || was.gid !== is.gid) fs.chownSync(temporary, was.uid, was.gid);
}

function readPrivateFile(path: string): string {
  const file = openForReading(path);
  try {
    const stat = fs.fstatSync(file);
    if (!stat.isFile()) throw refusal('invalid_parameter', `${path} is not a file.`);
    if (!onWindows && (stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8).padStart(4, '0');
      throw refusal(
        'invalid_parameter',
        `${path} can be read or changed by users other than its owner (mode ${mode}): chmod 600 ${path}`,
      );
    }
    if (stat.size > MAX_BYTES) throw refusal('invalid_parameter', `${path} is too large to be a master key file.`);
    return fs.readFileSync(file, 'utf8');
  } finally {
    fs.closeSync(file);
  }
}

function openForReading(path: string): number {
  try {
    return fs.openSync(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw refusal('not_found', `There is no master key file ${path}.`);
    throw refusal('invalid_parameter', `${path} cannot be opened for reading (${codeOf(error)}).`, error);
  }
}

/** Writes the ring to a new file beside `path`, synced, mode 0600. Removes leftovers of killed processes first. */
function writeTemporary(path: string, ring: KeyRing): string {
  removeLeftovers(path);
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  const file = fs.openSync(temporary, 'wx', 0o600);
  try {
    fs.writeFileSync(file, formatKeyRing(ring));
    fs.fsyncSync(file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  } finally {
    fs.closeSync(file);
  }
  return temporary;
}

/** A leftover may hold retired keys, so it must go. */
function removeLeftovers(path: string): void {
  const folder = dirname(resolve(path));
  const prefix = `${basename(path)}.`;
  for (const name of fs.readdirSync(folder)) {
    if (name.startsWith(prefix) && /^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length))) {
      fs.rmSync(join(folder, name), { force: true });
    }
  }
}

/** Makes the folder and missing ones above it, and syncs every folder with a new entry. */
function makeFolder(folder: string): void {
  const first = fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
}

function syncFolder(folder: string): void {
  if (onWindows) return;
  const handle = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

function changedMeanwhile(path: string): Problem {
  return refusal('conflict', `${path} was changed by another process. Repeat.`);
}

/** Another process that changes the file meanwhile takes this temporary file for a leftover. */
function afterRace(path: string, error: unknown): unknown {
  return codeOf(error) === 'ENOENT' ? changedMeanwhile(path) : error;
}

function refusal(code: ProblemCode, detail: string, cause?: unknown): Problem {
  return new Problem(code, { field: FIELD, detail, cause });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
