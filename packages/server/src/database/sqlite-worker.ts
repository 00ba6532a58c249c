import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Reply, Request, SqliteFailure, SqliteThreadOptions } from './sqlite-message.ts';
import { createSqliteStatements } from './sqlite-statements.ts';

/**
 * The body of a SQLite thread: one connection, one request after the other, so that the main loop never waits for a
 * disk. Its first message is the empty reply 0 once the file is open.
 */
function serve(port: MessagePort, options: SqliteThreadOptions): void {
  const connection = open(options);
  const statements = createSqliteStatements(connection);
  port.on('message', ([id, step, list]: Request) => {
    port.postMessage(answer(id, () => statements.run(step, list)));
    if (step !== 'close') return;
    connection.close();
    port.close();
  });
  port.postMessage([0, [], undefined] satisfies Reply);
}

function answer(id: number, run: () => Reply[1]): Reply {
  try {
    return [id, run() ?? [], undefined];
  } catch (error) {
    return [id, undefined, describe(error)];
  }
}

function describe(error: unknown): SqliteFailure {
  if (!(error instanceof Error)) return { message: String(error), resultCode: undefined };
  const resultCode = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
  return { message: error.message, resultCode };
}

function open({ file, role }: SqliteThreadOptions): DatabaseSync {
  if (role === 'reader') {
    const reader = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    reader.exec('pragma cache_size = -32768');
    return reader;
  }
  if (!existsSync(file)) createDurably(file);
  const writer = new DatabaseSync(file, { timeout: 5_000 });
  // FULL: each commit is synced before it is acknowledged (in WAL mode NORMAL is not durable). No memory mapping: an
  // I/O error in a mapping kills the process. The WAL is cut back to 64 MiB after the burst that made it grow.
  writer.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = on;
    pragma journal_size_limit = 67108864;
    pragma cache_size = -32768;
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

if (parentPort !== null) serve(parentPort, workerData as SqliteThreadOptions);
