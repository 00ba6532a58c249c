import { median, shown, table } from '../parts/figures.ts';
import { everyKindOfSends, type JourneySample, type Sends, sampleJourney } from './journey-sample.ts';
import { type MessageGateway, openGateway } from './message-gateway.ts';
import type { PushBench } from './push-bench.ts';

interface Row {
  readonly gateway: MessageGateway;
  readonly sends: Sends;
  readonly samples: JourneySample[];
}

const aim = 6_000;
const warmUpSeconds = 2;

/** Messages over HTTP into a whole server, through the simulator, to their pushes. */
export async function measureJourney(bench: PushBench, signal: AbortSignal): Promise<void> {
  const { rounds, seconds, databases } = bench.course;
  await using cleanUp = new AsyncDisposableStack();
  const rows: Row[] = [];
  for (const kind of databases) {
    const gateway = await openGateway(bench, 'journey', kind);
    cleanUp.defer(() => gateway.server.stop());
    rows.push(...everyKindOfSends.map((sends) => ({ gateway, sends, samples: [] })));
  }
  for (const { gateway, sends } of rows) await sampleJourney(bench.receiver, gateway, sends, warmUpSeconds, signal);
  for (let round = 1; round <= rounds; round += 1) {
    for (const { gateway, sends, samples } of rows) {
      const sample = await sampleJourney(bench.receiver, gateway, sends, seconds, signal);
      samples.push(sample);
      const rate = shown(sample.perSecond);
      console.error(`  round ${round} of ${rounds}: ${gateway.kind}, ${sends.numbers} to a POST: ${rate}/s`);
    }
  }
  console.log('\n(e) POST /api/messages → simulator → push, in a whole server; messages a second, from the first POST');
  console.log(
    `    to the last GET (medians of ${rounds} alternating rounds of ${seconds} s; CPU of the server alone)\n`,
  );
  console.log(table([heads, ...(await Promise.all(rows.map(cells)))]));
}

const heads = ['', 'numbers per POST', 'messages/s', 'aim', 'CPU s/1,000', 'RSS MiB', 'amiss'];

async function cells({ gateway, sends, samples }: Row): Promise<string[]> {
  const { rssBytes } = await gateway.server.ask('usage');
  return [
    gateway.kind,
    String(sends.numbers),
    shown(median(samples.map(({ perSecond }) => perSecond))),
    `≥ ${shown(aim)}`,
    median(samples.map(({ cpuSecondsPerThousand }) => cpuSecondsPerThousand)).toFixed(3),
    shown(rssBytes / 2 ** 20),
    String(samples.reduce((sum, { amiss }) => sum + amiss, 0)),
  ];
}
