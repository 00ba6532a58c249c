/**
 * A big day on one machine: the servers of a large fleet ask for certificate and key, each at a time of its own, while
 * customers send messages and have their statuses pushed.
 *
 *   npm run bench:day -- [--seconds N] [--deployments N] [--database sqlite|postgres] [--asks N] [--posts N]
 *                        [--busy-disk MIB] [--keep FOLDER]
 *
 * Three parts in turn: the hand-outs alone, the messages alone, both. `--asks` and `--posts` are rates a second; a POST
 * holds ten messages. With `--busy-disk` another process writes a file beside each part, so many MiB between two syncs.
 * `--keep` leaves the filled SQLite database in a folder, and the next run begins with it. Figures go to stdout, progress
 * to stderr. Nothing is asserted: aims stand beside the figures. Server, load tool and receiver share one machine.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type ServerProcess, startProcess } from './parts/child-link.ts';
import { busyDisk, type DayLoad, type DayPart, runPart } from './parts/day-part.ts';
import { percentile, shown, table } from './parts/figures.ts';
import { describeLoad, describeMachine } from './parts/machine.ts';
import { type Environment, fill, openPlaces } from './parts/places.ts';
import { makePushSet, urlsAt } from './push-parts/push-set.ts';
import { makeLargeSet } from './retrieval-parts/large-set.ts';

const aims = { askP99: 50, postP99: 100 };
const deploymentsPerCertificate = 10;
const customers = 10;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    deployments: { type: 'string', default: '1000000' },
    database: { type: 'string', default: 'sqlite' },
    asks: { type: 'string', default: '278' },
    posts: { type: 'string', default: '115.7' },
    'busy-disk': { type: 'string', default: '0' },
    keep: { type: 'string' },
  },
});
const kind = options.database === 'postgres' ? 'postgres' : 'sqlite';
const deployments = Number(options.deployments);
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());

await using cleanUp = new AsyncDisposableStack();
const places = openPlaces();
cleanUp.defer(() => places.remove());
const receiver = await startProcess(join(import.meta.dirname, 'push-parts/push-receiver.ts'), {});
cleanUp.defer(() => receiver.stop());
const [receiverUrl = ''] = receiver.url.split(' ');

console.log(`database ${kind}; load tool, receiver and server on one machine, everything over loopback`);
console.log([...describeMachine(places.folder), describeLoad()].join('\n'));

const place = { ...(await choosePlace()), WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8' };
const tokensFile = join(options.keep ?? places.folder, 'deployment-tokens');
if (!existsSync(tokensFile)) await fillLarge();
const load: DayLoad = {
  tokens: readFileSync(tokensFile, 'utf8').trimEnd().split('\n'),
  senders: await fill(place, makeSenders),
  seconds: Number(options.seconds),
  signal: interrupted.signal,
};

const startedAt = performance.now();
const server: ServerProcess = await startProcess(join(import.meta.dirname, 'parts/waxwing-server.ts'), place);
cleanUp.defer(() => server.stop());
console.log(`${shown(deployments)} deployments; process start to listening ${shown(performance.now() - startedAt)} ms`);
await using disk = busyDisk(places.folder, Number(options['busy-disk']));
if (disk.mebibytes > 0) console.log(`disk kept busy: ${disk.mebibytes} MiB written between two syncs, all the time`);

const [asks, posts] = [Number(options.asks), Number(options.posts)];
const parts: [name: string, part: DayPart][] = [];
for (const [name, rates] of [
  ['hand-outs alone', { asks, posts: 0 }],
  ['messages alone', { asks: 0, posts }],
  ['both', { asks, posts }],
] as const) {
  if (interrupted.signal.aborted) break;
  parts.push([name, await runPart(server, receiver, load, rates)]);
  console.error(`  ${name} done`);
}

console.log(`\n${shown(asks)} hand-outs/s and ${shown(posts)} POSTs/s of ten messages, ${options.seconds} s each\n`);
const heads = [
  '',
  'hand-outs',
  'p50 ms',
  'p99 ms',
  'max ms',
  'POSTs',
  'p50 ms',
  'p99 ms',
  'refused',
  'pushes',
  'cores',
  'RSS MiB',
];
const lines = parts.map(([name, part]) => [
  name,
  String(part.asked.length),
  ...[0.5, 0.99, 1].map((share) => shown(percentile(part.asked, share))),
  String(part.posted.length),
  ...[0.5, 0.99].map((share) => shown(percentile(part.posted, share))),
  String(part.refused),
  String(part.pushes),
  (part.cpuMs / part.ms).toFixed(2),
  shown(part.rssBytes / 2 ** 20),
]);
console.log(table([heads, ...lines]));
console.log(
  `\naims: hand-outs p99 ≤ ${aims.askP99} ms and POST p99 ≤ ${aims.postP99} ms in the last row, nothing refused`,
);
console.log(describeLoad());

async function choosePlace(): Promise<Environment> {
  const made = await places.make('day', kind);
  if (options.keep === undefined) return made;
  if (kind !== 'sqlite') throw new Error('--keep is for SQLite');
  return { ...made, WAXWING_DATA: resolve(options.keep, 'data') };
}

async function fillLarge(): Promise<void> {
  const began = performance.now();
  const unfinished = `${tokensFile}.unfinished`;
  const certificates = Math.ceil(deployments / deploymentsPerCertificate);
  await fill(place, (application) => makeLargeSet(application, { certificates, deployments, tokensFile: unfinished }));
  writeFileSync(tokensFile, readFileSync(unfinished), { mode: 0o600 });
  console.error(`  filled in ${shown((performance.now() - began) / 1000)} s`);
}

/** Customers whose statuses go to this run's receiver. @returns their messaging keys */
async function makeSenders(application: Parameters<Parameters<typeof fill>[1]>[0]): Promise<string[]> {
  const tokens: string[] = [];
  for (const organizationId of await makePushSet(application, urlsAt(receiverUrl, customers))) {
    const key = { organizationId, name: 'bench', allow: ['127.0.0.1'] };
    tokens.push((await application.messaging.keys.create('bench', key)).token.reveal());
  }
  return tokens;
}
