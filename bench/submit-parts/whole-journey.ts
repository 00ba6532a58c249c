import type { ServerProcess } from '../parts/child-link.ts';
import { median, shown, table } from '../parts/figures.ts';
import { everyKindOfSends, type JourneySample, type Sends, sampleJourney } from '../push-parts/journey-sample.ts';
import {
  type LinkShape,
  type SubmitBench,
  type SubmittingGateway,
  startBareLinks,
  startGateway,
} from './submit-bench.ts';

interface Row {
  readonly gateway: SubmittingGateway;
  readonly sends: Sends;
  readonly samples: JourneySample[];
}

type BareSample = Pick<JourneySample, 'perSecond' | 'cpuSecondsPerThousand'>;

const aim = 5_000;
const cpuAim = 0.25;
const warmUpSeconds = 2;
const bareSubmits = 50_000;
const shape: LinkShape = { connections: 1, window: 50, roundTripMs: 0 };

/** Messages over HTTP into a whole server, over SMPP to a carrier, and their pushes; beside the session engine alone. */
export async function measureWholeJourney(bench: SubmitBench): Promise<void> {
  const { course, receiver, signal } = bench;
  const { rounds, seconds, databases } = course;
  await using cleanUp = new AsyncDisposableStack();
  const bare = await startBareLinks(shape);
  cleanUp.defer(() => bare.stop());
  const rows: Row[] = [];
  for (const kind of databases) {
    const gateway = await startGateway(bench, 'journey', kind, shape);
    cleanUp.defer(() => gateway.stop());
    rows.push(...everyKindOfSends.map((sends) => ({ gateway, sends, samples: [] })));
  }
  await sampleBare(bare.server);
  for (const { gateway, sends } of rows) await sampleJourney(receiver, gateway, sends, warmUpSeconds, signal);
  const limits: BareSample[] = [];
  for (let round = 1; round <= rounds && !signal.aborted; round += 1) {
    limits.push(await sampleBare(bare.server));
    console.error(`  round ${round} of ${rounds}: bare session: ${shown(limits.at(-1)?.perSecond ?? 0)}/s`);
    for (const { gateway, sends, samples } of rows) {
      const sample = await sampleJourney(receiver, gateway, sends, seconds, signal);
      samples.push(sample);
      const rate = shown(sample.perSecond);
      console.error(`  round ${round} of ${rounds}: ${gateway.kind}, ${sends.numbers} to a POST: ${rate}/s`);
    }
  }
  const limit = median(limits.map(({ perSecond }) => perSecond));
  console.log(
    '\n(a) POST /api/messages → SMPP carrier → receipt → push, in a whole server; one connection with a window of',
  );
  console.log(
    `    ${shape.window}, receipts at once; messages a second, from the first POST to the last GET; the limit is the`,
  );
  console.log('    session engine alone, from the first submit to the last receipt, without a store');
  console.log(`    (medians of ${rounds} alternating rounds of ${seconds} s; CPU of the server alone)\n`);
  const bareCells = ['bare session', '', shown(limit), '', '1.00', shownCpu(limits)];
  console.log(table([heads, bareCells, ...(await Promise.all(rows.map((row) => cells(row, limit))))]));
}

async function sampleBare(server: ServerProcess): Promise<BareSample> {
  const { ms, cpuMs } = await server.ask('flood', { events: bareSubmits, callers: shape.window });
  return { perSecond: (bareSubmits / ms) * 1000, cpuSecondsPerThousand: cpuMs / bareSubmits };
}

const heads = [
  '',
  'numbers per POST',
  'messages/s',
  'aim',
  'of limit',
  'CPU s/1,000',
  'aim CPU',
  'POST p99 ms',
  'RSS MiB',
  'amiss',
];

async function cells({ gateway, sends, samples }: Row, limit: number): Promise<string[]> {
  const { rssBytes } = await gateway.server.ask('usage');
  const perSecond = median(samples.map((sample) => sample.perSecond));
  return [
    gateway.kind,
    String(sends.numbers),
    shown(perSecond),
    `≥ ${shown(aim)}`,
    (perSecond / limit).toFixed(2),
    shownCpu(samples),
    `≤ ${cpuAim}`,
    shown(median(samples.map(({ p99Ms }) => p99Ms))),
    shown(rssBytes / 2 ** 20),
    String(samples.reduce((sum, { amiss }) => sum + amiss, 0)),
  ];
}

function shownCpu(samples: readonly BareSample[]): string {
  return median(samples.map(({ cpuSecondsPerThousand }) => cpuSecondsPerThousand)).toFixed(3);
}
