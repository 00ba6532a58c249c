/**
 * Leases: of several servers on one database exactly one does a thing at a time. A lease is a row with its holder, an
 * epoch that rises with each new holder, and an end by the database's clock. It is renewed well before its end and
 * released on stop. Code under a lease calls `get` right before it acts. `get` checks the age of the last renewal by
 * the server's own clocks, so a paused process wakes up without its leases.
 *
 * A group of leases, such as the shards of the push engine, is shared evenly by its participants: each holds its share,
 * releases surplus leases once idle, and takes free ones.
 */
import { ageOf, type Clock, type Moment, momentOf } from './clock.ts';

/** The upper limit of settings for leases. */
export const longestLeaseMs = 300_000;

/** Whether a lease with this end is held. A clock that was ahead may have written too late an end: not held. */
export function isHeld(until: number, now: number): boolean {
  return until > now && until <= now + longestLeaseMs;
}

export interface Lease {
  readonly name: string;
  /** Writes under a lease carry it, and are refused once the row has a later one. */
  readonly epoch: number;
  /** Monotonic time when the database had confirmed the lease. */
  readonly takenAt: number;
  /** Aborted when the lease was released or another server holds it. */
  readonly lost: AbortSignal;
}

export interface LeaseSurvey {
  /** The holder's renewed leases with their epochs. */
  readonly renewed: ReadonlyMap<string, number>;
  /** Leases to take: ended, or left behind by an earlier run of this holder. */
  readonly free: readonly string[];
  /** The number of participants, this one included. */
  readonly holders: number;
}

/** The rows. All times are the database's. */
export interface LeaseStore {
  /** Registers the holder as a participant, renews its leases, and reads the rest. */
  renew(holder: string, held: readonly string[]): Promise<LeaseSurvey>;
  /** @returns the epochs of taken leases; another server may be faster */
  take(holder: string, names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Releases leases; with `leave` the holder stops participating. */
  release(holder: string, names: readonly string[], leave: boolean): Promise<void>;
}

export interface LeaseKeeper {
  /** The lease, if held, renewed recently enough (`givenOutMs`), and not about to be released. */
  get(name: string): Lease | undefined;
  /** Names of held leases that are not about to be released. */
  readonly names: readonly string[];
  /** Renews, releases and takes, once. Call it well before leases end. @returns the taken names */
  beat(): Promise<readonly string[]>;
  releaseAll(): Promise<void>;
}

export interface LeaseKeeperOptions {
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly holder: string;
  /** All leases of the group. Read at each beat: leases that are no longer in it are released once idle. */
  readonly all: readonly string[];
  /** How long a lease lasts after its renewal. */
  readonly durationMs: number;
  /** How long after a renewal `get` returns a lease. In the rest work can begin. By default all of it. */
  readonly givenOutMs?: number;
  /** Whether no work under the lease is in flight. Asked before a release. */
  readonly isIdle: (name: string) => boolean;
}

interface Held {
  readonly lease: Lease;
  readonly loss: AbortController;
  /** Taken before the request: the database counts from a later moment. */
  renewedAt: Moment;
  leaving: boolean;
}

export function createLeaseKeeper(options: LeaseKeeperOptions): LeaseKeeper {
  const { store, clock, holder, all, durationMs, givenOutMs = durationMs, isIdle } = options;
  const held = new Map<string, Held>();

  function drop(names: readonly string[]): void {
    for (const name of names) {
      const loss = held.get(name)?.loss;
      held.delete(name);
      loss?.abort();
    }
  }

  function keep(renewed: ReadonlyMap<string, number>, renewedAt: Moment): void {
    for (const [name, entry] of held) {
      if (renewed.get(name) === entry.lease.epoch) entry.renewedAt = renewedAt;
      else drop([name]);
    }
  }

  const staying = () => [...held.values()].filter((entry) => !entry.leaving);

  async function giveUpBeyond(share: number): Promise<void> {
    for (const entry of staying()) if (!all.includes(entry.lease.name)) entry.leaving = true;
    for (const entry of staying().slice(share)) entry.leaving = true;
    const idle = [...held].filter(([name, entry]) => entry.leaving && isIdle(name)).map(([name]) => name);
    if (idle.length === 0) return;
    drop(idle);
    await store.release(holder, idle, false);
  }

  async function takeUpTo(share: number, free: readonly string[]): Promise<readonly string[]> {
    const wanted = free.filter((name) => !held.has(name)).slice(0, Math.max(0, share - staying().length));
    if (wanted.length === 0) return [];
    const renewedAt = momentOf(clock);
    const taken = await store.take(holder, wanted);
    for (const [name, epoch] of taken) {
      const loss = new AbortController();
      const lease = { name, epoch, takenAt: clock.monotonic(), lost: loss.signal };
      held.set(name, { lease, loss, renewedAt, leaving: false });
    }
    return [...taken.keys()];
  }

  return {
    get(name) {
      const entry = held.get(name);
      if (entry === undefined || entry.leaving) return undefined;
      return ageOf(entry.renewedAt, clock) < givenOutMs ? entry.lease : undefined;
    },
    get names() {
      return staying().map(({ lease }) => lease.name);
    },
    async beat() {
      const renewedAt = momentOf(clock);
      const { renewed, free, holders } = await store.renew(holder, [...held.keys()]);
      keep(renewed, renewedAt);
      const share = Math.ceil(all.length / Math.max(1, holders));
      await giveUpBeyond(share);
      return takeUpTo(share, free);
    },
    async releaseAll() {
      const names = [...held.keys()];
      drop(names);
      await store.release(holder, names, true);
    },
  };
}
