import { setTimeout as delay } from 'node:timers/promises';
import { median, shown, table } from '../parts/figures.ts';
import {
  type Client,
  type LinkShape,
  type SubmitBench,
  startBareLinks,
  startGateway,
  startSender,
} from './submit-bench.ts';

interface Row {
  readonly name: string;
  readonly client: Client;
  /** Makes submits for the whole of a sample. */
  readonly fill: (submits: number) => Promise<unknown>;
  readonly perSecond: number[];
}

const aim = 0.95;
/** The queue is filled in this time, and the windows with it. */
const leadSeconds = 2;
const numbersPerPost = 1_000;

/** @param part its letter. Fills the windows of links to a carrier that is far away, and counts what it accepts. */
export async function measureFullWindows(bench: SubmitBench, part: string, shape: LinkShape): Promise<void> {
  const { databases, rounds, seconds } = bench.course;
  const { connections, window, roundTripMs } = shape;
  const bound = (connections * window * 1_000) / roundTripMs;
  await using cleanUp = new AsyncDisposableStack();
  const bare = await startBareLinks(shape);
  cleanUp.defer(() => bare.stop());
  const fillBare = (events: number) => bare.server.ask('flood', { events, callers: connections * window });
  const rows: Row[] = [{ name: 'bare session', client: bare, fill: fillBare, perSecond: [] }];
  for (const kind of databases) {
    const gateway = await startGateway(bench, `windows_${part}`, kind, shape);
    cleanUp.defer(() => gateway.stop());
    const sender = await startSender(gateway);
    cleanUp.defer(() => sender.stop());
    const fill = (submits: number) => sender.ask('flood', { events: Math.ceil(submits / numbersPerPost), callers: 1 });
    rows.push({ name: kind, client: gateway, fill, perSecond: [] });
  }
  const measuredMs = await measureRoundTrip(bare);
  for (let round = 1; round <= rounds && !bench.signal.aborted; round += 1) {
    for (const row of rows) {
      const perSecond = await sampleRate(row, bound, seconds);
      row.perSecond.push(perSecond);
      console.error(`  round ${round} of ${rounds}: ${row.name}: ${shown(perSecond)}/s`);
    }
  }
  console.log(
    `\n(${part}) ${connections} connection(s) with a window of ${window}, ${roundTripMs} ms round trip; the queue is never empty;`,
  );
  console.log(`    windows / round trip = ${shown(bound)} submits a second; one submit at a time is answered`);
  const measured = (bound * roundTripMs) / measuredMs;
  console.log(`    after ${shown(measuredMs)} ms, and windows / that = ${shown(measured)} submits a second`);
  console.log(`    (medians of ${rounds} alternating rounds of ${seconds} s)\n`);
  const lines = rows.map(({ name, perSecond }, index) => [
    name,
    shown(median(perSecond)),
    (median(perSecond) / bound).toFixed(3),
    (median(perSecond) / measured).toFixed(3),
    index === 0 ? '' : `≥ ${aim}`,
  ]);
  console.log(table([['', 'submits/s', 'of bound', 'of measured', 'aim'], ...lines]));
}

/**
 * Milliseconds until the session engine alone has an answer: timers and processes add to the way of the relay. A load ends
 * with its last receipt, which a load of one submit tells apart.
 */
async function measureRoundTrip({ server }: Client): Promise<number> {
  const submits = 40;
  const timeOf = async (events: number) => (await server.ask('flood', { events, callers: 1 })).ms;
  return ((await timeOf(submits + 1)) - (await timeOf(1))) / submits;
}

async function sampleRate({ client, fill }: Row, bound: number, seconds: number): Promise<number> {
  const { accepted } = await client.carrier.ask('carried');
  const submits = Math.ceil((bound * (leadSeconds + seconds + 1)) / numbersPerPost) * numbersPerPost;
  const filling = fill(submits);
  await delay(leadSeconds * 1_000);
  const from = await client.carrier.ask('carried');
  await delay(seconds * 1_000);
  const to = await client.carrier.ask('carried');
  await filling;
  while ((await client.carrier.ask('carried')).accepted < accepted + submits) await delay(100);
  return ((to.accepted - from.accepted) / (to.at - from.at)) * 1_000;
}
