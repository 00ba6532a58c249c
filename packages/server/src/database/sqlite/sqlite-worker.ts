import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openConnection, toFailure } from './sqlite-connection.ts';
import type { Reply, Request, SqliteThreadOptions } from './sqlite-message.ts';
import { createSqliteStatements } from './sqlite-statements.ts';

/**
 * The body of a SQLite thread: one connection, one request after the other, so that the main loop never waits for a
 * disk. Its first message is the reply 0: empty once the file is open, or why it cannot be opened.
 */
function serve(port: MessagePort, options: SqliteThreadOptions): void {
  const connection = openConnection(options);
  const statements = createSqliteStatements(connection);
  port.on('message', ([id, step, list]: Request) => {
    port.postMessage(answer(id, options.file, () => statements.run(step, list)));
    if (step !== 'close') return;
    connection.close();
    port.close();
  });
}

function answer(id: number, file: string, run: () => Reply[1]): Reply {
  try {
    return [id, run() ?? [], undefined];
  } catch (error) {
    return [id, undefined, toFailure(file, error)];
  }
}

if (parentPort !== null) {
  const [port, options] = [parentPort, workerData as SqliteThreadOptions];
  port.postMessage(
    answer(0, options.file, () => {
      serve(port, options);
      return [];
    }),
  );
  // As in start-server.ts.
  flushCompileCache();
}
