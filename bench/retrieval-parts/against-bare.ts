import { join } from 'node:path';
import { type ServerProcess, startProcess } from '../parts/child-link.ts';
import { median, shown, table } from '../parts/figures.ts';
import { type Course, measure, type Sample } from '../parts/measure.ts';
import { check, headersFor, json, scenarios } from './scenarios.ts';

/** One kind of request to one server. */
interface Contender {
  readonly name: string;
  readonly server: ServerProcess;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly recorded: boolean;
  readonly aim?: number;
}

interface Row {
  readonly contender: Contender;
  readonly connections: number;
  readonly samples: Sample[];
  /** Requests a second, relative to the bare server's in the same round. */
  readonly ratios: number[];
}

const warmUpSeconds = 2;

/** Loads a bare node:http server and every scenario in turn, round after round. Prints medians. */
export async function compareWithBare(waxwing: ServerProcess, token: string, course: Course): Promise<void> {
  const headers = await headersFor(json, waxwing, token);
  const bodyBytes = await check(json, waxwing, headers);
  const bare = await startProcess(join(import.meta.dirname, 'bare-server.ts'), { BENCH_BODY_BYTES: `${bodyBytes}` });
  try {
    const contenders: Contender[] = [
      { name: 'bare node:http', server: bare, path: '/', headers, recorded: false },
      ...(await Promise.all(
        scenarios.map(async (scenario) => ({
          ...scenario,
          server: waxwing,
          headers: await headersFor(scenario, waxwing, token),
        })),
      )),
    ];
    for (const scenario of scenarios) await check(scenario, waxwing, await headersFor(scenario, waxwing, token));
    for (const contender of contenders) await sampleOf(contender, 64, { ...course, seconds: warmUpSeconds });

    const rows = course.connections.flatMap((connections) =>
      contenders.map((contender): Row => ({ contender, connections, samples: [], ratios: [] })),
    );
    const commitTimes: number[] = [];
    for (let round = 1; round <= course.rounds; round += 1) {
      commitTimes.push(...(await waxwing.ask('commits')));
      let bareRate = Number.NaN;
      for (const { contender, connections, samples, ratios } of rows) {
        const sample = await sampleOf(contender, connections, course);
        if (contender.server === bare) bareRate = sample.requestsPerSecond;
        samples.push(sample);
        ratios.push(sample.requestsPerSecond / bareRate);
        const rate = shown(sample.requestsPerSecond);
        console.error(`  round ${round} of ${course.rounds}: ${contender.name}, ${connections} connections: ${rate}/s`);
      }
    }
    console.log(`\nAgainst a bare node:http server that answers ${bodyBytes} constant bytes`);
    console.log(`(medians of ${course.rounds} alternating rounds of ${course.seconds} s; CPU of the server alone)\n`);
    console.log(table([heads, ...rows.map(cells)]));
    printCeiling(commitTimes, course);
  } finally {
    await bare.stop();
  }
}

function sampleOf({ server, path, headers, recorded }: Contender, connections: number, course: Course) {
  const load = { url: server.url + path, headers, connections, seconds: course.seconds };
  return measure(server, load, recorded, course.signal);
}

const heads = [
  '',
  'connections',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU ms/1,000',
  'ratio to bare',
  'aim',
  'failures',
  'records/commit',
  'ms/commit',
];

function cells({ contender, connections, samples, ratios }: Row): string[] {
  const { name, aim, recorded } = contender;
  const middle = (of: (sample: Sample) => number): string => shown(median(samples.map(of)));
  return [
    name,
    String(connections),
    middle((sample) => sample.requestsPerSecond),
    middle((sample) => sample.p50Ms),
    middle((sample) => sample.p99Ms),
    middle((sample) => sample.cpuMsPerThousand),
    median(ratios).toFixed(2),
    aim === undefined ? '' : `≥ ${aim}`,
    String(samples.reduce((sum, { failures }) => sum + failures, 0)),
    recorded ? middle((sample) => sample.requests / sample.commits) : '',
    recorded ? middle((sample) => (sample.requests / sample.requestsPerSecond / sample.commits) * 1000) : '',
  ];
}

/** Each recorded answer waits for at least one commit. */
function printCeiling(commitTimes: readonly number[], { connections }: Course): void {
  const commitMs = median(commitTimes);
  const ceilings = connections.map((count) => `${count} connections ${shown((count / commitMs) * 1000)}/s`);
  console.log(`\ncommit latency  ${shown(commitMs)} ms (median of ${commitTimes.length} one-row commits, one by one)`);
  console.log(`ceiling of recorded answers, connections / commit latency:  ${ceilings.join(', ')}`);
}
