import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SqliteFailure, SqliteThreadOptions } from './sqlite-message.ts';
import { storageFault } from './storage-fault.ts';

/**
 * In KiB, which a negative number means. The kernel caches the file too: 32 MiB each took 40 MB more and measured no
 * faster. Least for the reader, whose facts stay in memory once read.
 */
const cacheSizes = { writer: -8_192, reader: -2_048 } as const;

/** Opens the file for one role; a writer makes it where there is none. */
export function openConnection({ file, role }: SqliteThreadOptions): DatabaseSync {
  if (role === 'reader') {
    const reader = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    reader.exec(`pragma cache_size = ${cacheSizes.reader}`);
    return reader;
  }
  if (!existsSync(file)) createDurably(file);
  const writer = new DatabaseSync(file, { timeout: 5_000 });
  // FULL: each commit is synced before it is acknowledged (in WAL mode NORMAL is not durable). No memory mapping: an
  // I/O error in a mapping kills the process. The WAL is cut back to 64 MiB after the burst that made it grow, and
  // emptied every 16 MiB: pages that each commit changes go to the file once instead of four times (a tenth to a quarter
  // less CPU for each push).
  writer.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma journal_size_limit = 67108864;
    pragma wal_autocheckpoint = 4000;
    pragma cache_size = ${cacheSizes.writer};
    pragma temp_store = memory;
  `);
  return writer;
}

/** SQLite syncs its files, but not the entry of a new database file in its folder; WAL and index inherit the mode. */
function createDurably(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** An error as it travels to the main thread. */
export function toFailure(file: string, error: unknown): SqliteFailure {
  if (!(error instanceof Error)) return { message: String(error), resultCode: undefined, storage: undefined };
  const resultCode = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
  const fault = storageFault(file, error);
  const storage = fault && `The database ${file} (WAXWING_DATA) cannot be used: ${fault.reason}. ${fault.remedy}`;
  return { message: error.message, resultCode, storage };
}
