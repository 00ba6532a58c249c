/**
 * Everything that must hold, in order: type check, lint and format, arrows, generated pages, links, then all tests.
 *
 *   npm test                      all of it
 *   npm test -- push intake       only the tests in files whose path contains one of the words, and no checks
 *   npm test -- --full            random and destructive suites at their full counts; so does WAXWING_TEST_SCALE=full
 *   npm run check                 the checks alone
 *   npm run test:peers            the stories (`*.peer.story.ts`) with other programs that are slow to install or to run
 *
 * A failing step does not keep the next from running. With CI=true a missing PostgreSQL is a failure.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findPostgres, startPostgres } from '../packages/server/src/database/postgres/postgres.testing.ts';
import { addTotals, type FileTime, noTests, runTestFiles, type TestTotals } from './run-test-files.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const checks: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'type check', command: ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'] },
  { name: 'type check, console', command: ['node_modules/typescript/bin/tsc', '-p', 'packages/console/tsconfig.json'] },
  { name: 'lint and format', command: ['node_modules/@biomejs/biome/bin/biome', 'ci', '.'] },
  { name: 'import arrows', command: ['scripts/check-arrows.ts'] },
  { name: 'generated pages', command: ['scripts/write-generated.ts', '--check'] },
  { name: 'links', command: ['scripts/check-links.ts'] },
];

interface Suite {
  readonly name: string;
  readonly patterns: readonly string[];
  readonly without?: RegExp;
  readonly concurrency: number;
  readonly minutes: { readonly short: number; readonly full: number };
}

const ownSuites: readonly Suite[] = [
  {
    name: 'unit and store tests',
    patterns: ['packages/*/src/**/*.test.ts', 'scripts/*.test.ts'],
    concurrency: availableParallelism(),
    minutes: { short: 8, full: 60 },
  },
  // A story waits as often as it works, and these assert no time.
  {
    name: 'stories',
    patterns: ['e2e/**/*.story.ts'],
    without: /\/(?:no-loss|killed-server|two-nodes)\.story\.ts$|\.peer\.story\.ts$/,
    concurrency: 2,
    minutes: { short: 15, full: 60 },
  },
  // One at a time: these measure time, and load the machine as far as it goes.
  {
    name: 'stories that run alone',
    patterns: ['e2e/**/{no-loss,killed-server,two-nodes}.story.ts'],
    concurrency: 1,
    minutes: { short: 15, full: 240 },
  },
];

const peerSuites: readonly Suite[] = [
  {
    name: 'stories with peers',
    patterns: ['e2e/**/*.peer.story.ts'],
    concurrency: 1,
    minutes: { short: 25, full: 60 },
  },
];

interface StepResult {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
}

const results: StepResult[] = [];
let totals: TestTotals = noTests;
const fileTimes: FileTime[] = [];
/** Of the tests that failed, a few lines each. */
const failures: string[] = [];
const interrupted = new AbortController();

/** Runs one step, prints its line and remembers its result. */
async function step(name: string, run: () => Promise<boolean>): Promise<void> {
  if (interrupted.signal.aborted) return;
  const start = performance.now();
  const ok = await run();
  const result = { name, ok, seconds: (performance.now() - start) / 1000 };
  results.push(result);
  console.log(describeStep(result));
}

function describeStep({ name, ok, seconds }: StepResult): string {
  return `${ok ? 'ok  ' : 'FAIL'} ${name.padEnd(22)} ${seconds.toFixed(1).padStart(6)} s`;
}

/** Runs a script by this Node, and shows its output if it failed. */
async function runCheck(command: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) process.stdout.write(Buffer.concat(output));
  return code === 0;
}

function filesOf({ patterns, without }: Suite, words: readonly string[]): readonly string[] {
  const files = globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**'] }).sort();
  const wanted = files.filter((file) => without?.test(file) !== true);
  return wanted.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
}

/** The PostgreSQL that all tests of this run share. Undefined when the system has none. */
async function startSharedPostgres(): Promise<{ stop(): Promise<void> } | undefined> {
  if (findPostgres() === undefined) {
    console.log('!!!! No PostgreSQL server programs were found: its half of the store tests and stories is skipped.');
    console.log('!!!! Install them (Debian: bash scripts/setup-debian.sh) to run all of it.');
    return undefined;
  }
  // The stories that kill a database start one that is durable.
  const postgres = await startPostgres({ durable: false });
  process.env.WAXWING_TEST_POSTGRES = postgres.url;
  return postgres;
}

async function runTests(suites: readonly Suite[], words: readonly string[], scale: 'short' | 'full'): Promise<void> {
  process.env.WAXWING_TEST_SCALE = scale;
  const chosen = suites.map((suite) => ({ ...suite, files: filesOf(suite, words) }));
  const needPostgres = chosen.some(({ files }) => files.some((file) => /\.(?:db\.test|story)\.ts$/.test(file)));
  let postgres: { stop(): Promise<void> } | undefined;
  if (needPostgres) {
    await step('PostgreSQL', async () => {
      postgres = await startSharedPostgres();
      return postgres !== undefined || process.env.CI !== 'true';
    });
    if (postgres === undefined) totals = addTotals(totals, { ...noTests, skipped: 1 });
  }
  try {
    for (const { name, files, concurrency, minutes } of chosen.filter((suite) => suite.files.length > 0)) {
      await step(name, async () => {
        const paths = files.map((file) => join(root, file));
        const timeoutMs = minutes[scale] * 60_000;
        const { signal } = interrupted;
        const ran = await runTestFiles({ files: paths, concurrency, timeoutMs, signal, print: console.log });
        totals = addTotals(totals, ran);
        fileTimes.push(...ran.fileTimes);
        failures.push(...ran.failures);
        return ran.failed === 0 && !signal.aborted;
      });
    }
  } finally {
    await postgres?.stop();
  }
}

const slowestShown = 10;
const failuresShown = 10;

function summarize(testsWanted: boolean): boolean {
  console.log('\nSummary');
  for (const result of results) console.log(describeStep(result));
  const slowest = fileTimes.sort((one, other) => other.seconds - one.seconds).slice(0, slowestShown);
  if (slowest.length > 1) console.log('What took longest');
  for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
  const { tests, passed, failed, skipped } = totals;
  if (failures.length > 0) console.log('What failed (in full above)');
  for (const failure of failures.slice(0, failuresShown)) console.log(failure);
  if (testsWanted) {
    for (const line of [`tests ${tests}`, `pass ${passed}`, `fail ${failed}`]) console.log(line);
    if (passed + failed === 0) console.log('No test ran: no test file fits the words given, or none has a test.');
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
  return results.every((result) => result.ok) && (!testsWanted || passed > 0);
}

const { values, positionals: words } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    checks: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());

process.chdir(root);
const suites = values.peers ? peerSuites : ownSuites;
const noPeers = values.peers && suites.every((suite) => filesOf(suite, words).length === 0);
if (noPeers) console.log('There is no story with a peer (e2e/**/*.peer.story.ts) yet.');
if (words.length === 0 && !values.peers)
  for (const { name, command } of checks) await step(name, () => runCheck(command));
const isFull = values.full || process.env.WAXWING_TEST_SCALE === 'full';
if (!values.checks) await runTests(suites, words, isFull ? 'full' : 'short');
const ok = summarize(!values.checks && !noPeers);
process.exitCode = interrupted.signal.aborted ? 130 : ok ? 0 : 1;
