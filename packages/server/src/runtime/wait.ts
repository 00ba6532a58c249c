import { setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from './unavailable.ts';

/** A signal that is never aborted. */
export const never = new AbortController().signal;

/** Waits, or ends early when the signal is aborted. Never rejects: check the signal. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}

/**
 * Settles as `work` does, unless the signal is aborted first. Late work goes on; its result is dropped.
 * @throws the reason of the signal
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

/** No answer within the time limit. */
export class TooSlow extends Unavailable {
  override readonly name = 'TooSlow';
}

/**
 * Settles as `work` does, unless that takes longer than `ms` milliseconds. Late work goes on; its result is dropped.
 * @param complaint what takes so long, for the log: "the database did not answer"
 * @throws TooSlow
 */
export function within<T>(ms: number, complaint: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new TooSlow(`${complaint} within ${ms} ms`));
    // Answers that have arrived come first: a process that stood still must not take its own pause for the database's.
    const timer = setTimeout(() => setImmediate(giveUp), ms).unref();
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
