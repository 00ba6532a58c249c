import type { Clock } from './clock.ts';
import type { Log } from './telemetry.ts';
import { wait } from './wait.ts';

/** Long-running work. `run` ends only when the signal is aborted: to throw or to return before is a fault. */
export interface Worker {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

export type WorkerState = 'running' | 'waiting to restart' | 'stopped';

export interface WorkerReport {
  readonly name: string;
  readonly state: WorkerState;
  /** Faults since the start. */
  readonly faults: number;
  /** What the latest fault said. */
  readonly lastFault: string | undefined;
}

export interface Supervisor {
  /** One report per worker, in the order given; health reads it. */
  reports(): readonly WorkerReport[];
  /**
   * Asks every worker to end and waits for them, at most so many milliseconds.
   *
   * @returns the names of those that had not ended by then
   */
  stop(limitMs: number): Promise<readonly string[]>;
}

export interface SupervisorOptions {
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly clock: Clock;
  readonly onState?: (report: WorkerReport) => void;
  /** Waits so many milliseconds, or until the signal is aborted; never rejects. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const shortestWait = 1000;
const longestWait = 60_000;

/** How long to wait before the next start after so many faults in a row: 1 s, doubled each time, at most 60 s. */
export function restartDelay(faultsInARow: number): number {
  return Math.min(longestWait, shortestWait * 2 ** Math.max(0, faultsInARow - 1));
}

/** Starts all workers, and starts each again that fails, until `stop`. */
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
      // A run that lasted as long as the longest wait was sound: what ends it is a new trouble, not the old one.
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

/** Undefined when the worker ended because it was asked to; a fault while stopping is a fault too. */
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
