import type { ServerProcess } from '../parts/child-link.ts';
import { shown, table } from '../parts/figures.ts';
import { type Latency, medians, pacedLatency, shownLatency } from '../push-parts/paced-pushes.ts';
import { type LinkShape, type SubmitBench, startBareLinks, startGateway, startSender } from './submit-bench.ts';

interface Row {
  readonly name: string;
  /** Makes the events, and hears of their ends. */
  readonly server: ServerProcess;
  readonly receiver: ServerProcess;
  readonly latencies: Latency[];
}

const perSecond = 500;
const p99Aim = 25;
const warmUpSeconds = 2;
const shape: LinkShape = { connections: 1, window: 50, roundTripMs: 0 };

/** Sends at a steady rate, and prints the time from the POST to the push; beside that from a bare submit to its receipt. */
export async function measurePacedSends(bench: SubmitBench): Promise<void> {
  const { databases, rounds, seconds } = bench.course;
  await using cleanUp = new AsyncDisposableStack();
  const bare = await startBareLinks(shape);
  cleanUp.defer(() => bare.stop());
  const rows: Row[] = [{ name: 'bare session', server: bare.server, receiver: bare.server, latencies: [] }];
  for (const kind of databases) {
    const gateway = await startGateway(bench, 'paced', kind, shape);
    cleanUp.defer(() => gateway.stop());
    const sender = await startSender(gateway);
    cleanUp.defer(() => sender.stop());
    rows.push({ name: kind, server: sender, receiver: bench.receiver, latencies: [] });
  }
  for (const row of rows) await pacedLatency(row.receiver, row, { perSecond, seconds: warmUpSeconds });
  for (let round = 1; round <= rounds && !bench.signal.aborted; round += 1) {
    for (const row of rows) {
      const latency = await pacedLatency(row.receiver, row, { perSecond, seconds });
      row.latencies.push(latency);
      console.error(`  round ${round} of ${rounds}: ${row.name}: ${shownLatency(latency)}`);
    }
  }
  console.log(
    `\n(b) ${perSecond} messages a second, one to a POST, from the beginning of the POST to its push; the limit is`,
  );
  console.log('    the session engine alone, from submit to receipt');
  console.log(`    (medians of ${rounds} alternating rounds of ${seconds} s)\n`);
  console.log(table([['', 'p50 ms', 'p99 ms', 'aim', 'missing'], ...rows.map(cells)]));
}

function cells({ name, latencies }: Row, index: number): string[] {
  const [p50, p99, missing] = medians(latencies);
  return [name, shown(p50), shown(p99), index === 0 ? '' : `≤ ${p99Aim}`, String(missing)];
}
