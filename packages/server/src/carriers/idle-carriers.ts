import type { Ground } from '../audit/ground.ts';
import { unlessUnavailable } from '../database/database.ts';
import { createLeaseStore } from '../database/lease-store.ts';
import type { Worker } from '../runtime/supervisor.ts';
import { findIdleCarriers } from './carrier-store.ts';
import type { CarrierChoices } from './choose-carriers.ts';
import { groupOfLeases, leaseOf } from './run-carriers.ts';

interface IdleCarriersNeeds extends Pick<Ground, 'database' | 'wait'> {
  readonly nodeId: string;
  readonly leaseMs: number;
  readonly choices: Pick<CarrierChoices, 'moveParts'>;
}

const everyMs = 5_000;

/**
 * Moves the parts that wait for deleted and disabled carriers to other carriers. It takes the carrier's lease meanwhile:
 * a server that still submits to the carrier holds it, and would submit what it has in memory as well.
 */
export function createIdleCarriers({ database, wait, nodeId, leaseMs, choices }: IdleCarriersNeeds): Worker {
  // Another name than that of this server's own links, whose leases it must not take over.
  const holder = `${nodeId} (moving)`;
  const leases = createLeaseStore({ database, group: groupOfLeases, all: [], durationMs: leaseMs });

  async function look(): Promise<void> {
    for (const id of await findIdleCarriers(database.db)) {
      const taken = await leases.take(holder, [leaseOf(id)]);
      if (taken.size === 0) continue;
      try {
        await choices.moveParts(id);
      } finally {
        await leases.release(holder, [leaseOf(id)], false);
      }
    }
  }

  return {
    name: 'idle-carriers',
    async run(signal) {
      while (!signal.aborted) {
        await unlessUnavailable(look());
        await wait(everyMs, signal);
      }
    },
  };
}
