import type { Clock } from './clock.ts';
import { wait } from './wait.ts';

/** Scrapers usually give up after ten seconds. One figure may take this much. */
const limitMs = 2_000;
/** A slower reading is kept for a minute, or scrapes would be most of the database's work. */
const dearFromMs = 1_000;
const keptMs = 60_000;

/** A figure read on demand, shared by callers. A slow one is kept for a minute. @returns undefined without one */
export function createSharedReading<Value>(
  read: () => Promise<Value>,
  clock: Pick<Clock, 'monotonic'>,
  pause: (ms: number, signal: AbortSignal) => Promise<void> = wait,
): () => Promise<Value | undefined> {
  let reading: Promise<Value | undefined> | undefined;
  let kept: { readonly value: Value; readonly until: number } | undefined;

  async function readAgain(): Promise<Value | undefined> {
    const began = clock.monotonic();
    try {
      const value = await read();
      const now = clock.monotonic();
      kept = now - began > dearFromMs ? { value, until: now + keptMs } : undefined;
      return value;
    } catch {
      kept = undefined;
      return undefined;
    }
  }

  return async () => {
    if (kept !== undefined && clock.monotonic() < kept.until) return kept.value;
    reading ??= readAgain().finally(() => {
      reading = undefined;
    });
    const ended = new AbortController();
    const late = pause(limitMs, ended.signal).then(() => kept?.value);
    return Promise.race([reading, late]).finally(() => ended.abort());
  };
}
