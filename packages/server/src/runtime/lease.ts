/**
 * Leases: of several servers on one database exactly one does a thing at a time. A lease is a row with its holder, an
 * epoch that rises with each new holder, and an end by the database's clock. It is renewed well before it ends and given
 * up on stop. Whoever acts under one asks `get` right before it acts: that looks at the age of the last renewal by the
 * own clocks, so a process that was paused wakes up without its leases, whatever it believed before.
 *
 * A group of leases, such as the shards of the push engine, is shared evenly between all that take part: each holds
 * its share, gives up what is beyond it once nothing of it is under way, and takes what nobody holds.
 */
import { ageOf, type Clock, type Moment, momentOf } from './clock.ts';

/** The longest that a setting may make leases. */
export const longestLeaseMs = 300_000;

/**
 * Whether somebody holds what ends then. What ends later than any lease was written while the clock was ahead: nobody may
 * renew it, and it would be waited for until the clock is there again.
 */
export function isHeld(until: number, now: number): boolean {
  return until > now && until <= now + longestLeaseMs;
}

export interface Lease {
  readonly name: string;
  /** What is written under a lease carries it, and is refused when the row has moved on. */
  readonly epoch: number;
  /** Monotonic time at which the database had said that it is held here. */
  readonly takenAt: number;
  /** Aborted when somebody else holds it, or it was given up. */
  readonly lost: AbortSignal;
}

/** What a look at a group of leases shows. */
export interface LeaseSurvey {
  /** Those of the holder that were renewed, with their epochs. */
  readonly renewed: ReadonlyMap<string, number>;
  /** Those that anybody may take: ended, or left behind by an earlier run of this holder. */
  readonly free: readonly string[];
  /** How many take part, this one included. */
  readonly holders: number;
}

/** The rows behind it. All times are the database's. */
export interface LeaseStore {
  /** Says that the holder takes part, renews what it holds, and looks at the rest. */
  renew(holder: string, held: readonly string[]): Promise<LeaseSurvey>;
  /** @returns epochs of those that were taken: somebody else may be faster. */
  take(holder: string, names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Gives leases up; with `leave` the holder takes part no longer. */
  release(holder: string, names: readonly string[], leave: boolean): Promise<void>;
}

export interface LeaseKeeper {
  /** The lease, if it is held, its last renewal is young enough (`givenOutMs`), and it is not about to be given up. */
  get(name: string): Lease | undefined;
  /** Names of the leases that are held and not about to be given up. */
  readonly names: readonly string[];
  /**
   * Renews, gives up and takes, once. To be called well before leases end.
   * @returns the names of those that it has taken
   * @throws as the store does
   */
  beat(): Promise<readonly string[]>;
  /** Gives everything up: on stop. */
  releaseAll(): Promise<void>;
}

export interface LeaseKeeperOptions {
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly holder: string;
  /** All leases of the group. */
  readonly all: readonly string[];
  /** How long a lease lasts after its renewal, as the store writes it. */
  readonly durationMs: number;
  /**
   * For so long after its renewal a lease is given out, to whoever needs the rest until what is to be done under it has begun.
   * Until its end unless told; renewals must come sooner.
   */
  readonly givenOutMs?: number;
  /** Whether nothing that was begun under the lease is under way. Asked for one that is to be given up. */
  readonly isIdle: (name: string) => boolean;
}

interface Held {
  readonly lease: Lease;
  readonly loss: AbortController;
  /** Before the renewal was asked for: the database counted from a later moment. */
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
