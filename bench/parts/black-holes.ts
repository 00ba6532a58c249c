import type { DatabaseKind } from '../../packages/server/src/database/connect.ts';
import { median, shown, table } from './figures.ts';
import { type Latency, medians, pacedLatency, shownLatency } from './paced-pushes.ts';
import { type PushBench, type Pusher, startEngine } from './push-bench.ts';
import { urlsAt } from './push-set.ts';

interface Row {
  readonly kind: DatabaseKind;
  readonly alone: Pusher;
  readonly beside: Pusher;
  readonly without: Latency[];
  readonly with: Latency[];
}

/** As many as (a) and (b) have, so many times. */
const timesSettings = 10;
const perSecond = 1_000;
const warmUpSeconds = 2;
const changeAim = 10;

/** Healthy settings beside as many that never answer; the same alone, on another engine, are their measure. */
export async function compareWithBlackHoles(bench: PushBench): Promise<void> {
  const { rounds, seconds, databases } = bench.course;
  const settings = bench.course.settings * timesSettings;
  await using cleanUp = new AsyncDisposableStack();
  const healthy = urlsAt(bench.receiverUrl, settings / 2);
  const mixed = healthy.flatMap((url, index) => [url, `${bench.silentUrl}/push/${index}`]);
  const rows: Row[] = [];
  for (const kind of databases) {
    const alone = await startEngine(bench, 'alone', kind, healthy);
    cleanUp.defer(() => alone.stop());
    const beside = await startEngine(bench, 'beside', kind, mixed);
    cleanUp.defer(() => beside.stop());
    const row: Row = { kind, alone, beside, without: [], with: [] };
    await sampleBoth(bench, row, warmUpSeconds);
    rows.push(row);
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const row of rows) {
      const sample = await sampleBoth(bench, row, seconds);
      row.without.push(sample.without);
      row.with.push(sample.with);
      const both = `without ${shownLatency(sample.without)}; with ${shownLatency(sample.with)}`;
      console.error(`  round ${round} of ${rounds}: ${row.kind}: ${both}`);
    }
  }
  console.log(
    `\n(c) healthy settings at ${shown(perSecond / 2)} events a second, alone and beside as many black holes, with as`,
  );
  console.log('    many events again, that take connections and never answer; from commit to GET at the healthy ones');
  console.log(`    (medians of ${rounds} alternating rounds of ${seconds} s)\n`);
  console.log(table([heads, ...rows.flatMap((row) => lines(row, settings / 2))]));
}

async function sampleBoth({ receiver }: PushBench, { alone, beside }: Row, seconds: number) {
  const isHealthy = (event: number) => event % 2 === 0;
  return {
    without: await pacedLatency(receiver, alone, { perSecond: perSecond / 2, seconds }),
    with: await pacedLatency(receiver, beside, { perSecond, seconds }, isHealthy),
  };
}

const heads = ['', 'healthy', 'black holes', 'p50 ms', 'p99 ms', 'change of p99', 'aim', 'missing'];

function lines(row: Row, count: number): string[][] {
  const changes = row.with.map(({ p99Ms }, round) => (p99Ms / (row.without[round]?.p99Ms ?? Number.NaN) - 1) * 100);
  const of = (holes: number, latencies: readonly Latency[], change: readonly string[]) => {
    const [p50, p99, missing] = medians(latencies);
    return [row.kind, String(count), String(holes), shown(p50), shown(p99), ...change, String(missing)];
  };
  return [of(0, row.without, ['', '']), of(count, row.with, [`${median(changes).toFixed(0)} %`, `< ${changeAim} %`])];
}
