/**
 * How many attempts a push setting may have running at once, and when. Pure: each function takes a lane and gives the
 * lane after the event. Times are milliseconds of a clock that never jumps: when the wall clock is set back, no lane
 * waits the longer for it.
 *
 * open      The window starts at one attempt and grows by one with each 200, so it doubles with each round trip. A
 *           time-out halves it (once for all attempts that were running together); from then on it grows by one for a
 *           whole window of 200s, as TCP does after a loss (RFC 5681 §3.1). Other answers leave it as it is.
 * probing   After ten attempts in a row without any HTTP answer: one attempt at a time, with waits between them from
 *           one second, doubling to one minute. The other pushes wait and spend no budget. The first answer ends it.
 * paused    The receiver asked for it by Retry-After: nothing starts until then, in either state.
 */
import { isAnswer, isDelivered, type Outcome } from '../../outbound/outcome.ts';
import { spread } from './retry-policy.ts';

export interface Lane {
  /** The setting's own limit, 1 to 64. */
  readonly max: number;
  /** Attempts that may run at once: a whole number and the beginning of the next one. From 1 to `max`. */
  readonly window: number;
  /** Below this the window grows fast. */
  readonly fastUntil: number;
  /** When the window was last halved. */
  readonly halvedAt: number;
  readonly running: number;
  /** Attempts in a row without an HTTP answer. */
  readonly silence: number;
  readonly probing: Probing | undefined;
  readonly pausedUntil: number;
  /** When an attempt last ended, or the first of those running began. */
  readonly progressAt: number;
  /** Whether the attempt that ended last took long; undefined before the first. */
  readonly wasSlow: boolean | undefined;
}

interface Probing {
  readonly since: number;
  readonly wait: number;
  readonly nextAt: number;
}

/** What a lane costs the others: `new` before its first outcome; `slow` when its attempts hold their slots for long. */
export type Pace = 'new' | 'fast' | 'slow';

export interface Finished {
  readonly outcome: Outcome;
  readonly startedAt: number;
}

export const LANE_MAXIMUM = 64;
export const SILENT_ATTEMPTS = 10;
export const FIRST_PROBE_WAIT_MS = 1000;
export const LONGEST_PROBE_WAIT_MS = 60_000;
/** In a silent lane a push older than this has failed. */
export const OLDEST_PUSH_MS = 72 * 3_600_000;
/** An attempt that takes longer is slow: a hundred times what a healthy receiver needs. */
export const SLOW_MS = 1000;

export function openLane(max: number): Lane {
  return {
    max: clampMax(max),
    window: 1,
    fastUntil: LANE_MAXIMUM,
    halvedAt: 0,
    running: 0,
    silence: 0,
    probing: undefined,
    pausedUntil: 0,
    progressAt: 0,
    wasSlow: undefined,
  };
}

/** The setting's limit has changed. What is running over it runs to its end. */
export function withMax(lane: Lane, max: number): Lane {
  const limit = clampMax(max);
  return { ...lane, max: limit, window: Math.min(lane.window, limit) };
}

/** How many more attempts may start now, and if none, from when on more may, unless one ends earlier. */
export function roomIn(lane: Lane, now: number): { readonly free: number; readonly wakeAt?: number } {
  const opensAt = Math.max(lane.pausedUntil, lane.probing?.nextAt ?? 0);
  if (opensAt > now) return { free: 0, wakeAt: opensAt };
  return { free: Math.max(0, (lane.probing === undefined ? Math.floor(lane.window) : 1) - lane.running) };
}

export function startAttempt(lane: Lane, now: number): Lane {
  return { ...lane, running: lane.running + 1, progressAt: lane.running === 0 ? now : lane.progressAt };
}

/** @param random from [0, 1): spreads the waits between probes by ±20 % */
export function finishAttempt(lane: Lane, finished: Finished, now: number, random: () => number): Lane {
  const running = lane.running - 1;
  const { outcome } = finished;
  // Nothing was learned about the receiver.
  if (outcome.kind === 'cutOff') return { ...lane, running };
  const wasSlow = outcome.kind === 'timedOut' || outcome.ms >= SLOW_MS;
  const next = { ...lane, running, wasSlow, progressAt: now };
  if (isAnswer(outcome)) return afterAnswer(next, isDelivered(outcome));
  return afterSilence(next, finished, now, random);
}

/** The receiver asked us to stay away. A pause is never shortened. */
export function pauseLane(lane: Lane, until: number): Lane {
  return { ...lane, pausedUntil: Math.max(lane.pausedUntil, until) };
}

export function paceOf(lane: Lane, now: number): Pace {
  const isStuck = lane.running > 0 && now - lane.progressAt >= SLOW_MS;
  if (lane.probing !== undefined || lane.wasSlow === true || isStuck) return 'slow';
  return lane.wasSlow === undefined ? 'new' : 'fast';
}

/**
 * Pushes accepted before this have failed, without another attempt. Undefined while the receiver answers: an old push
 * that waited for anything else, such as a pause of its organization, still gets its attempts.
 * @param now epoch ms, as are the times of pushes
 */
export function failedBefore(lane: Lane, now: number): number | undefined {
  return lane.probing === undefined ? undefined : now - OLDEST_PUSH_MS;
}

function afterAnswer(lane: Lane, isSuccess: boolean): Lane {
  const answered = { ...lane, silence: 0, probing: undefined };
  // A backlog waits behind a receiver that is back: it may be tried fast again.
  const fastUntil = lane.probing === undefined ? lane.fastUntil : LANE_MAXIMUM;
  if (!isSuccess) return { ...answered, fastUntil };
  const growth = lane.window < fastUntil ? 1 : 1 / lane.window;
  return { ...answered, fastUntil, window: Math.min(lane.max, lane.window + growth) };
}

function afterSilence(lane: Lane, { outcome, startedAt }: Finished, now: number, random: () => number): Lane {
  const silent = { ...lane, silence: lane.silence + 1 };
  if (lane.probing !== undefined) {
    // One that was running before the probing began is no probe.
    if (startedAt < lane.probing.since) return silent;
    const wait = Math.min(lane.probing.wait * 2, LONGEST_PROBE_WAIT_MS);
    return { ...silent, probing: { ...lane.probing, wait, nextAt: probeAt(wait, now, random) } };
  }
  if (silent.silence >= SILENT_ATTEMPTS) {
    const wait = FIRST_PROBE_WAIT_MS;
    return { ...silent, window: 1, probing: { since: now, wait, nextAt: probeAt(wait, now, random) } };
  }
  // Those that ran together time out together: the first of them has spoken for all.
  if (outcome.kind !== 'timedOut' || startedAt < lane.halvedAt) return silent;
  const window = Math.max(1, Math.floor(lane.window / 2));
  return { ...silent, window, fastUntil: window, halvedAt: now };
}

function probeAt(wait: number, now: number, random: () => number): number {
  return now + Math.min(spread(wait, random), LONGEST_PROBE_WAIT_MS);
}

function clampMax(max: number): number {
  return Math.min(Math.max(1, Math.floor(max)), LANE_MAXIMUM);
}
