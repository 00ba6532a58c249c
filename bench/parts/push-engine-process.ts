import { setTimeout as delay } from 'node:timers/promises';
import type { PushEvent } from '../../packages/server/src/push/push-event.ts';
import { type Pace, serveParent, stampMs } from './child-link.ts';
import { flood } from './flood.ts';
import { openConfigured } from './open-configured.ts';
import { openPushEngine } from './open-push-engine.ts';
import { readPushSet } from './push-set.ts';

/** A push engine on the settings of the environment; its parent has it accept events in turn for all of `BENCH_SET`. */
const application = await openConfigured(process.env);
const organizations = readPushSet(process.env);
/** When the event of each number was committed, during `pace`. */
let commits: number[] | undefined;
const engine = await openPushEngine(application, (pushes) => {
  if (commits === undefined) return;
  const now = stampMs();
  for (const { payload } of pushes) if ('batch_id' in payload) commits[numberOf(payload.batch_id)] = now;
});

serveParent(
  '',
  {
    flood: (load) => flood(load, (event) => engine.accept(eventOf(event)), engine.whenQuiet),
    pace,
  },
  async () => {
    await engine.stop();
    await application.close();
  },
);

async function pace({ perSecond, seconds }: Pace): Promise<readonly number[]> {
  const stamps: number[] = [];
  commits = stamps;
  const accepted: Promise<unknown>[] = [];
  const startedAt = performance.now();
  const events = Math.round(perSecond * seconds);
  while (accepted.length < events) {
    const due = Math.min(events, Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
    while (accepted.length < due) accepted.push(engine.accept(eventOf(accepted.length)));
    await delay(1);
  }
  await Promise.all(accepted);
  commits = undefined;
  return stamps;
}

const batchPrefix = 'bench-';

function eventOf(event: number): PushEvent {
  const organizationId = organizations[event % organizations.length] as string;
  const payload = { batch_id: `${batchPrefix}${event}`, mobile: '13800138000', status: 'DELIVRD' } as const;
  return { organizationId, kind: 'status', payload };
}

function numberOf(batchId: string): number {
  return Number(batchId.slice(batchPrefix.length));
}
