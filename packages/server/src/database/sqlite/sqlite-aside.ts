import { fork } from 'node:child_process';
import { bareEnvironment } from '../../runtime/bare-environment.ts';
import { DatabaseUnavailable } from '../sql/database-errors.ts';
import { toQueryError } from './sqlite-error.ts';
import type { AsideRequest, Reply, Statement, StatementResult } from './sqlite-message.ts';

/**
 * Reads that may take long, each in a process of its own that ends with it. No thread: SQLite is not interrupted in
 * one, and a process cannot end before its threads do (measured: an exit that waited nine seconds for a query).
 */
export interface SqliteAside {
  /** @throws QueryFailed when SQLite refuses; DatabaseUnavailable when it cannot now, or was closed meanwhile. */
  run(statement: Statement): Promise<StatementResult>;
  /** Ends what runs, at once. */
  close(): Promise<void>;
}

/** A scrape of the metrics takes two, and must not refuse the doctor its own. */
const maxRunning = 4;

export function createSqliteAside(file: string): SqliteAside {
  const running = new Map<AbortController, Promise<unknown>>();

  return {
    async run(statement) {
      if (running.size >= maxRunning) throw new DatabaseUnavailable(`${maxRunning} long reads run already`);
      const stop = new AbortController();
      const reading = readInProcess({ file, statement }, stop.signal).finally(() => running.delete(stop));
      running.set(stop, reading);
      return reading;
    },
    async close() {
      const ending = [...running.values()];
      for (const stop of running.keys()) stop.abort();
      await Promise.allSettled(ending);
    },
  };
}

/** Resolves once the process is gone, so that it holds nothing of the database any more. */
function readInProcess(request: AsideRequest, signal: AbortSignal): Promise<StatementResult> {
  return new Promise((resolve, reject) => {
    // No environment and no flags of ours: it needs neither, and the environment may hold secrets.
    const child = fork(new URL('./sqlite-aside-process.ts', import.meta.url), [], {
      env: bareEnvironment(),
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    let reply: Reply | undefined;
    let fault: Error | undefined;
    const kill = () => child.kill('SIGKILL');
    signal.addEventListener('abort', kill);
    child.once('message', (message) => {
      reply = message as Reply;
    });
    child.on('error', (error) => {
      fault = error;
    });
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', kill);
      const [result] = reply?.[1] ?? [];
      if (result !== undefined) resolve(result);
      else if (reply?.[2] !== undefined) reject(toQueryError(reply[2]));
      else
        reject(new DatabaseUnavailable(`a long read ended before its answer: ${fault?.message ?? killedBy ?? code}`));
    });
    child.send(request, () => {});
  });
}
