import { randomBytes, randomFillSync } from 'node:crypto';

/** The source of time, passed as an argument wherever a decision depends on it, so that tests can move it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds from an arbitrary start. Never jumps or runs backwards. Only for measuring spans. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/**
 * One moment by both clocks. The wall clock may be set back, and the monotonic one stands still while the machine
 * sleeps (CLOCK_MONOTONIC, https://man7.org/linux/man-pages/man2/clock_gettime.2.html). The larger age is right, or
 * safe.
 */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
}

export const longAgo: Moment = { now: Number.NEGATIVE_INFINITY, monotonic: Number.NEGATIVE_INFINITY };

export function momentOf(clock: Clock): Moment {
  return { now: clock.now(), monotonic: clock.monotonic() };
}

/** Milliseconds since `moment`, by the clock that says more. */
export function ageOf(moment: Moment, clock: Clock): number {
  return Math.max(clock.monotonic() - moment.monotonic, clock.now() - moment.now);
}

/** Whether an end is over. @param end epoch milliseconds; null: none */
export function hasPassed(end: number | null, now: number): boolean {
  return end !== null && now >= end;
}

/** A UUID of version 7 (RFC 9562 §5.7): 48 bits of epoch milliseconds, then 74 random bits. Later ids sort later. */
export function newId(now: number, random?: Uint8Array): string {
  return newIds(now, 1, random)[0] as string;
}

const randomPerId = 10;
/** Each draw is a system call, so one draw serves many ids. */
const idsPerDraw = 400;
const drawn = Buffer.alloc(randomPerId * idsPerDraw);
let used = drawn.length;

/** Fresh bytes, valid until the next call. */
function drawRandom(count: number): Uint8Array {
  const size = randomPerId * count;
  if (size > drawn.length) return randomBytes(size);
  if (used + size > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += size;
  return drawn.subarray(used - size, used);
}

/** Converts all ids at once, because the conversion costs more than the bytes. */
export function newIds(now: number, count: number, random: Uint8Array = drawRandom(count)): string[] {
  const time = now.toString(16).padStart(12, '0');
  const head = `${time.slice(0, 8)}-${time.slice(8)}-`;
  const bytes = Buffer.from(random);
  for (let at = 0; at < bytes.length; at += randomPerId) {
    bytes[at] = ((bytes[at] ?? 0) & 0x0f) | 0x70;
    bytes[at + 2] = ((bytes[at + 2] ?? 0) & 0x3f) | 0x80;
  }
  const tails = bytes.toString('hex');
  return Array.from({ length: count }, (_, index) => {
    const at = index * 2 * randomPerId;
    return `${head}${tails.slice(at, at + 4)}-${tails.slice(at + 4, at + 8)}-${tails.slice(at + 8, at + 20)}`;
  });
}

/** Sorts before every id of `newId` at this moment or later, and after all earlier ones. */
export function firstIdAt(epochMs: number): string {
  return newId(Math.max(0, epochMs), new Uint8Array(10));
}

/** When `newId` made an id, epoch milliseconds. Undefined for other ids. */
export function timeOfId(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

/** RFC 3339 in UTC with milliseconds. Only the retrieval interface's `expires_at` has another form. */
export function toRfc3339(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
