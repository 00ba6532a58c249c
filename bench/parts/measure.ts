import type { ServerProcess } from './child-link.ts';
import { type Load, type LoadOutcome, runLoad } from './load.ts';

/** The length and number of measurements. */
export interface Course {
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** One load, and its cost for the server. */
export interface Sample extends LoadOutcome {
  /** CPU time of the server process alone, all its threads. */
  readonly cpuMsPerThousand: number;
  /** Commits of hand-outs during the load; 0 where nothing is recorded. */
  readonly commits: number;
}

/** @param recorded whether to ask for the commits */
export async function measure(
  server: ServerProcess,
  load: Load,
  recorded: boolean,
  signal: AbortSignal,
): Promise<Sample> {
  const linksBefore = recorded ? await server.ask('links') : 0;
  const before = await server.ask('usage');
  const outcome = await runLoad(load, signal);
  const after = await server.ask('usage');
  const links = recorded ? await server.ask('links') : 0;
  return {
    ...outcome,
    cpuMsPerThousand: ((after.cpuMs - before.cpuMs) / outcome.requests) * 1000,
    commits: links - linksBefore,
  };
}
