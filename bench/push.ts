/**
 * How fast events become pushes, against what undici can do at all on the same machine in the same minutes.
 *
 *   npm run bench:push -- [--seconds N] [--rounds N] [--events N] [--callers N] [--settings N] [--waiting N]
 *                         [--database sqlite,postgres] [--only a,b,c,d,e]
 *
 * A look whether it works at all: --seconds 1 --rounds 1 --events 500 --waiting 2000
 *
 * Figures go to stdout, progress to stderr. Nothing is asserted: aims stand beside the figures. Everything shares one
 * machine, so figures say more about each other than about another machine.
 */
import { parseArgs } from 'node:util';
import type { DatabaseKind } from '../packages/server/src/database/database.ts';
import { requireWrk } from './parts/load.ts';
import { describeLoad, describeMachine } from './parts/machine.ts';
import { openPlaces } from './parts/places.ts';
import { compareWithUndici } from './push-parts/against-undici.ts';
import { compareWithBlackHoles } from './push-parts/black-holes.ts';
import { compareWithBacklog } from './push-parts/dead-backlog.ts';
import { measureJourney } from './push-parts/message-journey.ts';
import { measurePaced } from './push-parts/paced-pushes.ts';
import { openPushBench } from './push-parts/push-bench.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    events: { type: 'string', default: '20000' },
    callers: { type: 'string', default: '50' },
    settings: { type: 'string', default: '100' },
    waiting: { type: 'string', default: '1000000' },
    database: { type: 'string', default: 'sqlite,postgres' },
    only: { type: 'string', default: 'a,b,c,d,e' },
  },
});
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
const parts = options.only.split(',');
const loadTool = parts.includes('e') ? `; ${requireWrk()}, 1 thread` : '';

await using cleanUp = new AsyncDisposableStack();
const places = openPlaces();
cleanUp.defer(() => places.remove());
console.log(`everything over loopback${loadTool}`);
console.log([...describeMachine(places.folder), describeLoad()].join('\n'));

const course = {
  databases: options.database.split(',') as DatabaseKind[],
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
  flood: { events: Number(options.events), callers: Number(options.callers) },
  settings: Number(options.settings),
  waiting: Number(options.waiting),
};
const bench = await openPushBench(course, places);
cleanUp.defer(() => bench.receiver.stop());
const measures = {
  a: compareWithUndici,
  b: measurePaced,
  c: compareWithBlackHoles,
  d: compareWithBacklog,
  e: () => measureJourney(bench, interrupted.signal),
} as const;
for (const [part, measure] of Object.entries(measures)) {
  if (parts.includes(part) && !interrupted.signal.aborted) await measure(bench);
}
console.log(`\n${describeLoad()}`);
