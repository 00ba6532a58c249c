import type { PushEvent } from '../../packages/server/src/push/outbox/push-event.ts';
import { type Pace, serveParent, stampMs } from '../parts/child-link.ts';
import { openConfigured } from '../parts/open-configured.ts';
import { paced } from '../parts/paced.ts';
import { flood } from './flood.ts';
import { openPushEngine } from './open-push-engine.ts';
import { readPushSet } from './push-set.ts';

/** A push engine on the environment's settings. It accepts events in turn for all of `BENCH_SET`. */
const application = await openConfigured(process.env);
const organizations = readPushSet(process.env);
/** The commit time of each event's number, during `pace`. */
let commits: number[] | undefined;
const engine = await openPushEngine(application, (pushes) => {
  if (commits === undefined) return;
  const now = stampMs();
  for (const { content } of pushes) if ('query' in content) commits[numberOf(content.query.batch_id ?? '')] = now;
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

async function pace(load: Pace): Promise<readonly number[]> {
  const stamps: number[] = [];
  commits = stamps;
  await paced(load, (event) => engine.accept(eventOf(event)));
  commits = undefined;
  return stamps;
}

const batchPrefix = 'bench-';

function eventOf(event: number): PushEvent {
  const organizationId = organizations[event % organizations.length] as string;
  const query = { batch_id: `${batchPrefix}${event}`, mobile: '13800138000', status: 'DELIVRD' } as const;
  return { organizationId, kind: 'status', query };
}

function numberOf(batchId: string): number {
  return Number(batchId.slice(batchPrefix.length));
}
