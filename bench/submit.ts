/**
 * How fast messages go out over SMPP, against what the session engine can do alone on the same machine in the same minutes.
 *
 *   npm run bench:submit -- [--seconds N] [--rounds N] [--database sqlite,postgres] [--only a,b,c,d]
 *
 * A look whether it works at all: --seconds 1 --rounds 1
 *
 * Figures go to stdout, progress to stderr. Nothing is asserted: aims stand beside the figures. Everything shares one
 * machine, so figures say more about each other than about another machine.
 */
import { parseArgs } from 'node:util';
import type { DatabaseKind } from '../packages/server/src/database/database.ts';
import { requireWrk } from './parts/load.ts';
import { describeLoad, describeMachine } from './parts/machine.ts';
import { openPlaces } from './parts/places.ts';
import { measureFullWindows } from './submit-parts/full-windows.ts';
import { measurePacedSends } from './submit-parts/paced-sends.ts';
import { openSubmitBench } from './submit-parts/submit-bench.ts';
import { measureWholeJourney } from './submit-parts/whole-journey.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '3' },
    database: { type: 'string', default: 'sqlite,postgres' },
    only: { type: 'string', default: 'a,b,c,d' },
  },
});
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
const parts = options.only.split(',');
const loadTool = parts.includes('a') ? `; ${requireWrk()}, 1 thread` : '';

await using cleanUp = new AsyncDisposableStack();
const places = openPlaces();
cleanUp.defer(() => places.remove());
console.log(`everything over loopback${loadTool}`);
console.log([...describeMachine(places.folder), describeLoad()].join('\n'));

const course = {
  databases: options.database.split(',') as DatabaseKind[],
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
};
const bench = await openSubmitBench(course, places, interrupted.signal);
cleanUp.defer(() => bench.receiver.stop());
const roundTripMs = 50;
const measures = {
  a: () => measureWholeJourney(bench),
  b: () => measurePacedSends(bench),
  c: () => measureFullWindows(bench, 'c', { connections: 1, window: 50, roundTripMs }),
  d: () => measureFullWindows(bench, 'd', { connections: 5, window: 10, roundTripMs }),
} as const;
for (const [part, measure] of Object.entries(measures)) {
  if (parts.includes(part) && !interrupted.signal.aborted) await measure();
}
console.log(`\n${describeLoad()}`);
