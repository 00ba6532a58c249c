import { wait } from './wait.ts';

/**
 * One reading for all who ask while it is under way, who wait for it `limitMs` at most.
 * @returns undefined where it failed or has not come: what cannot be read holds up nobody
 */
export function createSharedReading<Value>(
  read: () => Promise<Value>,
  limitMs: number,
  pause: (ms: number, signal: AbortSignal) => Promise<void> = wait,
): () => Promise<Value | undefined> {
  let reading: Promise<Value | undefined> | undefined;
  return async () => {
    reading ??= Promise.try(read)
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    const ended = new AbortController();
    const late = pause(limitMs, ended.signal).then(() => undefined);
    return Promise.race([reading, late]).finally(() => ended.abort());
  };
}

/** Scrapers give up after ten seconds by default; what a database figure may take of that. */
export const figureLimitMs = 2_000;
