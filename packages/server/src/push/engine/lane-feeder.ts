import type { Ground } from '../../audit/ground.ts';
import { isUnavailable } from '../../database/database.ts';
import type { Lease } from '../../runtime/lease.ts';
import type { LimitedLog } from '../../runtime/rate-limited-log.ts';
import { type DueCursor, readDue, readToEnd } from '../history/waiting-store.ts';
import type { WaitingPush } from '../outbox/push-event.ts';
import type { SettingFactsReader } from '../settings/setting-facts.ts';
import { withMax } from './lane.ts';
import type { PushLane } from './push-lane.ts';
import type { Settlement } from './settlement-store.ts';

export interface LaneFeederNeeds extends Pick<Ground, 'database' | 'clock'> {
  readonly facts: SettingFactsReader;
  readonly log: LimitedLog;
  /** Attempts of one setting at once, at most; each setting may ask for less. */
  readonly settingConcurrency: number;
}

export interface LaneOwner {
  /** The lane's lease while anything may be begun under it. */
  leaseOf(lane: PushLane): Lease | undefined;
  /** Ends a push without another attempt; resolves once it is recorded. */
  end(lane: PushLane, push: Omit<WaitingPush, 'content'>, lease: Lease, end: Settlement['end']): Promise<void>;
  /** What was asked for is there, or the lane rests a moment after a fault. */
  isFed(lane: PushLane): void;
}

/** Readings at once: a part of the connections that a pool has, so that settling never waits for them. */
const readingsAtOnce = 4;
const endsPerReading = 500;
const restMs = 1_000;

/** What lanes need of the database, one thing at a time for each: their settings, due pushes, and the end of many. */
export class LaneFeeder {
  readonly #needs: LaneFeederNeeds;
  readonly #owner: LaneOwner;
  readonly #waitingToRead = new Set<PushLane>();
  #readings = 0;

  constructor(needs: LaneFeederNeeds, owner: LaneOwner) {
    this.#needs = needs;
    this.#owner = owner;
  }

  readFacts(lane: PushLane): void {
    if (lane.isReadingFacts || this.#rests(lane)) return;
    lane.isReadingFacts = true;
    void this.#guard(lane, this.#readFacts(lane)).then(() => {
      lane.isReadingFacts = false;
      this.#owner.isFed(lane);
    });
  }

  askToRead(lane: PushLane): void {
    if (lane.isBusy || this.#rests(lane)) return;
    this.#waitingToRead.add(lane);
    this.#readNext();
  }

  /**
   * Ends waiting pushes without another attempt: all, or those due before a moment. A push under attempt keeps its
   * outcome.
   */
  endWaiting(lane: PushLane, state: 'off' | 'failed', dueBefore: number | undefined): void {
    if (lane.isBusy || this.#rests(lane)) return;
    lane.isBusy = true;
    lane.letGo();
    void this.#guard(lane, this.#endAll(lane, state, dueBefore)).then(() => {
      lane.isBusy = false;
      this.#owner.isFed(lane);
    });
  }

  forget(lane: PushLane): void {
    this.#waitingToRead.delete(lane);
  }

  #rests(lane: PushLane): boolean {
    return this.#needs.clock.monotonic() < lane.restUntil;
  }

  async #readFacts(lane: PushLane): Promise<void> {
    const version = lane.factsVersion;
    const facts = await this.#needs.facts.read(lane.settingId);
    if (facts === undefined) throw new Error(`there is no push setting ${lane.settingId}`);
    if (version !== lane.factsVersion) return;
    lane.facts = facts;
    lane.state = withMax(lane.state, Math.min(facts.concurrency, this.#needs.settingConcurrency));
  }

  #readNext(): void {
    if (this.#readings >= readingsAtOnce) return;
    const [lane] = this.#waitingToRead;
    if (lane === undefined) return;
    this.#waitingToRead.delete(lane);
    this.#readings += 1;
    lane.isBusy = true;
    void this.#guard(lane, this.#readDue(lane)).then(() => {
      lane.isBusy = false;
      this.#readings -= 1;
      this.#readNext();
      this.#owner.isFed(lane);
    });
  }

  async #readDue(lane: PushLane): Promise<void> {
    const { database, clock } = this.#needs;
    const limit = lane.beginReading(clock.monotonic());
    try {
      const setting = { shard: lane.shard, id: lane.settingId };
      const due = await readDue(database.db, setting, clock.now(), limit, lane.cursor);
      lane.endReading(due, limit, clock.monotonic());
    } catch (error) {
      lane.abandonReading();
      throw error;
    }
  }

  async #endAll(lane: PushLane, state: 'off' | 'failed', dueBefore: number | undefined): Promise<void> {
    const { database, clock } = this.#needs;
    const setting = { shard: lane.shard, id: lane.settingId };
    const { factsVersion } = lane;
    lane.mayHaveMore = true;
    let after: DueCursor | undefined;
    let count = endsPerReading;
    while (count === endsPerReading) {
      const pushes = await readToEnd(database.db, setting, dueBefore, endsPerReading, after);
      if (pushes.length > 0) lane.noteFound(clock.monotonic());
      const lease = this.#owner.leaseOf(lane);
      if (lease === undefined || factsVersion !== lane.factsVersion) return;
      const end = { state, at: clock.now() } as const;
      const idle = pushes.filter(({ id }) => !lane.isKnown(id));
      await Promise.all(idle.map((push) => this.#owner.end(lane, push, lease, end)));
      const last = pushes.at(-1);
      after = last === undefined ? undefined : { dueAt: last.dueAt, id: last.id };
      count = pushes.length;
    }
    // Younger pushes are still there, and so is every push that must be made after all.
    lane.mayHaveMore = state === 'failed' || factsVersion !== lane.factsVersion;
  }

  /** A fault of ours, or the database away: the lane rests a moment instead of turning in circles. */
  async #guard(lane: PushLane, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      lane.restUntil = this.#needs.clock.monotonic() + restMs;
      const fields = { setting: lane.settingId, err: error };
      if (isUnavailable(error)) this.#needs.log.warn(fields, 'pushes wait for the database');
      else this.#needs.log.error(fields, 'pushes of a setting wait after a fault');
    }
  }
}
