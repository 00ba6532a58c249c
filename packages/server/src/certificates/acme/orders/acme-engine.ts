import type { Ground } from '../../../audit/ground.ts';
import { isUnavailable } from '../../../database/database.ts';
import { createLeaseStore, holdLease } from '../../../database/lease-store.ts';
import type { AcmeOrderRow } from '../../../database/schema/acme-tables.ts';
import { createLeaseKeeper, type Lease } from '../../../runtime/lease.ts';
import type { Worker } from '../../../runtime/supervisor.ts';
import { findNextDue, listDueRequests, listDueWindows } from '../requests/request-store.ts';
import { followWindow } from './follow-window.ts';
import type { OrderNeeds } from './order-run.ts';
import { listDueOrders, listDueRevocations } from './order-store.ts';
import { runOrder } from './run-order.ts';
import { startOrder } from './start-order.ts';
import { tellRevocation } from './tell-revocation.ts';

export interface AcmeEngineNeeds extends Omit<OrderNeeds, 'holds'>, Pick<Ground, 'wait'> {
  /** This server's name on the database. */
  readonly nodeId: string;
  readonly leaseMs: number;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

export interface AcmeEngine {
  readonly worker: Worker;
  /** Looks again at once. */
  wake(): void;
  /** For tests and for the worker: renews the lease. */
  beat(): Promise<void>;
  /** For tests: begins what is due, and waits until all of it has come as far as it does now. */
  look(signal: AbortSignal): Promise<void>;
}

const group = 'acme';
const lease = `${group}/1`;
/** What is due is looked at that often at least: another server may have been asked. */
const lookEveryMs = 30_000;
const shortestRestMs = 100;

/** How much is under way at once. A slow authority or organization does not hold the others up. */
const atOnce = 64;
const perAuthority = 12;
const perOrganization = 16;
const readAtOnce = 200;
/** Longer than any step: a request has its own limit. */
const taskLimitMs = 10 * 60_000;

interface Task {
  readonly key: string;
  readonly organizationId: string;
  readonly authorityId: string;
  run(needs: OrderNeeds, signal: AbortSignal): Promise<void>;
}

/** Acts on everything that is due: orders, renewals that begin, windows that are asked for, revocations that are told. */
export function createAcmeEngine(needs: AcmeEngineNeeds): AcmeEngine {
  const { database, feed, clock, wait, log, leaseMs, nodeId } = needs;
  const { db } = database;
  const leases = createLeaseKeeper({
    store: createLeaseStore({ database, group, all: [lease], durationMs: leaseMs }),
    clock,
    holder: nodeId,
    all: [lease],
    durationMs: leaseMs,
    isIdle: () => underWay.size === 0,
  });
  const underWay = new Map<string, { readonly task: Task; readonly ended: Promise<void> }>();
  let alarm = new AbortController();
  const wake = () => alarm.abort();
  // Another server may have taken the request.
  feed.listen((changes) => {
    if (changes === undefined || changes.some(({ kind }) => kind === 'certificate')) wake();
  });

  function begin(task: Task, held: Lease, signal: AbortSignal): void {
    const limited = AbortSignal.any([signal, held.lost, AbortSignal.timeout(taskLimitMs)]);
    const { name, epoch } = held;
    const run = async () => {
      try {
        await task.run({ ...needs, holds: (trx) => holdLease(trx, name, epoch) }, limited);
      } catch (error) {
        if (isUnavailable(error)) log.warn({ err: error, task: task.key }, 'issuing waits for the database');
        else log.error({ err: error, task: task.key }, 'a step of issuing failed');
        // It is due at once again: the failure must not turn into a busy loop.
        failing.set(task.key, clock.monotonic() + failureRestMs);
      } finally {
        underWay.delete(task.key);
        wake();
      }
    };
    underWay.set(task.key, { task, ended: Promise.resolve().then(run) });
  }

  /** Tasks that met an error of ours, until when they rest. */
  const failing = new Map<string, number>();
  const failureRestMs = 30_000;

  function isResting(key: string): boolean {
    const until = failing.get(key);
    if (until === undefined) return false;
    if (until > clock.monotonic()) return true;
    failing.delete(key);
    return false;
  }

  /** Those that have as much under way as they may. */
  function saturated(idOf: (task: Task) => string, most: number): string[] {
    const tasks = [...underWay.values()].map(({ task }) => task);
    return [...Map.groupBy(tasks, idOf)].flatMap(([id, all]) => (all.length >= most ? [id] : []));
  }

  function mayBegin(task: Task): boolean {
    if (underWay.size >= atOnce || underWay.has(task.key) || isResting(task.key)) return false;
    return (
      !saturated(({ authorityId }) => authorityId, perAuthority).includes(task.authorityId) &&
      !saturated(({ organizationId }) => organizationId, perOrganization).includes(task.organizationId)
    );
  }

  async function findDue(): Promise<Task[]> {
    const now = clock.now();
    for (const request of await listDueRequests(db, now, readAtOnce)) await startOrder(needs, request);
    const orders = await listDueOrders(db, {
      now,
      limit: readAtOnce,
      except: {
        ids: [...underWay.keys()].filter((key) => !key.includes(':')),
        organizations: saturated(({ organizationId }) => organizationId, perOrganization),
        authorities: saturated(({ authorityId }) => authorityId, perAuthority),
      },
    });
    const windows = await listDueWindows(db, now, readAtOnce);
    const revocations = await listDueRevocations(db, now, readAtOnce);
    return [
      ...orders.map((order) => taskOf(order, order.id, (each, signal) => runOrder(each, order.id, signal))),
      ...revocations.map((order) =>
        taskOf(
          order,
          `revocation:${order.id}`,
          async (each, signal) => void (await tellRevocation(each, order.id, signal)),
        ),
      ),
      ...windows.map((request): Task => {
        const key = `window:${request.certificate_id}`;
        const run: Task['run'] = (each, signal) => followWindow(each, request.certificate_id, signal);
        return { key, organizationId: request.organization_id, authorityId: key, run };
      }),
    ];
  }

  async function start(signal: AbortSignal): Promise<number> {
    const held = leases.get(lease);
    if (held === undefined) return 0;
    let begun = 0;
    for (const task of await findDue()) {
      if (!mayBegin(task)) continue;
      begin(task, held, signal);
      begun += 1;
    }
    return begun;
  }

  async function unlessUnavailable(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      // The lease ends by itself. A failure here would add the supervisor's pause to the outage.
      if (!isUnavailable(error)) throw error;
      log.warn({ err: error }, 'issuing waits for the database');
    }
  }

  /** Until something is due, or this is woken. */
  async function rest(signal: AbortSignal): Promise<void> {
    const due = leases.get(lease) === undefined ? undefined : await findNextDue(db).catch(() => undefined);
    const ms = due === undefined ? lookEveryMs : Math.min(lookEveryMs, Math.max(due - clock.now(), 0));
    // What is due and cannot begin is woken by the end of another one.
    const least = underWay.size > 0 || failing.size > 0 ? 1_000 : shortestRestMs;
    await wait(Math.max(ms, least), AbortSignal.any([signal, alarm.signal]));
  }

  return {
    worker: {
      name: 'acme',
      async run(signal) {
        const ended = new AbortController();
        const either = AbortSignal.any([signal, ended.signal]);
        const loop = (work: () => Promise<void>) =>
          (async () => {
            while (!either.aborted) await work();
          })().finally(() => ended.abort());
        await unlessUnavailable(leases.beat());
        const ends = await Promise.allSettled([
          loop(async () => {
            await wait(leaseMs / 4, either);
            if (!either.aborted) await unlessUnavailable(leases.beat());
          }),
          loop(async () => {
            alarm = new AbortController();
            await unlessUnavailable(start(either));
            await rest(either);
          }),
        ]);
        await Promise.allSettled([...underWay.values()].map((each) => each.ended));
        await unlessUnavailable(leases.releaseAll());
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      },
    },
    wake,
    async beat() {
      await leases.beat();
    },
    async look(signal) {
      do {
        await Promise.all([...underWay.values()].map((each) => each.ended));
      } while ((await start(signal)) > 0);
    },
  };
}

function taskOf(order: AcmeOrderRow, key: string, run: Task['run']): Task {
  return { key, organizationId: order.organization_id, authorityId: order.authority_id, run };
}
