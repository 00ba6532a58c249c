import type { Clock } from './clock.ts';
import type { Log } from './telemetry.ts';
import { wait } from './wait.ts';

/** Long-running work. `run` ends only when the signal is aborted; an earlier end is a fault. */
export interface Worker {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** A worker that repeats one round. @param everyMs the wait after each round */
export function repeatingWorker(
  name: string,
  everyMs: number,
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
  round: (signal: AbortSignal) => Promise<void>,
): Worker {
  return {
    name,
    async run(signal) {
      for (; !signal.aborted; await wait(everyMs, signal)) await round(signal);
    },
  };
}

export type WorkerState = 'running' | 'waiting to restart' | 'stopped';

export interface WorkerReport {
  readonly name: string;
  readonly state: WorkerState;
  /** Since the start. */
  readonly faults: number;
  readonly lastFault: string | undefined;
}

export interface Supervisor {
  /** One report per worker, in the given order, for health. */
  reports(): readonly WorkerReport[];
  /** Stops every worker and waits at most `limitMs`. @returns the names of those still running */
  stop(limitMs: number): Promise<readonly string[]>;
}

interface SupervisorOptions {
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly clock: Clock;
  readonly onState?: (report: WorkerReport) => void;
  /** Waits, or ends early when the signal is aborted. Never rejects. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const shortestWait = 1000;
const longestWait = 60_000;

/** The wait before the next start after so many faults in a row: 1 s, doubled each time, at most 60 s. */
export function restartDelay(faultsInARow: number): number {
  return Math.min(longestWait, shortestWait * 2 ** Math.max(0, faultsInARow - 1));
}

/** Starts all workers, and restarts each that fails, until `stop`. */
export function supervise(workers: readonly Worker[], options: SupervisorOptions): Supervisor {
  const stopping = new AbortController();
  const watched = workers.map((worker) => watch(worker, stopping.signal, options));
  const sleep = options.sleep ?? wait;

  return {
    reports: () => watched.map(({ report }) => report()),
    async stop(limitMs) {
      stopping.abort();
      const enough = new AbortController();
      const allEnded = Promise.all(watched.map(({ ended }) => ended)).finally(() => enough.abort());
      await Promise.race([allEnded, sleep(limitMs, enough.signal)]);
      enough.abort();
      const stuck = watched.map(({ report }) => report()).filter(({ state }) => state !== 'stopped');
      const names = stuck.map(({ name }) => name);
      if (names.length > 0) options.log.warn({ workers: names, limit_ms: limitMs }, 'workers did not end in time');
      return names;
    },
  };
}

interface Watched {
  readonly ended: Promise<void>;
  report(): WorkerReport;
}

function watch(worker: Worker, signal: AbortSignal, options: SupervisorOptions): Watched {
  const { log, clock, onState, sleep = wait } = options;
  let current: WorkerReport = { name: worker.name, state: 'running', faults: 0, lastFault: undefined };

  function change(changes: Partial<WorkerReport>): void {
    current = { ...current, ...changes };
    onState?.(current);
  }

  async function keepRunning(): Promise<void> {
    let faultsInARow = 0;
    while (!signal.aborted) {
      change({ state: 'running' });
      const startedAt = clock.monotonic();
      const fault = await runOnce(worker, signal);
      if (fault === undefined) break;
      // A run as long as the longest wait was sound: its end is a new fault.
      faultsInARow = clock.monotonic() - startedAt >= longestWait ? 1 : faultsInARow + 1;
      const restartInMs = restartDelay(faultsInARow);
      change({ state: 'waiting to restart', faults: current.faults + 1, lastFault: fault.message });
      log.error({ worker: worker.name, restart_in_ms: restartInMs, err: fault }, 'worker failed');
      await sleep(restartInMs, signal);
    }
    change({ state: 'stopped' });
  }

  return { ended: keepRunning(), report: () => current };
}

/** Undefined when the worker ended on request. A fault while stopping counts. */
async function runOnce(worker: Worker, signal: AbortSignal): Promise<Error | undefined> {
  try {
    await worker.run(signal);
    return signal.aborted ? undefined : new Error(`worker ${worker.name} returned without being stopped`);
  } catch (error) {
    if (signal.aborted && isAbort(error, signal)) return undefined;
    return error instanceof Error
      ? error
      : new Error('a worker threw something that is not an error', { cause: error });
  }
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
