import { setTimeout as delay } from 'node:timers/promises';
import type { Pace, ServerProcess } from '../parts/child-link.ts';
import { median, percentile, shown, table } from '../parts/figures.ts';
import { type PushBench, type Pusher, startEngine } from './push-bench.ts';
import { urlsAt } from './push-set.ts';

/** The time from commit to arrival. */
export interface Latency {
  /** Of each event, ms. */
  readonly taken: readonly number[];
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Events that had not arrived a while after the last. */
  readonly missing: number;
}

const perSecond = 1_000;
const p50Aim = 5;
const p99Aim = 15;
const warmUpSeconds = 2;
const patienceMs = 3_000;
const lookMs = 20;

/** Sends events at a steady rate, and prints the time from commit to GET. */
export async function measurePaced(bench: PushBench): Promise<void> {
  const { databases, rounds, seconds, settings } = bench.course;
  await using cleanUp = new AsyncDisposableStack();
  const rows: { readonly pusher: Pusher; readonly latencies: Latency[] }[] = [];
  for (const kind of databases) {
    const pusher = await startEngine(bench, 'paced', kind, urlsAt(bench.receiverUrl, settings));
    cleanUp.defer(() => pusher.stop());
    rows.push({ pusher, latencies: [] });
    await pacedLatency(bench.receiver, pusher, { perSecond, seconds: warmUpSeconds });
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const { pusher, latencies } of rows) {
      const latency = await pacedLatency(bench.receiver, pusher, { perSecond, seconds });
      latencies.push(latency);
      console.error(`  round ${round} of ${rounds}: ${pusher.kind}: ${shownLatency(latency)}`);
    }
  }
  console.log(`\n(b) ${shown(perSecond)} events a second at ${settings} settings, from commit to GET`);
  console.log(`    (medians of ${rounds} alternating rounds of ${seconds} s)\n`);
  const heads = ['', 'p50 ms', 'aim', 'p99 ms', 'aim', 'missing'];
  const lines = rows.map(({ pusher, latencies }) => {
    const [p50, p99, missing] = medians(latencies);
    return [pusher.kind, shown(p50), `≤ ${p50Aim}`, shown(p99), `≤ ${p99Aim}`, String(missing)];
  });
  console.log(table([heads, ...lines]));
}

/** @param counts which events to measure; the others may never arrive */
export async function pacedLatency(
  receiver: ServerProcess,
  { server }: Pick<Pusher, 'server'>,
  pace: Pace,
  counts: (event: number) => boolean = () => true,
): Promise<Latency> {
  await receiver.ask('watch', Math.round(pace.perSecond * pace.seconds));
  const commits = await server.ask('pace', pace);
  await lullAt(receiver);
  const arrivals = await receiver.ask('watch', 0);
  const looked = commits.map((at, event) => ({ at, event })).filter(({ event }) => counts(event));
  const taken = looked.flatMap(({ at, event }) => (arrivals[event] ? [arrivals[event] - at] : []));
  return {
    taken,
    p50Ms: percentile(taken, 0.5),
    p99Ms: percentile(taken, 0.99),
    missing: looked.length - taken.length,
  };
}

/** Resolves after a moment without an arrival. */
async function lullAt(receiver: ServerProcess): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  let { requests } = await receiver.ask('received');
  for (let still = 0; still < 10 && performance.now() < giveUpAt; ) {
    await delay(lookMs);
    const now = await receiver.ask('received');
    still = now.requests === requests ? still + 1 : 0;
    requests = now.requests;
  }
}

/** p50 and p99, and the number of missing ones. */
export function medians(latencies: readonly Latency[]): [p50Ms: number, p99Ms: number, missing: number] {
  return [
    median(latencies.map(({ p50Ms }) => p50Ms)),
    median(latencies.map(({ p99Ms }) => p99Ms)),
    latencies.reduce((sum, { missing }) => sum + missing, 0),
  ];
}

export function shownLatency({ p50Ms, p99Ms }: Latency): string {
  return `p50 ${shown(p50Ms)} ms, p99 ${shown(p99Ms)} ms`;
}
