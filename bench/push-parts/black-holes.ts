import type { DatabaseKind } from '../../packages/server/src/database/database.ts';
import { percentile, shown, table } from '../parts/figures.ts';
import { type Latency, pacedLatency, shownLatency } from './paced-pushes.ts';
import { type PushBench, type Pusher, startEngine } from './push-bench.ts';
import { urlsAt } from './push-set.ts';

interface Row {
  readonly kind: DatabaseKind;
  readonly alone: Pusher;
  readonly beside: Pusher;
  readonly without: Latency[];
  readonly with: Latency[];
}

/** A multiple of the settings of (a) and (b). */
const timesSettings = 10;
const perSecond = 1_000;
const warmUpSeconds = 2;
const changeAim = 10;

/** Compares healthy settings beside as many silent ones with the same alone, on another engine. */
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
    await sampleAlone(bench, row, warmUpSeconds);
    await sampleBeside(bench, row, warmUpSeconds);
    row.without.length = 0;
    row.with.length = 0;
    rows.push(row);
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const row of rows) {
      const steps = [sampleAlone, sampleBeside];
      for (const step of round % 2 === 0 ? steps.reverse() : steps) await step(bench, row, seconds);
      const [without, beside] = [row.without, row.with].map((latencies) => shownLatency(latencies.at(-1) as Latency));
      console.error(`  round ${round} of ${rounds}: ${row.kind}: without ${without}; with ${beside}`);
    }
  }
  console.log(
    `\n(c) healthy settings at ${shown(perSecond / 2)} events a second, alone and beside as many black holes, with as`,
  );
  console.log('    many events again, that take connections and never answer; from commit to GET at the healthy ones');
  console.log(`    (all events of ${rounds} alternating rounds of ${seconds} s)\n`);
  console.log(table([heads, ...rows.flatMap((row) => lines(row, settings / 2))]));
}

async function sampleAlone({ receiver }: PushBench, { alone, without }: Row, seconds: number): Promise<void> {
  without.push(await pacedLatency(receiver, alone, { perSecond: perSecond / 2, seconds }));
}

async function sampleBeside({ receiver }: PushBench, row: Row, seconds: number): Promise<void> {
  const isHealthy = (event: number) => event % 2 === 0;
  row.with.push(await pacedLatency(receiver, row.beside, { perSecond, seconds }, isHealthy));
}

const heads = [
  '',
  'healthy',
  'black holes',
  'p50 ms',
  'p99 ms',
  'change of p99',
  'aim',
  'alone from round to round',
  'missing',
];

function lines(row: Row, count: number): string[][] {
  const before = p99Of(row.without);
  const change = shownChange(p99Of(row.with) / before);
  const own = row.without.map(({ p99Ms }) => p99Ms / before);
  const spread = `${shownChange(Math.min(...own))} to ${shownChange(Math.max(...own))}`;
  return [
    [row.kind, String(count), '0', ...figuresOf(row.without), '', '', spread, missingIn(row.without)],
    [
      row.kind,
      String(count),
      String(count),
      ...figuresOf(row.with),
      change,
      `< ${changeAim} %`,
      '',
      missingIn(row.with),
    ],
  ];
}

function figuresOf(latencies: readonly Latency[]): string[] {
  return [shown(percentile(takenIn(latencies), 0.5)), shown(p99Of(latencies))];
}

/** Over all rounds: one round alone has too few events above it. */
function p99Of(latencies: readonly Latency[]): number {
  return percentile(takenIn(latencies), 0.99);
}

function takenIn(latencies: readonly Latency[]): number[] {
  return latencies.flatMap(({ taken }) => taken);
}

function missingIn(latencies: readonly Latency[]): string {
  return String(latencies.reduce((sum, { missing }) => sum + missing, 0));
}

function shownChange(ratio: number): string {
  const change = Math.round((ratio - 1) * 100);
  return `${change > 0 ? '+' : ''}${change} %`;
}
