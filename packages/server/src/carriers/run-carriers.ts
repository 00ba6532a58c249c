import { type Database, isUnavailable } from '../database/connect.ts';
import { createLeaseStore } from '../database/lease-store.ts';
import type { Clock } from '../runtime/clock.ts';
import { createLeaseKeeper } from '../runtime/lease.ts';
import type { Worker } from '../runtime/supervisor.ts';

export interface RunCarriersNeeds {
  readonly database: Database;
  readonly clock: Clock;
  /** The name of this server among those on the same database. */
  readonly nodeId: string;
  /** The carriers that there are, by id. */
  readonly carriers: readonly string[];
  readonly leaseMs: number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The worker that submits to a carrier as long as `holds` says that this server may. */
  readonly submitter: (carrierId: string, holds: () => boolean) => Worker;
  /** Whether nothing that was submitted to it by this server is under way. */
  readonly isIdle: (carrierId: string) => boolean;
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

const group = 'carrier';

/** Whoever holds it runs the carrier. */
export const leaseOf = (carrierId: string): string => `${group}/${carrierId}`;

/**
 * Runs each carrier on one server at a time: two that read the same queue would send every text twice. A stopped server
 * gives its carriers up only when what it submitted is recorded; those of a dead one are free when its lease ends.
 */
export function createCarrierRunner(needs: RunCarriersNeeds): Worker {
  const { database, clock, nodeId, leaseMs, wait, log } = needs;
  const all = needs.carriers.map(leaseOf);
  const leases = createLeaseKeeper({
    store: createLeaseStore({ database, group, all, durationMs: leaseMs }),
    clock,
    holder: nodeId,
    all,
    durationMs: leaseMs,
    isIdle: (name) => needs.isIdle(name.slice(group.length + 1)),
  });
  const submitters = needs.carriers.map((id) => needs.submitter(id, () => leases.get(leaseOf(id)) !== undefined));

  async function unlessUnavailable(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      // Leases end by themselves; to fail here would add the supervisor's pause to the outage.
      if (!isUnavailable(error)) throw error;
      log.warn({ err: error }, 'carriers wait for the database');
    }
  }

  async function keepLeases(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await unlessUnavailable(leases.beat());
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
      await unlessUnavailable(leases.releaseAll());
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    },
  };
}
