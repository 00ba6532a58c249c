import type { Ground } from '../audit/ground.ts';
import { type DatabaseUnavailable, unlessUnavailable } from '../database/database.ts';
import { createLeaseStore } from '../database/lease-store.ts';
import { createLeaseKeeper } from '../runtime/lease.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { Carrier } from './carrier.ts';

interface RunCarriersNeeds extends Pick<Ground, 'database' | 'clock' | 'wait'> {
  /** This server's name on the database. */
  readonly nodeId: string;
  /** The carriers that are to run at this moment. A carrier that became another object is started anew. */
  readonly carriers: () => Promise<readonly Carrier[]>;
  readonly leaseMs: number;
  /** The worker that submits to a carrier while `holds` allows this server to. */
  readonly submitter: (carrier: Carrier, holds: () => boolean) => Worker;
  /** Whether no submit of this server to the carrier is in flight. */
  readonly isIdle: (carrierId: string) => boolean;
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

export const groupOfLeases = 'carrier';

/** The server that holds this lease runs the carrier. */
export const leaseOf = (carrierId: string): string => `${groupOfLeases}/${carrierId}`;

const lookEveryMs = 250;

interface Running {
  readonly carrier: Carrier;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Runs each carrier on one server at a time, because two would send every text twice. A stopping server releases a
 * carrier once the results of its submits are recorded. A dead server's carriers are free when its leases end.
 */
export function createCarrierRunner(needs: RunCarriersNeeds): Worker {
  const { database, clock, nodeId, leaseMs, wait, log } = needs;
  const running = new Map<string, Running>();
  /** Lives as long as the worker; the leases are those of the carriers at the moment. */
  const all: string[] = [];
  const leases = createLeaseKeeper({
    store: createLeaseStore({ database, group: groupOfLeases, all, durationMs: leaseMs }),
    clock,
    holder: nodeId,
    all,
    durationMs: leaseMs,
    isIdle: (name) => needs.isIdle(name.slice(groupOfLeases.length + 1)),
  });
  let hurry = () => {};

  // Leases end by themselves.
  const logOutage = (error: DatabaseUnavailable) => log.warn({ err: error }, 'carriers wait for the database');

  async function keepLeases(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await unlessUnavailable(leases.beat(), logOutage);
      const sleeping = new AbortController();
      hurry = () => sleeping.abort();
      await wait(leaseMs / 4, AbortSignal.any([signal, sleeping.signal]));
    }
  }

  function start(carrier: Carrier, signal: AbortSignal, onFault: (error: unknown) => void): Running {
    const stop = new AbortController();
    const holds = () => leases.get(leaseOf(carrier.id)) !== undefined;
    const worker = needs.submitter(carrier, holds);
    const ended = worker.run(AbortSignal.any([signal, stop.signal])).catch(onFault);
    return { carrier, stop, ended };
  }

  async function end(id: string, { stop, ended }: Running): Promise<void> {
    stop.abort();
    await ended;
    running.delete(id);
  }

  async function follow(signal: AbortSignal, onFault: (error: unknown) => void): Promise<void> {
    const wanted = await needs.carriers();
    const names = wanted.map(({ id }) => leaseOf(id));
    const isChanged = names.length !== all.length || names.some((name) => !all.includes(name));
    all.splice(0, all.length, ...names);
    const gone = [...running].filter(([, { carrier }]) => !wanted.includes(carrier));
    await Promise.all(gone.map(([id, entry]) => end(id, entry)));
    for (const carrier of wanted) {
      if (!running.has(carrier.id)) running.set(carrier.id, start(carrier, signal, onFault));
    }
    // New carriers, and those that others are to have, need not wait for the next beat.
    if (isChanged) hurry();
  }

  return {
    name: 'carriers',
    async run(signal) {
      const ended = new AbortController();
      const either = AbortSignal.any([signal, ended.signal]);
      const faults: unknown[] = [];
      const onFault = (error: unknown) => {
        faults.push(error);
        ended.abort();
      };
      const keeping = keepLeases(either).catch(onFault);
      while (!either.aborted) {
        await unlessUnavailable(follow(either, onFault), logOutage).catch(onFault);
        await wait(lookEveryMs, either);
      }
      await Promise.all([keeping, ...[...running.values()].map((entry) => entry.ended)]);
      running.clear();
      await unlessUnavailable(leases.releaseAll(), logOutage);
      if (faults.length > 0) throw faults[0];
    },
  };
}
