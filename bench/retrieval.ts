/**
 * How fast certificates are handed out, against what node:http can do at all on the same machine in the same minutes.
 *
 *   npm run bench:retrieval -- [--seconds N] [--rounds N] [--connections 64,512] [--deployments N]
 *                              [--database sqlite|postgres]
 *
 * Figures go to stdout, progress to stderr. Nothing is asserted: aims stand beside the figures. Server and load tool
 * share one machine, so figures say more about each other than about another machine.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DatabaseKind } from '../packages/server/src/database/database.ts';
import { type ServerProcess, startProcess } from './parts/child-link.ts';
import { shown } from './parts/figures.ts';
import { requireWrk } from './parts/load.ts';
import { describeLoad, describeMachine } from './parts/machine.ts';
import type { Course } from './parts/measure.ts';
import { type Environment, fill, openPlaces } from './parts/places.ts';
import { compareWithBare } from './retrieval-parts/against-bare.ts';
import { compareWithSmall, type Holder, touchAll } from './retrieval-parts/against-small.ts';
import { makeLargeSet } from './retrieval-parts/large-set.ts';
import { check, headersFor, json } from './retrieval-parts/scenarios.ts';
import { makeSmallSet } from './retrieval-parts/small-set.ts';

const deploymentsPerCertificate = 10;
const startAimMs = 5_000;
const memoryAim = 500;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64,512' },
    deployments: { type: 'string', default: '100000' },
    database: { type: 'string', default: 'sqlite' },
  },
});
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
const course: Course = {
  seconds: Number(options.seconds),
  rounds: Number(options.rounds),
  connections: options.connections.split(',').map(Number),
  signal: interrupted.signal,
};

const loadTool = requireWrk();
await using cleanUp = new AsyncDisposableStack();
const places = openPlaces();
cleanUp.defer(() => places.remove());
const { folder } = places;
const database = options.database as DatabaseKind;

console.log(`${loadTool}, 1 thread; database ${database}; everything over loopback`);
console.log([...describeMachine(folder), describeLoad()].join('\n'));

const smallPlace = await places.make('small', database);
const token = await fill(smallPlace, makeSmallSet);
const small = await startWaxwing(smallPlace);
await compareWithBare(small, token, course);
if (Number(options.deployments) > 0) await measureLargeSet(Number(options.deployments));
console.log(`\n${describeLoad()}`);

async function measureLargeSet(deployments: number): Promise<void> {
  const certificates = Math.ceil(deployments / deploymentsPerCertificate);
  console.log(`\n${shown(deployments)} deployments of ${shown(certificates)} certificates`);
  const place = await places.make('large', database);
  const tokensFile = join(folder, 'large-tokens');
  const madeAt = performance.now();
  await fill(place, (application) => makeLargeSet(application, { certificates, deployments, tokensFile }));
  console.log(`filled in ${shown((performance.now() - madeAt) / 1000)} s`);

  const startedAt = performance.now();
  const server = await startWaxwing(place);
  const firstToken = readFileSync(tokensFile, 'utf8').slice(0, token.length);
  await check(json, server, await headersFor(json, server, firstToken));
  console.log(`process start to first answer ${shown(performance.now() - startedAt)} ms (aim ≤ ${startAimMs})`);

  const large: Holder = { server, tokensFile, tokens: deployments };
  const held = await touchAll(large, course.signal);
  console.log(`${shown(held)} deployments in memory after a request to each: ${await memory(server)}\n`);
  const same = withOneToken(server, 'first-token', firstToken);
  await compareWithSmall(large, same, withOneToken(small, 'small-tokens', token), course);
  console.log(`\nafter all loads: ${await memory(server)}; with one deployment ${await memory(small)}`);
}

function withOneToken(server: ServerProcess, fileName: string, text: string): Holder {
  const tokensFile = join(folder, fileName);
  writeFileSync(tokensFile, `${text}\n`, { mode: 0o600 });
  return { server, tokensFile, tokens: 1 };
}

async function memory(server: ServerProcess): Promise<string> {
  const { rssBytes } = await server.ask('usage');
  return `RSS ${shown(rssBytes / 2 ** 20)} MiB (aim ≤ ${memoryAim})`;
}

async function startWaxwing(place: Environment): Promise<ServerProcess> {
  const server = await startProcess(join(import.meta.dirname, 'parts/waxwing-server.ts'), place);
  cleanUp.defer(() => server.stop());
  return server;
}
