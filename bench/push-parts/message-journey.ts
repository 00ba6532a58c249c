import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Application } from '../../packages/server/src/compose.ts';
import type { DatabaseKind } from '../../packages/server/src/database/database.ts';
import { type ServerProcess, startProcess } from '../parts/child-link.ts';
import { median, shown, table } from '../parts/figures.ts';
import { runSends } from '../parts/load.ts';
import { fill } from '../parts/places.ts';
import { type PushBench, pushPlace } from './push-bench.ts';
import { makePushSet, urlsAt } from './push-set.ts';

interface Journey {
  readonly kind: DatabaseKind;
  readonly server: ServerProcess;
  readonly tokensFile: string;
}

interface Row {
  readonly journey: Journey;
  readonly numbers: number;
  readonly samples: Sample[];
}

interface Sample {
  readonly perSecond: number;
  readonly cpuSecondsPerThousand: number;
  /** Sends without status 200, and accepted messages without a push. */
  readonly amiss: number;
}

const organizations = 10;
/** Numbers in one POST, and POSTs in flight. */
const sends = [
  { numbers: 1, connections: 50 },
  { numbers: 100, connections: 4 },
];
const aim = 6_000;
const warmUpSeconds = 2;
const lookMs = 50;
/** A sample ends after this time without a push, or longer while some are missing. */
const lullMs = 1_000;
const longLullMs = 15_000;

/** Messages over HTTP into a whole server, through the simulator, to their pushes. */
export async function measureJourney(bench: PushBench, signal: AbortSignal): Promise<void> {
  const { rounds, seconds, databases } = bench.course;
  await using cleanUp = new AsyncDisposableStack();
  const rows: Row[] = [];
  for (const kind of databases) {
    const journey = await openJourney(bench, kind);
    cleanUp.defer(() => journey.server.stop());
    rows.push(...sends.map(({ numbers }) => ({ journey, numbers, samples: [] })));
  }
  for (const { journey, numbers } of rows) await sampleOf(bench, journey, numbers, warmUpSeconds, signal);
  for (let round = 1; round <= rounds; round += 1) {
    for (const { journey, numbers, samples } of rows) {
      const sample = await sampleOf(bench, journey, numbers, seconds, signal);
      samples.push(sample);
      const rate = shown(sample.perSecond);
      console.error(`  round ${round} of ${rounds}: ${journey.kind}, ${numbers} to a POST: ${rate}/s`);
    }
  }
  console.log('\n(e) POST /api/messages → simulator → push, in a whole server; messages a second, from the first POST');
  console.log(
    `    to the last GET (medians of ${rounds} alternating rounds of ${seconds} s; CPU of the server alone)\n`,
  );
  console.log(table([heads, ...(await Promise.all(rows.map(cells)))]));
}

async function openJourney(bench: PushBench, kind: DatabaseKind): Promise<Journey> {
  const place = await pushPlace(bench, 'journey', kind);
  const tokens = await fill(place, (application) => makeSenders(application, urlsAt(bench.receiverUrl, organizations)));
  const tokensFile = join(bench.places.folder, `journey-${kind}-tokens`);
  writeFileSync(tokensFile, tokens.map((token) => `${token}\n`).join(''), { mode: 0o600 });
  return {
    kind,
    tokensFile,
    server: await startProcess(join(import.meta.dirname, '../parts/waxwing-server.ts'), place),
  };
}

async function makeSenders(application: Application, urls: readonly string[]): Promise<string[]> {
  const tokens: string[] = [];
  for (const organizationId of await makePushSet(application, urls)) {
    const key = { organizationId, name: 'bench', allow: ['127.0.0.1'] };
    const { token } = await application.messaging.keys.create('bench', key);
    tokens.push(token.reveal());
  }
  return tokens;
}

async function sampleOf(
  { receiver }: PushBench,
  { server, tokensFile }: Journey,
  numbers: number,
  seconds: number,
  signal: AbortSignal,
): Promise<Sample> {
  const connections = sends.find((send) => send.numbers === numbers)?.connections ?? 1;
  const before = await receiver.ask('received');
  const usage = await server.ask('usage');
  const startedAt = performance.now();
  const sent = await runSends({ url: server.url, connections, seconds, tokensFile, numbers }, signal);
  const accepted = (sent.requests - sent.failures) * numbers;
  const { pushes, ms } = await lastPush(receiver, before.requests, accepted, startedAt);
  const { cpuMs } = await server.ask('usage');
  return {
    perSecond: (pushes / ms) * 1000,
    cpuSecondsPerThousand: (cpuMs - usage.cpuMs) / pushes,
    // A message in flight at the end of the load may be accepted without its sender knowing.
    amiss: sent.failures + Math.max(0, accepted - pushes),
  };
}

/** Waits until no push has come for a while. @returns the time of the last one */
async function lastPush(receiver: ServerProcess, before: number, accepted: number, startedAt: number) {
  let { requests } = await receiver.ask('received');
  let lastAt = performance.now();
  while (performance.now() - lastAt < (requests - before < accepted ? longLullMs : lullMs)) {
    await delay(lookMs);
    const now = await receiver.ask('received');
    if (now.requests === requests) continue;
    ({ requests } = now);
    lastAt = performance.now();
  }
  return { pushes: requests - before, ms: lastAt - startedAt };
}

const heads = ['', 'numbers per POST', 'messages/s', 'aim', 'CPU s/1,000', 'RSS MiB', 'amiss'];

async function cells({ journey, numbers, samples }: Row): Promise<string[]> {
  const { rssBytes } = await journey.server.ask('usage');
  return [
    journey.kind,
    String(numbers),
    shown(median(samples.map(({ perSecond }) => perSecond))),
    `≥ ${shown(aim)}`,
    median(samples.map(({ cpuSecondsPerThousand }) => cpuSecondsPerThousand)).toFixed(3),
    shown(rssBytes / 2 ** 20),
    String(samples.reduce((sum, { amiss }) => sum + amiss, 0)),
  ];
}
