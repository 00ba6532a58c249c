import type { Flood, ServerProcess } from '../parts/child-link.ts';

/** A flood, and its cost for the sending process. */
export interface FloodSample {
  readonly perSecond: number;
  readonly cpuSecondsPerThousand: number;
  /** Requests beyond one for each event; negative for fewer. */
  readonly surplus: number;
}

/** Makes `server` send a flood, and counts it at the receiver. */
export async function floodSample(server: ServerProcess, receiver: ServerProcess, load: Flood): Promise<FloodSample> {
  const before = await receiver.ask('received');
  const { ms, cpuMs } = await server.ask('flood', load);
  const after = await receiver.ask('received');
  return {
    perSecond: (load.events / ms) * 1000,
    cpuSecondsPerThousand: cpuMs / load.events,
    surplus: after.requests - before.requests - load.events,
  };
}
