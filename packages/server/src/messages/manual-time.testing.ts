import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../runtime/clock.ts';

/** Time that moves when it is told to, and waits that end by it. */
export interface ManualTime {
  readonly clock: Clock;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Moves time, ends the waits that are over, and gives those who waited a turn. */
  advance(ms: number): Promise<void>;
  /**
   * Lets time run in small steps until something is so.
   * @throws Error after two minutes of that time, or when nothing was under way for too long
   */
  until<T>(look: () => Promise<T | undefined> | T | undefined, stepMs?: number): Promise<T>;
}

interface Waiter {
  readonly at: number;
  readonly end: () => void;
}

const patienceTurns = 20_000;

export function manualTime(start = Date.UTC(2026, 2, 1, 12)): ManualTime {
  let now = start;
  const waiting = new Set<Waiter>();

  async function advance(ms: number): Promise<void> {
    now += ms;
    for (const waiter of [...waiting]) if (waiter.at <= now) waiter.end();
    await setImmediate();
  }

  return {
    clock: { now: () => now, monotonic: () => now - start },
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const end = () => {
          waiting.delete(waiter);
          signal.removeEventListener('abort', end);
          resolve();
        };
        const waiter: Waiter = { at: now + ms, end };
        waiting.add(waiter);
        if (signal.aborted) end();
        else signal.addEventListener('abort', end);
      }),
    advance,
    async until(look, stepMs = 5) {
      for (let turn = 0; turn < patienceTurns; turn += 1) {
        const found = await look();
        if (found !== undefined && found !== false) return found;
        await advance(stepMs);
      }
      throw new Error('it never came to be');
    },
  };
}
