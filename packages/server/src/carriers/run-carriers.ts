import type { Ground } from '../audit/ground.ts';
import { type DatabaseUnavailable, unlessUnavailable } from '../database/database.ts';
import { createLeaseStore } from '../database/lease-store.ts';
import { createLeaseKeeper } from '../runtime/lease.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { Carrier } from './carrier.ts';

interface RunCarriersNeeds extends Pick<Ground, 'database' | 'clock' | 'wait'> {
  /** This server's name on the database. */
  readonly nodeId: string;
  readonly carriers: readonly Carrier[];
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

/**
 * Runs each carrier on one server at a time, because two would send every text twice. A stopping server releases a
 * carrier once the results of its submits are recorded. A dead server's carriers are free when its leases end.
 */
export function createCarrierRunner(needs: RunCarriersNeeds): Worker {
  const { database, clock, nodeId, leaseMs, wait, log } = needs;
  const all = needs.carriers.map(({ id }) => leaseOf(id));
  const leases = createLeaseKeeper({
    store: createLeaseStore({ database, group: groupOfLeases, all, durationMs: leaseMs }),
    clock,
    holder: nodeId,
    all,
    durationMs: leaseMs,
    isIdle: (name) => needs.isIdle(name.slice(groupOfLeases.length + 1)),
  });
  const submitters = needs.carriers.map((carrier) =>
    needs.submitter(carrier, () => leases.get(leaseOf(carrier.id)) !== undefined),
  );

  // Leases end by themselves.
  const logOutage = (error: DatabaseUnavailable) => log.warn({ err: error }, 'carriers wait for the database');

  async function keepLeases(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await unlessUnavailable(leases.beat(), logOutage);
      await wait(leaseMs / 4, signal);
    }
  }

  return {
    name: 'carriers',
    async run(signal) {
      const ended = new AbortController();
      const either = AbortSignal.any([signal, ended.signal]);
      const loop = (run: (signal: AbortSignal) => Promise<void>) => run(either).finally(() => ended.abort());
      const ends = await Promise.allSettled([loop(keepLeases), ...submitters.map(({ run }) => loop(run))]);
      await unlessUnavailable(leases.releaseAll(), logOutage);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },
  };
}
