import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { storageFault } from '../database/sqlite/storage-fault.ts';
import { Problem } from '../runtime/problem.ts';

export interface NamedBytes {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * Reads files that the person named.
 * @throws Problem `invalid_parameter`, naming `field`, with each file that cannot be read, or when all together have
 *   more than `limit` bytes
 */
export function readFiles(
  field: string,
  paths: readonly string[],
  limit: number,
  limitedBy = 'WAXWING_IMPORT_LIMIT allows',
): NamedBytes[] {
  const faults: { field: string; message: string }[] = [];
  const files: NamedBytes[] = [];
  let total = 0;
  for (const path of paths) {
    try {
      const stat = statSync(path);
      total += stat.size;
      if (!stat.isFile()) faults.push({ field: path, message: 'is not a file.' });
      else if (total <= limit) files.push({ name: basename(path), bytes: readFileSync(path) });
    } catch (error) {
      faults.push({ field: path, message: `cannot be read (${codeOf(error)}).` });
    }
  }
  if (total > limit) {
    faults.push({ field, message: `${total} bytes are more than ${limitedBy} (${limit}).` });
  }
  if (faults.length === 0) return files;
  throw new Problem('invalid_parameter', { field, detail: 'The files were not accepted.', faults });
}

/** Longer than any. */
const secretBytes = 16_384;

/**
 * The secret in a file, without the newline at its end; undefined where none is named.
 * @throws Problem `invalid_parameter` for a file that cannot be read
 */
export function readSecret(option: string, path: string | undefined, folder: string): string | undefined {
  if (path === undefined) return undefined;
  const [file] = readFiles(option, [resolve(folder, path)], secretBytes, 'any secret has');
  return file?.bytes.toString().replace(/\r?\n$/, '');
}

/** Makes the folder, for its owner alone, unless it is there. @throws Problem `invalid_parameter`, naming `field`. */
export function makeFolder(field: string, folder: string): void {
  try {
    makeWithParents(folder);
  } catch (cause) {
    const fault = storageFault(folder, cause);
    if (fault === undefined) throw cause;
    const detail = `The folder ${folder} cannot be made (${field}): ${fault.reason}. ${fault.remedy}`;
    throw new Problem('invalid_parameter', { field, detail, cause });
  }
}

/** One by one: Node's own way to make parents reports a read-only disk as ENOENT. */
function makeWithParents(folder: string): void {
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) makeWithParents(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Writes new files that their owner alone may read (0600), all or none, on disk before it returns.
 * @returns their paths
 * @throws Problem `conflict` when one exists: nothing is overwritten
 */
export function writePrivateFiles(folder: string, files: readonly NamedBytes[]): string[] {
  const written: string[] = [];
  try {
    for (const { name, bytes } of files) {
      const path = join(folder, basename(name));
      const file = openSync(path, 'wx', 0o600);
      written.push(path);
      try {
        writeFileSync(file, bytes);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    }
    syncFolder(folder);
    return written;
  } catch (cause) {
    for (const path of written) rmSync(path, { force: true });
    throw refusal(folder, cause);
  }
}

function refusal(folder: string, cause: unknown): Problem {
  const path = cause instanceof Error && 'path' in cause ? String(cause.path) : folder;
  const detail =
    codeOf(cause) === 'EEXIST'
      ? `${path} exists already; it was left as it is. Choose another folder by --out.`
      : `Nothing was written to ${folder} (${codeOf(cause)}).`;
  return new Problem('conflict', { field: 'out', detail, cause });
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
