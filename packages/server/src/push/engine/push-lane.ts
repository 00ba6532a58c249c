import type { Lease } from '../../runtime/lease.ts';
import type { DueCursor } from '../history/waiting-store.ts';
import type { WaitingPush } from '../outbox/push-event.ts';
import type { SettingFacts } from '../settings/setting-facts.ts';
import { openLane, type Pace, roomIn } from './lane.ts';

/**
 * The pushes of one setting that are in memory: a few, read ahead. A push is *known* from the moment it is in memory
 * until its outcome is recorded: it is `queued`, then its attempt runs, then its outcome waits to be committed. Known
 * pushes are sifted out of every reading, so no push is in memory twice.
 *
 * `mayHaveMore` says that the database may have due pushes that are not in memory. While it does, new pushes are not
 * taken from their committer: they are read in their turn. So memory is bounded whatever the backlog.
 */
export class PushLane {
  readonly settingId: string;
  readonly shard: number;
  /** Under which all of it is done. When it is lost, so is what the lane remembers. */
  readonly lease: Lease;
  /** Concurrency, probing and pauses; replaced by each event. */
  state = openLane(64);
  /** Under which pace its running attempts are booked. */
  pace: Pace = 'new';
  /** Settings as read for the next attempt; undefined when they are to be read anew. */
  facts: SettingFacts | undefined;
  /** Raised by every change: facts that were asked for before are not kept after it. */
  factsVersion = 0;
  isReadingFacts = false;
  /** What else is being done for the lane: reading due pushes, or ending some without an attempt. */
  isBusy = false;
  mayHaveMore = false;
  /** Monotonic time of the last reading that began at the start, so that nothing stays behind the cursor for ever. */
  readFromStartAt = Number.NEGATIVE_INFINITY;
  /** Monotonic time until which nothing is tried, after a fault of ours. */
  restUntil = Number.NEGATIVE_INFINITY;
  lastUsedAt = 0;
  /** Monotonic time at which the log last heard whether its receiver answers. */
  toldAt = Number.NEGATIVE_INFINITY;
  /** Behind the last push that was read, while there is more. */
  cursor: DueCursor | undefined;
  readonly #known = new Set<string>();
  #queue: WaitingPush[] = [];
  /** Recorded while a reading was under way, which may have seen them before. */
  #recorded: Set<string> | undefined;
  #missed = false;
  #isFromStart = false;
  /** Monotonic time before which a push that is not in memory may have ended: it was found in the database, here or by the lease's former holder. */
  #foundAt: number;

  constructor(settingId: string, shard: number, lease: Lease) {
    this.settingId = settingId;
    this.shard = shard;
    this.lease = lease;
    this.#foundAt = lease.takenAt;
  }

  /** How many pushes may be in memory: enough to keep its attempts going while outcomes are committed. */
  get capacity(): number {
    return 16 + 6 * Math.floor(this.state.window);
  }

  get known(): number {
    return this.#known.size;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** How many pushes could be read now. */
  get space(): number {
    return Math.max(0, this.capacity - this.#known.size);
  }

  isKnown(id: string): boolean {
    return this.#known.has(id) || this.#recorded?.has(id) === true;
  }

  /**
   * A push that was just committed here. A reading may have met it before its committer heard of the commit: then it is
   * known already, or even delivered.
   * @param since monotonic time at which it was about to be committed
   */
  offer(push: WaitingPush, since: number): void {
    if (this.isKnown(push.id)) return;
    if (this.mayHaveMore || this.space === 0 || since < this.#foundAt) {
      // There is no room for it, or only the database knows whether it still waits: it is read in its turn.
      this.mayHaveMore = true;
      this.#missed = true;
      return;
    }
    this.#add(push);
  }

  first(): WaitingPush | undefined {
    return this.#queue[0];
  }

  take(): WaitingPush | undefined {
    return this.#queue.shift();
  }

  /** An attempt of it came to nothing by our own doing: it comes first again. */
  putBack(push: WaitingPush): void {
    this.#queue.unshift(push);
  }

  /** Its outcome is recorded, or it is nobody's business here any more. */
  forget(id: string): void {
    this.#known.delete(id);
    this.#recorded?.add(id);
  }

  /** Lets go of the pushes that wait in memory: they are to be read again. */
  letGo(): void {
    for (const push of this.#queue) this.#known.delete(push.id);
    if (this.#queue.length > 0) this.mayHaveMore = true;
    this.#queue = [];
    this.cursor = undefined;
  }

  /** @returns how many to ask for: from the start those that are known come, too */
  beginReading(now: number): number {
    this.#recorded = new Set();
    this.#missed = false;
    this.#isFromStart = this.cursor === undefined;
    if (this.#isFromStart) this.readFromStartAt = now;
    return this.#isFromStart ? this.capacity : this.space;
  }

  /** Pushes were found in the database, and may have ended, before their committers hear of the commit. @param now monotonic */
  noteFound(now: number): void {
    this.#foundAt = now;
  }

  /**
   * @param limit how many were asked for
   * @param now monotonic
   */
  endReading(pushes: readonly WaitingPush[], limit: number, now: number): void {
    const found = pushes.filter(({ id }) => !this.isKnown(id));
    for (const push of found) this.#add(push);
    if (found.length > 0) this.noteFound(now);
    const last = pushes.at(-1);
    const isAll = pushes.length < limit;
    // Behind the cursor's back something may have been committed late: nothing is said to be read to its end before a
    // reading from the start said so.
    this.mayHaveMore = !isAll || !this.#isFromStart || this.#missed;
    this.cursor = isAll || last === undefined ? undefined : { dueAt: last.dueAt, id: last.id };
    this.#recorded = undefined;
  }

  abandonReading(): void {
    this.#recorded = undefined;
  }

  /** How many attempts the lane would start now. */
  wants(now: number): number {
    if (this.#queue.length === 0 || this.facts === undefined) return 0;
    return Math.min(this.#queue.length, roomIn(this.state, now).free);
  }

  #add(push: WaitingPush): void {
    this.#known.add(push.id);
    this.#queue.push(push);
  }
}
