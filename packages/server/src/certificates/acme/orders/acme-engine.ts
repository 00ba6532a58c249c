import type { Ground } from '../../../audit/ground.ts';
import { type DatabaseUnavailable, isUnavailable, unlessUnavailable } from '../../../database/database.ts';
import { createLeaseStore, holdLease } from '../../../database/lease-store.ts';
import type { AcmeOrderRow, CertificateRequestRow } from '../../../database/schema/acme-tables.ts';
import { createLeaseKeeper, type Lease } from '../../../runtime/lease.ts';
import type { Worker } from '../../../runtime/supervisor.ts';
import type { AcmeParts } from '../acme-parts.ts';
import { findNextDue, listDueRequests, listDueWindows, postponeWindow } from '../requests/request-store.ts';
import { followWindow } from './follow-window.ts';
import type { OrderNeeds } from './order-run.ts';
import { listDueOrders, listDueRevocations, postponeOrder } from './order-store.ts';
import { runOrder } from './run-order.ts';
import { startOrder } from './start-order.ts';
import { tellRevocation } from './tell-revocation.ts';

export interface AcmeEngineNeeds extends Omit<OrderNeeds, 'holds'>, Pick<Ground, 'wait'> {
  /** This server's name on the database. */
  readonly nodeId: string;
  readonly leaseMs: number;
  /** How long one task may take. By default {@link taskLimitMs}. */
  readonly limitMs?: number;
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
/** Those that ask DNS at the moment do not count: how long that takes is up to the owner of a zone. */
const perAuthority = 12;
/** Well below that, so that no organization takes an authority for itself. */
const perOrganization = 4;
const readAtOnce = 200;
/** Longer than any step: a request has its own limit. */
const taskLimitMs = 10 * 60_000;

interface Task {
  readonly key: string;
  readonly organizationId: string;
  readonly authorityId: string;
  run(needs: OrderNeeds, signal: AbortSignal): Promise<void>;
  /** Due again then: what failed must not be the oldest for ever. */
  postpone(until: number): Promise<void>;
}

interface UnderWay {
  readonly task: Task;
  readonly ended: Promise<void>;
  /** How many questions to DNS wait for an answer. */
  readonly dns: { asked: number };
}

/** Acts on everything that is due: orders, renewals that begin, windows that are asked for, revocations that are told. */
export function createAcmeEngine(needs: AcmeEngineNeeds): AcmeEngine {
  const { database, feed, clock, wait, log, leaseMs, nodeId, limitMs = taskLimitMs } = needs;
  const { db } = database;
  const leases = createLeaseKeeper({
    store: createLeaseStore({ database, group, all: [lease], durationMs: leaseMs }),
    clock,
    holder: nodeId,
    all: [lease],
    durationMs: leaseMs,
    isIdle: () => underWay.size === 0,
  });
  const underWay = new Map<string, UnderWay>();
  let alarm = new AbortController();
  const wake = () => alarm.abort();
  // Another server may have taken the request.
  feed.listen((changes) => {
    if (changes === undefined || changes.some(({ kind }) => kind === 'certificate')) wake();
  });

  function begin(task: Task, held: Lease, signal: AbortSignal): void {
    const limit = AbortSignal.timeout(limitMs);
    const limited = AbortSignal.any([signal, held.lost, limit]);
    const { name, epoch } = held;
    const dns = { asked: 0 };
    const parts = { ...needs.parts, dns: countedDns(needs.parts.dns, dns) };
    const run = async () => {
      try {
        await task.run({ ...needs, parts, holds: (trx) => holdLease(trx, name, epoch) }, limited);
        if (!limit.aborted || signal.aborted || held.lost.aborted) return;
        log.warn({ task: task.key }, 'a step of issuing took too long');
        await task.postpone(clock.now() + failureRestMs);
      } catch (error) {
        if (isUnavailable(error)) log.warn({ err: error, task: task.key }, 'issuing waits for the database');
        else log.error({ err: error, task: task.key }, 'a step of issuing failed');
        // It is due at once again where the database does not take a later time: that must not turn into a busy loop.
        failing.set(task.key, clock.monotonic() + failureRestMs);
        await task.postpone(clock.now() + failureRestMs).catch(() => {});
      } finally {
        underWay.delete(task.key);
        wake();
      }
    };
    underWay.set(task.key, { task, dns, ended: Promise.resolve().then(run) });
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
  function saturated() {
    const all = [...underWay.values()];
    const atAuthorities = all.filter(({ dns }) => dns.asked === 0);
    return {
      organizations: frequent(
        all.map(({ task }) => task.organizationId),
        perOrganization,
      ),
      authorities: frequent(
        atAuthorities.map(({ task }) => task.authorityId),
        perAuthority,
      ),
    };
  }

  function mayBegin(task: Task): boolean {
    if (underWay.size >= atOnce || underWay.has(task.key) || isResting(task.key)) return false;
    const { organizations, authorities } = saturated();
    return !authorities.includes(task.authorityId) && !organizations.includes(task.organizationId);
  }

  async function findDue(): Promise<Task[]> {
    const now = clock.now();
    const enough = saturated();
    const keys = [...underWay.keys()];
    const idsOf = (kind: string) => keys.flatMap((key) => (key.startsWith(kind) ? key.slice(kind.length) : []));
    for (const request of await listDueRequests(db, now, readAtOnce)) await beginOrder(request);
    const due = { now, limit: readAtOnce };
    const orders = await listDueOrders(db, { ...due, except: { ...enough, ids: idsOf('order:') } });
    const windows = await listDueWindows(db, { ...due, except: { ...enough, certificates: idsOf('window:') } });
    const revocations = await listDueRevocations(db, { ...due, except: { ...enough, ids: idsOf('revocation:') } });
    return [...orders.map(orderTask), ...revocations.map(revocationTask), ...windows.map(windowTask)];
  }

  /** One that cannot begin holds up no other. */
  async function beginOrder(request: CertificateRequestRow): Promise<void> {
    const key = `request:${request.certificate_id}`;
    if (isResting(key)) return;
    try {
      await startOrder(needs, request);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, task: key }, 'an order did not begin');
      failing.set(key, clock.monotonic() + failureRestMs);
    }
  }

  function orderTask({ id, organization_id: organizationId, authority_id: authorityId }: AcmeOrderRow): Task {
    return {
      ...{ key: `order:${id}`, organizationId, authorityId },
      run: (each, signal) => runOrder(each, id, signal),
      postpone: (until) => postponeOrder(db, id, 'next_at', until),
    };
  }

  function revocationTask({ id, organization_id: organizationId, authority_id: authorityId }: AcmeOrderRow): Task {
    return {
      ...{ key: `revocation:${id}`, organizationId, authorityId },
      run: async (each, signal) => void (await tellRevocation(each, id, signal)),
      postpone: (until) => postponeOrder(db, id, 'revoke_at', until),
    };
  }

  function windowTask({ certificate_id: id, organization_id: organizationId, issued_by }: CertificateRequestRow): Task {
    return {
      ...{ key: `window:${id}`, organizationId, authorityId: issued_by ?? '' },
      run: (each, signal) => followWindow(each, id, signal),
      postpone: (until) => postponeWindow(db, id, until),
    };
  }

  async function start(signal: AbortSignal): Promise<number> {
    const held = leases.get(lease);
    if (held === undefined) return 0;
    let begun = 0;
    // The oldest may all be of one organization. Once that has its share, the next look passes over the others of it.
    for (let before = -1; before < begun && underWay.size < atOnce; ) {
      before = begun;
      for (const task of await findDue()) {
        if (!mayBegin(task)) continue;
        begin(task, held, signal);
        begun += 1;
      }
    }
    return begun;
  }

  const noteOutage = (err: DatabaseUnavailable) => log.warn({ err }, 'issuing waits for the database');

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
        await unlessUnavailable(leases.beat(), noteOutage);
        const ends = await Promise.allSettled([
          loop(async () => {
            await wait(leaseMs / 4, either);
            if (!either.aborted) await unlessUnavailable(leases.beat(), noteOutage);
          }),
          loop(async () => {
            alarm = new AbortController();
            await unlessUnavailable(start(either), noteOutage);
            await rest(either);
          }),
        ]);
        await Promise.allSettled([...underWay.values()].map((each) => each.ended));
        await unlessUnavailable(leases.releaseAll(), noteOutage);
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

/** Those ids that are there `most` times or more. */
function frequent(ids: readonly string[], most: number): string[] {
  return [...Map.groupBy(ids, (id) => id)].flatMap(([id, all]) => (all.length >= most ? [id] : []));
}

/** Counts the questions that wait for their answer. */
function countedDns(dns: AcmeParts['dns'], count: { asked: number }): AcmeParts['dns'] {
  async function counted<T>(ask: () => T | Promise<T>): Promise<T> {
    count.asked += 1;
    try {
      return await ask();
    } finally {
      count.asked -= 1;
    }
  }
  return {
    ...dns,
    async provider(account) {
      const provider = await dns.provider(account);
      return {
        ...provider,
        present: (record, signal) => counted(() => provider.present(record, signal)),
        cleanUp: (record, signal) => counted(() => provider.cleanUp(record, signal)),
      };
    },
    isVisible: (record, signal) => counted(() => dns.isVisible(record, signal)),
    findAlias: (name, signal) => counted(() => dns.findAlias(name, signal)),
  };
}
