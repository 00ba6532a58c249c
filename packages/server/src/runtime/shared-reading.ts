import type { Clock } from './clock.ts';
import { wait } from './wait.ts';

/** Scrapers give up after ten seconds by default; what a figure of the database may take of that. */
const limitMs = 2_000;
/** What takes longer is not read at each scrape: it would be most of what the database does. */
const dearFromMs = 1_000;
const keptMs = 60_000;

/**
 * A figure that is read when somebody asks: one reading for all who ask while it is under way, who wait two seconds at most. One
 * that took long stands for a minute, and while the next is late; one that fails leaves nothing.
 * @returns undefined where there is no figure: what cannot be read holds up nobody
 */
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
