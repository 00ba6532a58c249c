import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFolder } from './database-file.ts';
import type { SqliteFailure, SqliteThreadOptions } from './sqlite-message.ts';
import { storageFault } from './storage-fault.ts';

/**
 * In KiB, which a negative number means. The kernel caches the file too: 32 MiB each took 40 MB more and measured no
 * faster. Least for the reader, whose facts stay in memory once read.
 */
const cacheSizes = { writer: -8_192, reader: -2_048, checkpointer: -256 } as const;

/**
 * 64 MiB of 4 KiB pages: where the writer itself moves the WAL into the file, because nobody has done it beside it
 * (sqlite-checkpointer.ts); to which the WAL is cut back, too, after the burst that made it grow.
 */
const lastResortPages = 16_000;
const pageBytes = 4_096;

/** Opens the file for one role; a writer makes it where there is none. */
export function openConnection({ file, role }: SqliteThreadOptions): DatabaseSync {
  if (role === 'reader') {
    const reader = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    reader.exec(`pragma cache_size = ${cacheSizes.reader}`);
    return reader;
  }
  if (role === 'checkpointer') {
    const checkpointer = new DatabaseSync(file, { timeout: 5_000 });
    checkpointer.exec(`pragma synchronous = full; pragma cache_size = ${cacheSizes.checkpointer}`);
    return checkpointer;
  }
  if (!existsSync(file)) createDurably(file);
  const writer = new DatabaseSync(file, { timeout: 5_000 });
  // FULL: each commit is synced before it is acknowledged (in WAL mode NORMAL is not durable). No memory mapping: an
  // I/O error in a mapping kills the process.
  writer.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma journal_size_limit = ${lastResortPages * pageBytes};
    pragma wal_autocheckpoint = ${lastResortPages};
    pragma cache_size = ${cacheSizes.writer};
    pragma temp_store = memory;
  `);
  return writer;
}

/** SQLite syncs its files, but not the entry of a new database file in its folder; WAL and index inherit the mode. */
function createDurably(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  syncFolder(dirname(file));
}

/** An error as it travels to the main thread. */
export function toFailure(file: string, error: unknown): SqliteFailure {
  if (!(error instanceof Error)) return { message: String(error), resultCode: undefined, storage: undefined };
  const resultCode = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
  const fault = storageFault(file, error);
  const storage = fault && `The database ${file} (WAXWING_DATA) cannot be used: ${fault.reason}. ${fault.remedy}`;
  return { message: error.message, resultCode, storage };
}
