import { accessSync, closeSync, constants, existsSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** Why a file or folder cannot be used, for people. */
export interface StorageFault {
  /** Follows a colon: `the disk is full (ENOSPC)`. */
  readonly reason: string;
  /** A whole sentence. */
  readonly remedy: string;
}

type Words = readonly [reason: string, remedy: string];

const notWritable: Words = ['this account may not write there', 'Let it, or choose another folder.'];
const throughFile: Words = ['a part of its path is a file', 'Choose another folder.'];

const systemFaults: Readonly<Record<string, Words>> = {
  EROFS: ['the disk is read-only', 'Mount it writable, or choose another folder.'],
  ENOSPC: ['the disk is full', 'Make room there, or choose another folder.'],
  EDQUOT: ['the quota of this account is used up', 'Make room there, or choose another folder.'],
  EACCES: notWritable,
  EPERM: notWritable,
  ENOTDIR: throughFile,
  EEXIST: throughFile,
  EISDIR: ['there is a folder of that name', 'Choose another folder.'],
};

const damaged: Words = ['it is damaged, or no database', 'Keep a copy of it as it is, and restore your last backup.'];
const unknownRemedy = 'Is the folder there, is its disk sound, and may this account write there?';

const [readOnly, ioError, corrupt, full, cannotOpen, notDatabase] = [8, 10, 11, 13, 14, 26];
const storageCodes: ReadonlySet<unknown> = new Set([readOnly, ioError, corrupt, full, cannotOpen, notDatabase]);

/**
 * What an error of Node's file system, or of SQLite, says about the place of `file`. SQLite hides the system's reason
 * (a full disk may come out as "disk I/O error"), so the place is examined here.
 * @returns undefined when the error is about something else
 */
export function storageFault(file: string, error: unknown): StorageFault | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('syscall' in error && 'code' in error) return systemFault(String(error.code));
  if (!('errcode' in error)) return undefined;
  const code = Number(error.errcode);
  const primary = code & 0xff;
  if (!storageCodes.has(primary)) return undefined;
  const own = `SQLite: ${error.message}, ${code}`;
  if (isDamage(error)) return worded(damaged, own);
  const known = systemFaults[primary === full ? 'ENOSPC' : (lookAgain(file) ?? '')];
  return known === undefined ? { reason: own, remedy: unknownRemedy } : worded(known, own);
}

/** Whether SQLite says that the file itself is not what it should be. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  const primary = Number(error.errcode) & 0xff;
  return primary === corrupt || primary === notDatabase;
}

function systemFault(code: string): StorageFault {
  const known = systemFaults[code];
  return known === undefined ? { reason: code, remedy: unknownRemedy } : worded(known, code);
}

function worded([reason, remedy]: Words, own: string): StorageFault {
  return { reason: `${reason} (${own})`, remedy };
}

/** @returns the system's code for what keeps the file from being written; undefined when nothing shows. */
function lookAgain(file: string): string | undefined {
  try {
    // An attempt to write would make the file where it is missing, and whoever looks there would take it for the database.
    if (existsSync(file)) closeSync(openSync(file, 'r+'));
    else accessSync(`${dirname(file)}/.`, constants.W_OK | constants.X_OK);
    return statfsSync(dirname(file)).bavail === 0 ? 'ENOSPC' : undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : undefined;
  }
}
