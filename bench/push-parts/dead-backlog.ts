import { sql } from 'kysely';
import type { Application } from '../../packages/server/src/compose.ts';
import { median, shown, table } from '../parts/figures.ts';
import { type FloodSample, floodSample } from './flood-sample.ts';
import { type PushBench, type Pusher, startEngine } from './push-bench.ts';
import { makePushSet, urlsAt } from './push-set.ts';

interface Row {
  readonly free: Pusher;
  readonly burdened: Pusher;
  readonly without: FloodSample[];
  readonly with: FloodSample[];
}

const rowsPerCommit = 100_000;
const changeAim = 10;
const memoryAim = 400;

/** Compares a flood beside the backlog of a dead receiver with the same flood alone. */
export async function compareWithBacklog(bench: PushBench): Promise<void> {
  const { course, receiver, receiverUrl } = bench;
  await using cleanUp = new AsyncDisposableStack();
  const urls = urlsAt(receiverUrl, course.settings);
  const deadUrl = refusing(receiverUrl);
  const rows: Row[] = [];
  for (const kind of course.databases) {
    const free = await startEngine(bench, 'free', kind, urls);
    cleanUp.defer(() => free.stop());
    const startedAt = performance.now();
    const burdened = await startEngine(bench, 'burdened', kind, urls, (application) =>
      makeBacklog(application, deadUrl, course.waiting),
    );
    cleanUp.defer(() => burdened.stop());
    console.error(`  ${kind}: filled in ${shown((performance.now() - startedAt) / 1000)} s`);
    rows.push({ free, burdened, without: [], with: [] });
    for (const { server } of [free, burdened]) await floodSample(server, receiver, course.flood);
  }
  for (let round = 1; round <= course.rounds; round += 1) {
    for (const row of rows) {
      const without = await floodSample(row.free.server, receiver, course.flood);
      const withBacklog = await floodSample(row.burdened.server, receiver, course.flood);
      row.without.push(without);
      row.with.push(withBacklog);
      const both = `without ${shown(without.perSecond)}/s, with ${shown(withBacklog.perSecond)}/s`;
      console.error(`  round ${round} of ${course.rounds}: ${row.free.kind}: ${both}`);
    }
  }
  console.log(`\n(d) as (a), with ${shown(course.waiting)} events beside them that wait for a receiver that is dead`);
  console.log(`    (medians of ${course.rounds} alternating rounds)\n`);
  console.log(table([heads, ...(await Promise.all(rows.map(lines))).flat()]));
}

/** Another address of this machine, where nothing listens. */
function refusing(receiverUrl: string): string {
  const url = new URL(receiverUrl);
  url.hostname = '127.0.0.2';
  return url.href;
}

/** One due event for each millisecond, in the state some time after its acceptance. */
async function makeBacklog(application: Application, url: string, count: number): Promise<void> {
  const { database, clock } = application;
  const [organizationId] = await makePushSet(application, [url]);
  const { id, shard } = await database.db
    .selectFrom('push_setting')
    .select(['id', 'shard'])
    .where('organization_id', '=', organizationId ?? '')
    .executeTakeFirstOrThrow();
  const now = clock.now();
  const payload = JSON.stringify({ batch_id: `bench-${now}`, mobile: '13800138000', status: 'DELIVRD' });
  for (let first = 1; first <= count; first += rowsPerCommit) {
    const last = Math.min(count, first + rowsPerCommit - 1);
    await database.maintain((trx) =>
      sql`
        insert into push (organization_id, id, setting_id, shard, due_at, queued_at, created_at, attempts, attempts_before, payload)
        with recursive number(n) as (
          select cast(${first} as integer) union all select n + 1 from number where n < ${last}
        )
        select ${organizationId}, '01900000-0000-7000-8000-' || (100000000000 + n), ${id}, cast(${shard} as integer),
          cast(${now - count} as bigint) + n, cast(${now - count} as bigint) + n,
          cast(${now - count} as bigint) + n, 0, 0, ${payload}
        from number`.execute(trx),
    );
  }
}

const heads = [
  '',
  'waiting',
  'events/s',
  'CPU s/1,000',
  'change of events/s',
  'aim',
  'RSS MiB',
  'at most',
  'aim',
  'surplus',
];

async function lines(row: Row): Promise<string[][]> {
  const changes = row.with.map(
    ({ perSecond }, round) => (perSecond / (row.without[round]?.perSecond ?? Number.NaN) - 1) * 100,
  );
  return [
    await cells(row.free, 'none', row.without, ['', '']),
    await cells(row.burdened, 'all', row.with, [`${median(changes).toFixed(0)} %`, `> -${changeAim} %`]),
  ];
}

async function cells(
  { kind, server }: Pusher,
  waiting: string,
  samples: readonly FloodSample[],
  change: readonly string[],
): Promise<string[]> {
  const { rssBytes, peakRssBytes } = await server.ask('usage');
  return [
    kind,
    waiting,
    shown(median(samples.map(({ perSecond }) => perSecond))),
    median(samples.map(({ cpuSecondsPerThousand }) => cpuSecondsPerThousand)).toFixed(3),
    ...change,
    shown(rssBytes / 2 ** 20),
    shown(peakRssBytes / 2 ** 20),
    `< ${memoryAim}`,
    String(samples.reduce((sum, { surplus }) => sum + surplus, 0)),
  ];
}
