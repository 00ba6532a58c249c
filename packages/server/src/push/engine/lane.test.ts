import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Outcome } from '../../outbound/outcome.ts';
import {
  FIRST_PROBE_WAIT_MS,
  failedBefore,
  finishAttempt,
  type Lane,
  LONGEST_PROBE_WAIT_MS,
  OLDEST_PUSH_MS,
  openLane,
  paceOf,
  pauseLane,
  roomIn,
  SILENT_ATTEMPTS,
  SLOW_MS,
  startAttempt,
  withMax,
} from './lane.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_260_206 };
const middle = () => 0.5;

const delivered: Outcome = { kind: 'answered', status: 200, ms: 5 };
const error500: Outcome = { kind: 'answered', status: 500, ms: 5 };
const timedOut: Outcome = { kind: 'timedOut', ms: 10_000 };
const refused: Outcome = { kind: 'refused', code: 'ECONNREFUSED', ms: 1 };
const cutOff: Outcome = { kind: 'cutOff', ms: 1 };
const silences: readonly Outcome[] = [
  timedOut,
  refused,
  { kind: 'broken', code: 'ECONNRESET', ms: 1 },
  { kind: 'badCertificate', code: 'CERT_HAS_EXPIRED', ms: 1 },
  { kind: 'unresolved', code: 'ENOTFOUND', ms: 1 },
  { kind: 'blocked', why: 'not-public', ms: 1 },
];

test('a lane starts with one attempt and doubles with each round of successes, to its limit', () => {
  let lane = openLane(64);
  const windows = [];
  for (let round = 0; round < 8; round++) {
    windows.push(roomIn(lane, round).free);
    lane = runAll(lane, delivered, round);
  }
  assert.deepEqual(windows, [1, 2, 4, 8, 16, 32, 64, 64]);
});

test('a limit outside 1 to 64 is brought inside', () => {
  assert.deepEqual(
    [-1, 0, 1.9, 64, 1000].map((max) => openLane(max).max),
    [1, 1, 1, 64, 64],
  );
});

test('answers other than 200 neither widen nor narrow a lane', () => {
  const lane = grown(16);
  assert.equal(runAll(lane, error500, 100).window, 16);
  assert.equal(runAll(lane, { kind: 'answered', status: 204, ms: 5 }, 100).window, 16);
});

test('time-outs halve a lane, once for all that ran together, down to one', () => {
  let lane = grown(32);
  const windows = [];
  for (let round = 1; round <= 4; round++) {
    lane = { ...runAll(lane, timedOut, round * 10_000, 8), silence: 0 };
    windows.push(lane.window);
  }
  assert.deepEqual(windows, [16, 8, 4, 2]);
  for (let round = 5; round <= 7; round++) lane = { ...runAll(lane, timedOut, round * 10_000), silence: 0 };
  assert.equal(lane.window, 1);
});

test('after a time-out a lane grows by one for each whole window of successes', () => {
  let lane = finish(start(grown(8), 100), timedOut, 100, 10_100);
  assert.equal(lane.window, 4);
  lane = finishAll(startMany(lane, 4, 20_000), delivered, 4, 20_000, 20_001);
  assert.ok(lane.window > 4.9 && lane.window < 5, `${lane.window}`);
});

test('a lowered limit counts at once, and what runs over it runs to its end', () => {
  const lane = withMax(startMany(grown(8), 8, 100), 2);
  assert.deepEqual(roomIn(lane, 100), { free: 0 });
  const done = finishAll(lane, delivered, 8, 100, 101);
  assert.deepEqual(roomIn(done, 101), { free: 2 });
  assert.equal(withMax(done, 64).max, 64);
});

test('ten attempts in a row without an answer make a lane probe, whatever kept them silent', () => {
  for (const outcome of silences) {
    let lane = grown(16);
    for (let count = 1; count <= SILENT_ATTEMPTS; count++) {
      assert.equal(lane.probing, undefined, outcome.kind);
      lane = finish(start(lane, count), outcome, count, count);
    }
    assert.deepEqual(roomIn(lane, SILENT_ATTEMPTS), { free: 0, wakeAt: SILENT_ATTEMPTS + FIRST_PROBE_WAIT_MS });
  }
});

test('any answer in between begins the count anew, and what we cut off does not count', () => {
  let lane = openLane(4);
  for (let count = 0; count < 9; count++) lane = finish(start(lane, 1), refused, 1, 1);
  for (let count = 0; count < 20; count++) lane = finish(start(lane, 1), cutOff, 1, 1);
  assert.equal(lane.silence, 9);
  assert.equal(lane.running, 0);
  lane = finish(start(lane, 1), error500, 1, 1);
  for (let count = 0; count < 9; count++) lane = finish(start(lane, 1), refused, 1, 1);
  assert.equal(lane.probing, undefined);
});

test('probes go out one at a time, with waits that double to a minute', () => {
  let lane = silent(openLane(64), 0);
  const waits = [];
  let now = 0;
  for (let probe = 0; probe < 9; probe++) {
    const { wakeAt = now } = roomIn(lane, now);
    waits.push(wakeAt - now);
    assert.deepEqual(roomIn(lane, wakeAt - 1).free, 0);
    assert.deepEqual(roomIn(lane, wakeAt), { free: 1 });
    lane = start(lane, wakeAt);
    assert.deepEqual(roomIn(lane, wakeAt), { free: 0 });
    now = wakeAt + 10_000;
    lane = finish(lane, timedOut, wakeAt, now);
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

test('attempts that ran before the probing began do not lengthen its waits', () => {
  let lane = startMany(grown(32), 20, 50);
  lane = finishAll(lane, timedOut, 20, 50, 10_050);
  assert.equal(lane.running, 0);
  assert.equal(lane.probing?.wait, FIRST_PROBE_WAIT_MS);
  assert.deepEqual(roomIn(lane, 10_050 + FIRST_PROBE_WAIT_MS), { free: 1 });
});

test('the first answer of any status ends the probing, and a 200 lets the lane grow fast again', () => {
  const probing = silent(grown(32), 100);
  const probe = start(probing, 2000);
  const afterError = finish(probe, error500, 2000, 2010);
  assert.equal(afterError.probing, undefined);
  assert.deepEqual(roomIn(afterError, 2010), { free: 1 });
  let lane = finish(probe, delivered, 2000, 2010);
  for (let round = 0; round < 5; round++) lane = runAll(lane, delivered, 3000 + round);
  assert.equal(lane.window, 64);
});

test('a pause holds back everything until it ends, and is never shortened', () => {
  const lane = pauseLane(pauseLane(grown(8), 5000), 3000);
  assert.deepEqual(roomIn(lane, 4999), { free: 0, wakeAt: 5000 });
  assert.deepEqual(roomIn(lane, 5000), { free: 8 });
  assert.deepEqual(roomIn(pauseLane(silent(lane, 100), 90_000), 10_000), { free: 0, wakeAt: 90_000 });
});

test('old pushes fail only while the receiver is silent', () => {
  const now = 10 * OLDEST_PUSH_MS;
  assert.equal(failedBefore(openLane(4), now), undefined);
  assert.equal(failedBefore(silent(openLane(4), now), now), now - OLDEST_PUSH_MS);
});

test('a lane is new, then fast or slow by its last attempt, and slow when its attempts do not end', () => {
  const lane = openLane(4);
  assert.equal(paceOf(lane, 0), 'new');
  assert.equal(paceOf(start(lane, 0), SLOW_MS - 1), 'new');
  assert.equal(paceOf(start(lane, 0), SLOW_MS), 'slow');
  const fast = finish(start(lane, 0), delivered, 0, 5);
  assert.equal(paceOf(fast, 1_000_000), 'fast');
  assert.equal(paceOf(start(fast, 5000), 5000), 'fast');
  assert.equal(paceOf(start(fast, 5000), 5000 + SLOW_MS), 'slow');
  const late = finish(start(fast, 5000), { ...delivered, ms: SLOW_MS }, 5000, 6000);
  assert.equal(paceOf(late, 6000), 'slow');
  assert.equal(paceOf(finish(start(late, 7000), delivered, 7000, 7005), 7005), 'fast');
  assert.equal(paceOf(finish(start(fast, 5000), { kind: 'timedOut', ms: 500 }, 5000, 5500), 5500), 'slow');
  assert.equal(paceOf(silent(fast, 5000), 1_000_000), 'slow');
  assert.equal(paceOf(finish(start(lane, 0), cutOff, 0, 1), 1), 'new');
});

test('whatever happens, a lane stays within its bounds and never stands still for ever', () => {
  const outcome = fc.constantFrom(delivered, delivered, error500, cutOff, ...silences);
  const event = fc.record({
    outcome,
    wait: fc.nat({ max: 20_000 }),
    starts: fc.nat({ max: 70 }),
    draw: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 64 }), fc.array(event, { maxLength: 60 }), (max, events) => {
      let lane = openLane(max);
      let now = 1000;
      const started: number[] = [];
      for (const { outcome, wait, starts, draw } of events) {
        const room = roomIn(lane, now);
        for (let count = 0; count < Math.min(starts, room.free); count++) {
          lane = startAttempt(lane, now);
          started.push(now);
        }
        assert.ok(lane.running === started.length && lane.running <= max);
        now += wait;
        const startedAt = started.shift();
        if (startedAt !== undefined) lane = finishAttempt(lane, { outcome, startedAt }, now, () => draw);
        assert.ok(lane.window >= 1 && lane.window <= max);
        assert.equal(lane.probing === undefined, lane.silence < SILENT_ATTEMPTS);
        const { free, wakeAt } = roomIn(lane, now);
        assert.ok(
          free > 0 ||
            lane.running > 0 ||
            (wakeAt !== undefined && wakeAt > now && wakeAt <= now + LONGEST_PROBE_WAIT_MS),
        );
        if (lane.probing !== undefined) assert.ok(free + lane.running <= Math.max(1, lane.running));
      }
    }),
    runs,
  );
});

const start = startAttempt;

function finish(lane: Lane, outcome: Outcome, startedAt: number, now: number): Lane {
  return finishAttempt(lane, { outcome, startedAt }, now, middle);
}

function startMany(lane: Lane, count: number, now: number): Lane {
  return count === 0 ? lane : startMany(start(lane, now), count - 1, now);
}

function finishAll(lane: Lane, outcome: Outcome, count: number, startedAt: number, now: number): Lane {
  return count === 0 ? lane : finishAll(finish(lane, outcome, startedAt, now), outcome, count - 1, startedAt, now);
}

/** Starts all there is room for at once (or `most`), and ends them all a moment later. */
function runAll(lane: Lane, outcome: Outcome, now: number, most = 64): Lane {
  const count = Math.min(most, roomIn(lane, now).free);
  return finishAll(startMany(lane, count, now), outcome, count, now, now + 1);
}

function grown(window: number): Lane {
  return { ...openLane(64), window, wasSlow: false };
}

function silent(lane: Lane, now: number): Lane {
  return finishAll(startMany(lane, SILENT_ATTEMPTS, now), refused, SILENT_ATTEMPTS, now, now);
}
