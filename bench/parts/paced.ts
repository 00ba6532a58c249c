import { setTimeout as delay } from 'node:timers/promises';
import type { Pace } from './child-link.ts';

/** Makes numbered events at a steady rate, however long each takes. Resolves when all are done. */
export async function paced({ perSecond, seconds }: Pace, make: (event: number) => Promise<unknown>): Promise<void> {
  const made: Promise<unknown>[] = [];
  const startedAt = performance.now();
  const events = Math.round(perSecond * seconds);
  while (made.length < events) {
    const due = Math.min(events, Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
    while (made.length < due) made.push(make(made.length));
    await delay(1);
  }
  await Promise.all(made);
}
