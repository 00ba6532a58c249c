import type { ServerProcess } from '../parts/child-link.ts';
import { median, shown, table } from '../parts/figures.ts';
import { type Course, measure, type Sample } from '../parts/measure.ts';
import { certificate, json, type Scenario } from './scenarios.ts';

/** A server with its deployments' tokens, one on each line of a file. */
export interface Holder {
  readonly server: ServerProcess;
  readonly tokensFile: string;
  readonly tokens: number;
}

interface Row {
  readonly scenario: Scenario;
  /** Of the server with one deployment. */
  readonly small: Sample[];
  /** Of the large server, one deployment asked: the cost of the others' presence. */
  readonly same: Sample[];
  /** Of the large server, all deployments in turn: the cost of different requests. */
  readonly large: Sample[];
}

const connections = 64;
const touchSeconds = 5;
const touchAttempts = 12;
/** Of all deployments asked in turn, as a fleet never does. */
const aimOfAll = 0.55;

/** Uses every deployment. @returns how many the server then holds in memory */
export async function touchAll(holder: Holder, signal: AbortSignal): Promise<number> {
  let held = 0;
  for (let attempt = 0; attempt < touchAttempts && held < holder.tokens; attempt += 1) {
    await sampleOf(holder, certificate, held, touchSeconds, signal);
    held = await holder.server.ask('tokens');
  }
  return held;
}

/**
 * Loads a server with one deployment, and a large one with one of its tokens and with all in turn.
 * @param same the large one with one of its tokens
 */
export async function compareWithSmall(large: Holder, same: Holder, small: Holder, course: Course): Promise<void> {
  const { rounds, seconds, signal } = course;
  const rows = [json, certificate].map((scenario): Row => ({ scenario, small: [], same: [], large: [] }));
  for (let round = 1; round <= rounds; round += 1) {
    for (const row of rows) {
      // Each round starts at other deployments: one round alone may not reach the end of the file.
      const start = Math.floor((large.tokens * round) / rounds);
      const ofLarge = await sampleOf(large, row.scenario, start, seconds, signal);
      const ofSmall = await sampleOf(small, row.scenario, 0, seconds, signal);
      const ofSame = await sampleOf(same, row.scenario, 0, seconds, signal);
      row.large.push(ofLarge);
      row.small.push(ofSmall);
      row.same.push(ofSame);
      const [all, one, oneOfAll] = [ofLarge, ofSmall, ofSame].map((sample) => `${shown(sample.requestsPerSecond)}/s`);
      const rates = `all ${all}, one of them ${oneOfAll}, with one deployment ${one}`;
      console.error(`  round ${round} of ${rounds}: ${row.scenario.name}, ${connections} connections: ${rates}`);
    }
  }
  console.log(table([heads, ...rows.flatMap(lines)]));
}

function sampleOf(holder: Holder, scenario: Scenario, start: number, seconds: number, signal: AbortSignal) {
  const { server, tokensFile } = holder;
  const load = { url: server.url + scenario.path, headers: {}, connections, seconds };
  return measure(server, { ...load, tokens: { file: tokensFile, start } }, scenario.recorded, signal);
}

const heads = ['', 'deployments', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms/1,000', 'ratio', 'aim', 'failures'];

function lines({ scenario, large, same, small }: Row): string[][] {
  const figures = (samples: readonly Sample[]): string[] => [
    shown(median(samples.map((sample) => sample.requestsPerSecond))),
    shown(median(samples.map((sample) => sample.p50Ms))),
    shown(median(samples.map((sample) => sample.p99Ms))),
    shown(median(samples.map((sample) => sample.cpuMsPerThousand))),
  ];
  const ratio = (samples: readonly Sample[], aim: string): string[] => {
    const ratios = samples.map(
      (sample, round) => sample.requestsPerSecond / (small[round]?.requestsPerSecond ?? Number.NaN),
    );
    return [median(ratios).toFixed(2), aim];
  };
  const failures = (samples: readonly Sample[]): string =>
    String(samples.reduce((sum, sample) => sum + sample.failures, 0));
  return [
    [scenario.name, 'one', ...figures(small), '', '', failures(small)],
    [scenario.name, 'one of all', ...figures(same), ...ratio(same, ''), failures(same)],
    [scenario.name, 'all', ...figures(large), ...ratio(large, `≥ ${aimOfAll}`), failures(large)],
  ];
}
