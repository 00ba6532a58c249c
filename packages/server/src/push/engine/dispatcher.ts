/**
 * Makes the attempts of the shards that this server holds. Pushes come into a lane's memory from their committer or,
 * when that is full, from the database; a lane's next free slot makes the attempt; outcomes are recorded in groups.
 * Nothing of the database is held while an attempt runs. Whatever this process forgets, when it is killed, say, the
 * next holder of the shard finds in the database and does again.
 */

import type { Outcome } from '../../outbound/outcome.ts';
import { type Clock, type Moment, momentOf } from '../../runtime/clock.ts';
import type { Lease, LeaseKeeper } from '../../runtime/lease.ts';
import type { PushMinutes } from '../history/push-minutes.ts';
import type { WaitingSetting } from '../history/waiting-store.ts';
import type { WaitingPush } from '../outbox/push-event.ts';
import { leaseOf, shardOf } from '../outbox/push-shard.ts';
import type { SettingFacts } from '../settings/setting-facts.ts';
import { AttemptsInFlight } from './attempts-in-flight.ts';
import { failedBefore, finishAttempt, pauseLane, startAttempt } from './lane.ts';
import { LaneFeeder, type LaneFeederNeeds } from './lane-feeder.ts';
import { type LaneStatus, laneStatusOf } from './lane-status.ts';
import { type AttemptNeeds, makeAttempt, toRecord } from './make-attempt.ts';
import { PushLane } from './push-lane.ts';
import type { PushGauges, PushMetrics } from './push-metrics.ts';
import { ReadyLanes } from './ready-lanes.ts';
import { type NextStep, nextStep } from './retry-policy.ts';
import type { Settlement } from './settlement-store.ts';
import type { Settler } from './settler.ts';

export interface DispatcherNeeds extends AttemptNeeds, LaneFeederNeeds {
  readonly clock: Clock;
  readonly random: () => number;
  readonly leases: Pick<LeaseKeeper, 'get'>;
  readonly settler: Settler;
  readonly metrics: PushMetrics;
  readonly minutes: Pick<PushMinutes, 'attempted'>;
  /** Waits between an outcome and the next attempt, ms. */
  readonly retryWaits: readonly number[];
  /** Attempts at once, all lanes together. */
  readonly concurrency: number;
}

/** A busy lane looks so often whether something lies behind its cursor, or was committed elsewhere. */
const readAgainMs = 5_000;
/** A push of this server that is due for longer is retained by its attempt, or is not in memory. */
const deliveredWithinMs = 1_000;
const keepIdleMs = 60_000;
/** A receiver that goes on not answering is told again: the first line may be yesterday's. */
const tellAgainMs = 3_600_000;

export class Dispatcher {
  readonly #needs: DispatcherNeeds;
  readonly #lanes = new Map<string, PushLane>();
  readonly #ready: ReadyLanes;
  readonly #feeder: LaneFeeder;
  readonly #underWay = new AttemptsInFlight();
  /** Settings that changed: what waits of them is looked at, due or not. Undefined: all. */
  #changed: Set<string> | undefined;
  #running = 0;
  #isOpen = true;

  constructor(needs: DispatcherNeeds) {
    this.#needs = needs;
    this.#ready = new ReadyLanes(needs.concurrency);
    this.#feeder = new LaneFeeder(needs, {
      leaseOf: (lane) => this.#leaseOf(lane),
      end: (lane, push, lease, end) => {
        this.#underWay.begin(lease);
        return this.#record(lane, push, lease, { attempt: undefined, end });
      },
      isFed: (lane) => {
        this.#pump(lane);
        this.#drain();
      },
    });
    needs.facts.onChanged((ids) => this.#forgetFacts(ids));
  }

  /**
   * Pushes that were just committed here. Those of shards that are held elsewhere are found there.
   * @param since monotonic time at which they were about to be committed
   */
  offer(pushes: readonly WaitingPush[], since: number): void {
    if (!this.#isOpen) return;
    for (const push of pushes) {
      const lane = this.#laneOf(push.settingId);
      if (lane === undefined) continue;
      lane.offer(push, since);
      this.#pump(lane);
    }
    this.#drain();
  }

  /** What the database says is waiting in the shards held here. */
  wake(waiting: readonly WaitingSetting[]): void {
    const now = this.#needs.clock.now();
    const monotonic = this.#needs.clock.monotonic();
    const changed = this.#changed;
    this.#changed = new Set();
    for (const { settingId, dueAt } of waiting) {
      if (dueAt > now && changed?.has(settingId) === false) continue;
      const lane = this.#laneOf(settingId);
      if (lane === undefined) continue;
      const mayHideOthers = now - dueAt >= deliveredWithinMs && monotonic - lane.readFromStartAt >= readAgainMs;
      if (lane.known === 0 || (lane.queued === 0 && mayHideOthers)) {
        lane.mayHaveMore = true;
        lane.cursor = undefined;
      }
      this.#pump(lane);
    }
    this.#drain();
  }

  /** Looks at every lane: waits that have passed, attempts that are stuck, lanes that nobody needs. */
  tick(): void {
    const now = this.#needs.clock.monotonic();
    for (const lane of this.#lanes.values()) {
      if (lane.known > 0 || lane.mayHaveMore) {
        lane.lastUsedAt = now;
        this.#ready.repace(lane, now);
        this.#pump(lane);
      } else if (now - lane.lastUsedAt > keepIdleMs && isForgettable(lane, now)) {
        this.#lanes.delete(lane.settingId);
      }
    }
    this.#drain();
  }

  /** Forgets the lanes of shards that are not held any more; their attempts were cut off with the lease. */
  dropLost(): void {
    for (const lane of this.#lanes.values()) if (lane.lease.lost.aborted) this.#drop(lane);
  }

  /** Whether no attempt or outcome of the shard with this lease is under way. */
  isIdle(lease: string): boolean {
    return this.#underWay.isIdle(lease);
  }

  /** Whether an attempt runs, an outcome waits to be recorded, or the database is being read. */
  get isAtWork(): boolean {
    return !this.#underWay.isNone || this.#lanes.values().some((lane) => lane.isBusy || lane.isReadingFacts);
  }

  /** Starts nothing more. Resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#underWay.none();
  }

  /** Starts anew, after `close`: nothing is remembered. */
  reopen(): void {
    for (const lane of [...this.#lanes.values()]) this.#drop(lane);
    this.#changed = undefined;
    this.#isOpen = true;
  }

  laneStatus(settingId: string): LaneStatus | undefined {
    const lane = this.#lanes.get(settingId);
    return lane && laneStatusOf(lane.state, this.#needs.clock);
  }

  gauges(): Omit<PushGauges, 'shards'> {
    const lanes = [...this.#lanes.values()];
    return {
      lanes: lanes.length,
      running: this.#running,
      inMemory: lanes.reduce((sum, lane) => sum + lane.known, 0),
      probing: lanes.filter((lane) => lane.state.probing !== undefined).length,
    };
  }

  /** Undefined when the setting's shard is not held here. */
  #laneOf(settingId: string): PushLane | undefined {
    const known = this.#lanes.get(settingId);
    if (known !== undefined && this.#leaseOf(known) !== undefined) return known;
    const shard = shardOf(settingId);
    const lease = this.#isOpen ? this.#needs.leases.get(leaseOf(shard)) : undefined;
    if (lease === undefined || known?.lease === lease) return known;
    if (known !== undefined) this.#drop(known);
    const lane = new PushLane(settingId, shard, lease);
    lane.lastUsedAt = this.#needs.clock.monotonic();
    this.#lanes.set(settingId, lane);
    return lane;
  }

  #drop(lane: PushLane): void {
    this.#ready.remove(lane);
    this.#feeder.forget(lane);
    this.#lanes.delete(lane.settingId);
  }

  /** Does whatever the lane needs next. */
  #pump(lane: PushLane): void {
    if ((lane.queued === 0 && !lane.mayHaveMore) || this.#leaseOf(lane) === undefined) return;
    const { facts } = lane;
    if (facts === undefined) this.#feeder.readFacts(lane);
    else if (facts.suspended) lane.letGo();
    else if (!facts.enabled) this.#feeder.endWaiting(lane, 'off', undefined);
    else this.#pumpOpen(lane);
  }

  #pumpOpen(lane: PushLane): void {
    const { clock } = this.#needs;
    const before = failedBefore(lane.state, clock.now());
    if (before !== undefined && (lane.first()?.dueAt ?? before) < before) {
      this.#feeder.endWaiting(lane, 'failed', before);
      return;
    }
    // A third of what it may hold is left: the reading and its attempts overlap.
    if (lane.mayHaveMore && lane.queued * 3 <= lane.capacity && lane.space > 0) this.#feeder.askToRead(lane);
    if (lane.wants(clock.monotonic()) > 0) this.#ready.add(lane);
  }

  #drain(): void {
    for (let lane = this.#ready.next(); lane !== undefined; lane = this.#ready.next()) {
      this.#startOne(lane);
      if (lane.wants(this.#needs.clock.monotonic()) > 0 && this.#leaseOf(lane) !== undefined) this.#ready.add(lane);
    }
  }

  /** The lane's lease while anything may be begun under it. */
  #leaseOf({ lease }: PushLane): Lease | undefined {
    return this.#isOpen && this.#needs.leases.get(lease.name) === lease ? lease : undefined;
  }

  #startOne(lane: PushLane): void {
    const { clock } = this.#needs;
    // Looked at before each attempt: a process that was paused must not go on where another took over.
    const lease = this.#leaseOf(lane);
    const startedAt = momentOf(clock);
    const { facts } = lane;
    if (lease === undefined || facts === undefined || lane.wants(startedAt.monotonic) === 0) return;
    const push = lane.take();
    if (push === undefined) return;
    this.#underWay.begin(lease);
    if (push.queuedAt < (failedBefore(lane.state, startedAt.now) ?? 0)) {
      void this.#record(lane, push, lease, { attempt: undefined, end: { state: 'failed', at: startedAt.now } });
      return;
    }
    lane.state = startAttempt(lane.state, startedAt.monotonic);
    this.#ready.hold(lane, 1);
    this.#running += 1;
    void makeAttempt(this.#needs, facts, push, lease.lost).then((outcome) =>
      this.#finish(lane, push, facts, lease, startedAt, outcome),
    );
  }

  #finish(
    lane: PushLane,
    push: WaitingPush,
    facts: SettingFacts,
    lease: Lease,
    startedAt: Moment,
    outcome: Outcome,
  ): void {
    const { clock, random, metrics, minutes, retryWaits } = this.#needs;
    const now = clock.now();
    const monotonic = clock.monotonic();
    const wasProbing = lane.state.probing !== undefined;
    lane.state = finishAttempt(lane.state, { outcome, startedAt: startedAt.monotonic }, monotonic, random);
    this.#ready.hold(lane, -1);
    this.#running -= 1;
    metrics.attempted(outcome);
    minutes.attempted(facts, outcome);
    const policy = { retries: facts.retries, waits: retryWaits };
    const step = nextStep(outcome, push.attempts - push.attemptsBefore, policy, now, random);
    if ('pauseLaneUntil' in step && step.pauseLaneUntil !== undefined) {
      lane.state = pauseLane(lane.state, monotonic + step.pauseLaneUntil - now);
    }
    this.#ready.repace(lane, monotonic);
    const isProbing = lane.state.probing !== undefined;
    if (wasProbing !== isProbing || (isProbing && monotonic - lane.toldAt >= tellAgainMs)) {
      lane.toldAt = monotonic;
      this.#logProbing(lane, facts, outcome);
    }
    const end = endOf(step, now);
    if (end === undefined) {
      lane.putBack(push);
      this.#underWay.end(lease);
      // Not begun again at once: where attempts are made no more that would have no end, and nothing else would run.
      this.#ready.remove(lane);
    } else {
      void this.#record(lane, push, lease, { attempt: toRecord(outcome, startedAt.now), end });
      this.#pump(lane);
    }
    this.#drain();
  }

  async #record(
    lane: PushLane,
    push: Omit<WaitingPush, 'content'>,
    lease: Lease,
    decided: Pick<Settlement, 'attempt' | 'end'>,
  ): Promise<void> {
    const { settler, metrics } = this.#needs;
    const { organizationId, id, attempts } = push;
    const settlement = { organizationId, id, attempts, lease: lease.name, epoch: lease.epoch, ...decided };
    const recording = await settler.record(settlement, lease.lost);
    lane.forget(id);
    this.#underWay.end(lease);
    if (recording === 'switched on') this.#doubtFacts(lane);
    else if (recording !== 'recorded') metrics.notRecorded();
    else if (decided.end.state === 'waiting') metrics.retried();
    else metrics.ended(decided.end.state);
    this.#pump(lane);
    this.#drain();
  }

  #forgetFacts(ids: ReadonlySet<string> | undefined): void {
    if (ids === undefined) this.#changed = undefined;
    else for (const id of ids) this.#changed?.add(id);
    for (const lane of this.#lanes.values()) {
      const isConcerned =
        ids === undefined || ids.has(lane.settingId) || lane.facts === undefined || ids.has(lane.facts.organizationId);
      if (!isConcerned) continue;
      forgetFacts(lane);
      this.#pump(lane);
    }
  }

  /** The switch was turned on, which this server has not heard of yet. */
  #doubtFacts(lane: PushLane): void {
    if (lane.facts?.enabled === false) forgetFacts(lane);
  }

  #logProbing(lane: PushLane, facts: SettingFacts, outcome: Outcome): void {
    const fields = { setting: lane.settingId, organization: facts.organizationId, outcome: outcome.kind };
    if (lane.state.probing === undefined) this.#needs.log.info(fields, 'a push receiver answers again');
    else this.#needs.log.warn(fields, 'a push receiver does not answer; its pushes wait');
  }
}

function forgetFacts(lane: PushLane): void {
  lane.facts = undefined;
  lane.factsVersion += 1;
}

function isForgettable(lane: PushLane, now: number): boolean {
  const { running, silence, pausedUntil } = lane.state;
  return lane.known === 0 && !lane.mayHaveMore && !lane.isBusy && running === 0 && silence === 0 && pausedUntil <= now;
}

function endOf(step: NextStep, now: number): Settlement['end'] | undefined {
  if (step.kind === 'laneStep') return undefined;
  return step.kind === 'retryAt' ? { state: 'waiting', dueAt: step.at } : { state: step.kind, at: now };
}
