import type { Ground } from '../../audit/ground.ts';
import { type DatabaseUnavailable, unlessUnavailable } from '../../database/database.ts';
import { createLeaseStore } from '../../database/lease-store.ts';
import { type Clock, firstIdAt } from '../../runtime/clock.ts';
import { createLeaseKeeper } from '../../runtime/lease.ts';
import type { Worker } from '../../runtime/supervisor.ts';
import type { FactSource } from '../rules/fact-source.ts';
import { endUnsendable, forgetAlerts } from './alert-store.ts';
import { forgetFormerMarks, forgetTypesExcept } from './condition-store.ts';
import { type DeliveryNeeds, deliverAlerts } from './deliver-alerts.ts';
import { type EvaluationNeeds, evaluateAlerts } from './evaluate-alerts.ts';

export interface AlertEngineNeeds
  extends Pick<Ground, 'database' | 'feed' | 'clock' | 'wait'>,
    Omit<EvaluationNeeds, 'log'>,
    Omit<DeliveryNeeds, 'log'> {
  /** This server's name on the database. */
  readonly nodeId: string;
  readonly leaseMs: number;
  /** How often it looks. */
  readonly everyMs: number;
  /** How long what was told stays listed. */
  readonly keepMs: number;
  /** Decides what is old enough to be removed. */
  readonly retentionClock: Pick<Clock, 'now'>;
  readonly sources: readonly FactSource[];
  readonly log: DeliveryNeeds['log'] & EvaluationNeeds['log'];
}

export interface AlertEngine {
  readonly worker: Worker;
  /** For tests and for the worker: renews the lease. */
  beat(): Promise<void>;
  /** For tests and for the worker: decides what to tell. @returns how much was told by this server */
  look(signal?: AbortSignal): Promise<number>;
  /** For tests and for the worker: sends what waits. @returns how many attempts were made */
  deliver(signal: AbortSignal): Promise<number>;
  /** For tests and for the worker: forgets what is over. */
  keepHouse(signal: AbortSignal): Promise<void>;
}

const group = 'alerts';
/** Its holder tells what is so for all servers, and sends. */
const lease = `${group}/1`;
const deliverEveryMs = 1_000;
const housekeepingMs = 3_600_000;
/** A look takes a tenth of the time at most, however much there is to look at. */
const restsPerLook = 9;

export function createAlertEngine(needs: AlertEngineNeeds): AlertEngine {
  const { database, clock, wait, log, leaseMs, everyMs, nodeId } = needs;
  const own = needs.sources.filter(({ ofServer }) => ofServer !== undefined);
  const shared = needs.sources.filter(({ ofServer }) => ofServer === undefined);
  const leases = createLeaseKeeper({
    store: createLeaseStore({ database, group, all: [lease], durationMs: leaseMs }),
    clock,
    holder: nodeId,
    all: [lease],
    durationMs: leaseMs,
    isIdle: () => true,
  });

  async function look(signal?: AbortSignal): Promise<number> {
    const told = await evaluateAlerts(needs, own, undefined, signal);
    const held = leases.get(lease);
    return held === undefined ? told : told + (await evaluateAlerts(needs, shared, held, signal));
  }

  async function deliver(signal: AbortSignal): Promise<number> {
    const held = leases.get(lease);
    return held === undefined ? 0 : deliverAlerts(needs, AbortSignal.any([signal, held.lost]));
  }

  async function keepHouse(signal: AbortSignal): Promise<void> {
    await forgetAlerts(database, firstIdAt(needs.retentionClock.now() - needs.keepMs), signal);
    await endUnsendable(database.db, clock.now());
    await forgetFormerMarks(database.db);
    const types = needs.sources.flatMap(({ decides }) => decides);
    if (leases.get(lease) !== undefined) await forgetTypesExcept(database.db, types);
  }

  const noteOutage = (err: DatabaseUnavailable) => log.warn({ err }, 'alerts wait for the database');

  /** @param rests how many times as long as it took it rests at least */
  async function every(ms: number, rests: number, signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) {
      const began = clock.monotonic();
      await unlessUnavailable(work(), noteOutage);
      const tookMs = clock.monotonic() - began;
      await wait(Math.max(ms - tookMs, rests * tookMs), signal);
    }
  }

  return {
    worker: {
      name: 'alerts',
      async run(signal) {
        const ended = new AbortController();
        const either = AbortSignal.any([signal, ended.signal]);
        const loop = (ms: number, work: () => Promise<unknown>, rests = 0) =>
          every(ms, rests, either, work).catch((error) => {
            // A look in which the stop arrives ends with the stop's reason.
            if (error === either.reason) return;
            // The reason why the others end.
            ended.abort(error);
            throw error;
          });
        await unlessUnavailable(leases.beat(), noteOutage);
        const ends = await Promise.allSettled([
          loop(leaseMs / 4, () => leases.beat()),
          loop(everyMs, () => look(either), restsPerLook),
          loop(deliverEveryMs, () => deliver(either)),
          loop(housekeepingMs, () => keepHouse(either)),
        ]);
        await unlessUnavailable(leases.releaseAll(), noteOutage);
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      },
    },
    async beat() {
      await leases.beat();
    },
    look,
    deliver,
    keepHouse,
  };
}
