import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms` milliseconds, or until the signal is aborted: never an error, the caller looks at its signal. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
