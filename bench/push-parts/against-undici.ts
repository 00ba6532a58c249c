import { median, shown, table } from '../parts/figures.ts';
import { type FloodSample, floodSample } from './flood-sample.ts';
import { type PushBench, type Pusher, startEngine, startPart } from './push-bench.ts';
import { urlsAt } from './push-set.ts';

interface Row {
  readonly name: string;
  readonly pusher: Pusher;
  readonly samples: FloodSample[];
  /** Events a second, relative to undici's requests a second in the same round. */
  readonly ratios: number[];
}

const ratioAims = { sqlite: 0.5, postgres: 0.35 } as const;
const cpuAim = 0.09;
const warmUps = 2;

/** Loads a raw undici loop and an engine on each database in turn, round after round. Prints medians. */
export async function compareWithUndici(bench: PushBench): Promise<void> {
  const { course, receiver, receiverUrl } = bench;
  await using cleanUp = new AsyncDisposableStack();
  const undici = await startPart('undici-loop', { BENCH_RECEIVER: receiverUrl });
  cleanUp.defer(() => undici.stop());
  const rows: Row[] = [];
  for (const kind of course.databases) {
    const pusher = await startEngine(bench, 'accept', kind, urlsAt(receiverUrl, course.settings));
    cleanUp.defer(() => pusher.stop());
    rows.push({ name: `accept → GET, ${kind}`, pusher, samples: [], ratios: [] });
  }
  for (let count = 0; count < warmUps; count += 1) {
    for (const server of [undici, ...rows.map(({ pusher }) => pusher.server)]) {
      await floodSample(server, receiver, course.flood);
    }
  }
  const raw: FloodSample[] = [];
  for (let round = 1; round <= course.rounds; round += 1) {
    const ofUndici = await floodSample(undici, receiver, course.flood);
    raw.push(ofUndici);
    console.error(`  round ${round} of ${course.rounds}: raw undici: ${shown(ofUndici.perSecond)}/s`);
    for (const { name, pusher, samples, ratios } of rows) {
      const sample = await floodSample(pusher.server, receiver, course.flood);
      samples.push(sample);
      ratios.push(sample.perSecond / ofUndici.perSecond);
      console.error(`  round ${round} of ${course.rounds}: ${name}: ${shown(sample.perSecond)}/s`);
    }
  }
  const { events, callers } = course.flood;
  console.log(`\n(a) ${shown(events)} events, one call each, durable before it returns; ${callers} callers,`);
  console.log(`    ${course.settings} settings, unsigned; from the first call until every outcome is recorded`);
  console.log(
    `    (medians of ${course.rounds} alternating rounds; CPU of the pushing process alone, all its threads;`,
  );
  console.log('    PostgreSQL has processes of its own, which are not counted)\n');
  const lines = await Promise.all(rows.map(cells));
  console.log(table([heads, ['raw undici request', ...figures(raw), '1.00', '', '', ''], ...lines]));
}

const heads = ['', 'events/s', 'CPU s/1,000', 'surplus', 'ratio', 'aim', 'aim CPU', 'RSS MiB'];

function figures(samples: readonly FloodSample[]): string[] {
  return [
    shown(median(samples.map(({ perSecond }) => perSecond))),
    median(samples.map(({ cpuSecondsPerThousand }) => cpuSecondsPerThousand)).toFixed(3),
    String(samples.reduce((sum, { surplus }) => sum + surplus, 0)),
  ];
}

async function cells({ name, pusher, samples, ratios }: Row): Promise<string[]> {
  const { rssBytes } = await pusher.server.ask('usage');
  return [
    name,
    ...figures(samples),
    median(ratios).toFixed(2),
    `≥ ${ratioAims[pusher.kind]}`,
    `≤ ${cpuAim}`,
    shown(rssBytes / 2 ** 20),
  ];
}
