/**
 * How fast keys are handed out while strangers flood the sign-in, against the same hand-outs without them in the same minutes.
 *
 *   npm run bench:strangers -- [--seconds N] [--connections N] [--database sqlite|postgres]
 *
 * Both databases unless one is named. Figures go to stdout, progress to stderr. Nothing is asserted: aims stand beside the
 * figures. Server, strangers and the client that is timed share one machine: compare with the rows without strangers. At most 512
 * connections for a minute each.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DatabaseKind } from '../packages/server/src/database/database.ts';
import { type ServerProcess, startProcess } from './parts/child-link.ts';
import { percentile, shown, table } from './parts/figures.ts';
import { describeLoad, describeMachine } from './parts/machine.ts';
import { type Environment, fill, openPlaces } from './parts/places.ts';
import { type StrangerLoad, startStrangers } from './parts/stranger-load.ts';
import { makeSmallSet } from './retrieval-parts/small-set.ts';

const mostConnections = 512;
const mostSeconds = 60;
const origin = 'http://localhost:8080';
/** Between two hand-outs of the timed client. */
const pauseMs = 25;
/** The limit of an address would refuse most of the flood before it costs anything. */
const requestsPerMinute = '1000000';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '300' },
    database: { type: 'string', default: 'sqlite,postgres' },
  },
});
const seconds = Math.min(Number(options.seconds), mostSeconds);
const connections = Math.min(Number(options.connections), mostConnections);
await using cleanUp = new AsyncDisposableStack();
const places = openPlaces();
cleanUp.defer(() => places.remove());

const loads: readonly { readonly name: string; readonly load?: Omit<StrangerLoad, 'url' | 'origin'> }[] = [
  { name: 'no strangers' },
  { name: 'sign-in, 10 addresses', load: { path: '/api/v1/sign-in', addresses: 10, connections } },
  { name: 'sign-in, an address each', load: { path: '/api/v1/sign-in', addresses: connections, connections } },
  {
    name: 'passkey options, 10 addresses',
    load: { path: '/api/v1/sign-in/passkey-options', addresses: 10, connections },
  },
  {
    name: 'passkey options, an address each',
    load: { path: '/api/v1/sign-in/passkey-options', addresses: connections, connections },
  },
  // Requests without work: the cost of the load itself.
  {
    name: 'control: sign-in methods',
    load: { path: '/api/v1/sign-in', method: 'GET', addresses: connections, connections },
  },
  { name: 'no strangers' },
];

console.log(describeMachine(places.folder).join('\n'));
console.log(
  `limits      ${connections} connections, a new one for each request; ${seconds} s a row; the default settings but`,
);
console.log(
  `            WAXWING_API_ADDRESS_REQUESTS_PER_MINUTE=${requestsPerMinute}; GET /api/download?type=key every ${pauseMs} ms`,
);
console.log('aims        p95 ≤ 250 ms, no 503, ready all the time');

for (const kind of options.database.split(',') as DatabaseKind[]) {
  const place: Environment = {
    ...(await places.make('strangers', kind)),
    WAXWING_BASE_URL: origin,
    WAXWING_API_ADDRESS_REQUESTS_PER_MINUTE: requestsPerMinute,
  };
  const token = await fill(place, makeSmallSet);
  const server = await startProcess(join(import.meta.dirname, 'parts/waxwing-server.ts'), place);
  try {
    console.log(`\n${kind}, ${describeLoad()}`);
    const rows = [['load', 'hand-outs', 'p50 ms', 'p95 ms', '503', 'not ready', 'strangers answered a second']];
    for (const { name, load } of loads) {
      console.error(`${kind}: ${name}`);
      rows.push([name, ...(await measure(server, token, load))]);
    }
    console.log(table(rows));
    console.log(describeLoad());
  } finally {
    await server.stop();
  }
}

async function measure(
  server: ServerProcess,
  token: string,
  load: Omit<StrangerLoad, 'url' | 'origin'> | undefined,
): Promise<string[]> {
  const strangers = load && (await startStrangers({ ...load, url: server.url, origin }, seconds));
  const headers = { authorization: `Bearer ${token}` };
  const times: number[] = [];
  let refused = 0;
  let unready = 0;
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const startedAt = performance.now();
    const answer = await fetch(`${server.url}/api/download?type=key`, { headers });
    await answer.arrayBuffer();
    times.push(performance.now() - startedAt);
    if (answer.status === 503) refused += 1;
    else if (answer.status !== 200) throw new Error(`a hand-out was answered ${answer.status}`);
    if (!(await fetch(`${server.url}/readyz`)).ok) unready += 1;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  const answered = await strangers?.end();
  return [
    shown(times.length),
    shown(percentile(times, 0.5)),
    shown(percentile(times, 0.95)),
    `${refused}`,
    `${unready}`,
    answered === undefined ? '' : describeAnswers(answered),
  ];
}

/** `401: 31, 503: 540` a second. */
function describeAnswers(answered: ReadonlyMap<string, number>): string {
  const each = [...answered].sort().map(([status, count]) => `${status}: ${shown(count / seconds)}`);
  return each.join(', ') || 'none';
}
