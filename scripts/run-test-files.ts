import { relative } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';

/** Cancelled tests count as failed. */
export interface TestTotals {
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** How long a file took. */
export interface FileTime {
  readonly file: string;
  readonly seconds: number;
}

export const noTests: TestTotals = { tests: 0, passed: 0, failed: 0, skipped: 0 };

export function addTotals(one: TestTotals, other: TestTotals): TestTotals {
  return {
    tests: one.tests + other.tests,
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}

interface TestRunOptions {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** How many files run at once, each in its own process. */
  readonly concurrency: number;
  /** The limit of one test. A run with no event for a little longer is aborted. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** A file silent for longer after the last time-out has left something open. */
const silenceAllowedMs = 15_000;

/** Characters kept of a file's output, from its end. */
const mostOutput = 20_000;
const mostNotes = 200;
/** Characters of a failure in the summary. */
const mostOfFailure = 500;

interface Counts {
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly skipped: number;
  readonly todo: number;
}

/**
 * Runs test files by Node's test runner. Prints one line per file, then every failure in full with the file's output.
 * @returns with `failures`, each in a few lines, for the end of a long output
 */
export async function runTestFiles(
  options: TestRunOptions,
): Promise<TestTotals & { readonly fileTimes: readonly FileTime[]; readonly failures: readonly string[] }> {
  const { files, concurrency, timeoutMs, print } = options;
  const silence = new AbortController();
  const signal = AbortSignal.any([options.signal, silence.signal]);
  const report = new RunReport(print);
  const watchdog = setTimeout(() => {
    print(`nothing happened for ${(timeoutMs + silenceAllowedMs) / 1000} s; still running: ${report.running()}`);
    silence.abort();
  }, timeoutMs + silenceAllowedMs);

  for await (const { type, data } of run({ files, concurrency, timeout: timeoutMs, signal })) {
    watchdog.refresh();
    if (type === 'test:dequeue') report.start(data);
    else if (type === 'test:stdout' || type === 'test:stderr') report.keepOutput(data);
    else if (type === 'test:fail') report.fail(data);
    else if (type === 'test:pass') report.pass(data);
    else if (type === 'test:summary') report.count(data);
    else if (type === 'test:complete') report.complete(data);
    else if (type === 'test:diagnostic') report.note(data);
  }
  clearTimeout(watchdog);
  report.finish();
  const totals = report.totals();
  const { fileTimes, failures } = report;
  const counted = silence.signal.aborted ? addTotals(totals, { ...noTests, tests: 1, failed: 1 }) : totals;
  return { ...counted, fileTimes, failures };
}

interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** The file that was run. `file` is where the test was declared, perhaps a helper. */
  readonly entryFile?: string | undefined;
  readonly skip?: string | boolean | undefined;
}

interface Ended extends TestEvent {
  readonly details: {
    readonly duration_ms: number;
    readonly type?: string | undefined;
    readonly error?: Error | undefined;
  };
}

type Counted = { readonly file?: string | undefined; readonly counts: Counts };
type Printed = { readonly file?: string | undefined; readonly message: string };

class RunReport {
  readonly fileTimes: FileTime[] = [];
  readonly failures: string[] = [];
  readonly #print: (line: string) => void;
  readonly #running = new Set<string>();
  readonly #output = new Map<string, string>();
  readonly #tests = new Map<string, number>();
  /** The last test to end, by file. */
  readonly #last = new Map<string, string>();
  readonly #skips = new Map<string, number>();
  readonly #failuresInFull: string[] = [];
  readonly #notes: string[] = [];
  readonly #failedFiles: string[] = [];
  #total: Counts | undefined;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  start(event: TestEvent): void {
    if (isFile(event)) this.#running.add(event.name);
  }

  running(): string {
    return [...this.#running]
      .map((file) => `${shortPath(file)} (last ended: ${this.#last.get(file) ?? 'none'})`)
      .join(', ');
  }

  keepOutput({ file = '', message }: Printed): void {
    const kept = (this.#output.get(file) ?? '') + message;
    this.#output.set(file, kept.slice(-mostOutput));
  }

  pass({ skip }: TestEvent): void {
    if (typeof skip === 'string') this.#skips.set(skip, (this.#skips.get(skip) ?? 0) + 1);
  }

  fail(event: Ended): void {
    const { error } = event.details;
    if (error === undefined || Object(error).failureType === 'subtestsFailed') return;
    const place = isFile(event) ? shortPath(event.name) : `${shortPath(event.file ?? '')}:${event.line}: ${event.name}`;
    const words = inspect(error.cause ?? error).replaceAll(/^/gm, '    ');
    this.#failuresInFull.push(`${place}\n${words}`);
    this.failures.push(`${place}\n${words.slice(0, mostOfFailure)}`);
  }

  /** A measurement of a test, by `t.diagnostic`. The runner's own summary has no file. */
  note({ file, message }: Printed): void {
    if (file !== undefined && this.#notes.length < mostNotes) this.#notes.push(`${shortPath(file)}: ${message}`);
  }

  count({ file, counts }: Counted): void {
    if (file === undefined) this.#total = counts;
  }

  complete(event: Ended): void {
    if (isFile(event)) this.#completeFile(event);
    else if (event.details.type === 'test') {
      const file = event.entryFile ?? event.file ?? '';
      this.#tests.set(file, (this.#tests.get(file) ?? 0) + 1);
      this.#last.set(file, event.name);
    }
  }

  #completeFile({ name, details }: Ended): void {
    this.#running.delete(name);
    const failed = details.error !== undefined;
    const file = shortPath(name);
    const seconds = details.duration_ms / 1000;
    this.fileTimes.push({ file, seconds });
    const number = this.#tests.get(name) ?? 0;
    this.#print(`  ${failed ? 'FAIL' : 'ok  '} ${file}: ${number} tests, ${seconds.toFixed(1)} s`);
    if (failed) this.#failedFiles.push(name);
  }

  finish(): void {
    for (const file of this.#failedFiles) {
      const output = this.#output.get(file);
      if (output !== undefined) this.#print(`\nOutput of ${shortPath(file)}:\n${output.replaceAll(/^/gm, '    ')}`);
    }
    for (const failure of this.#failuresInFull) this.#print(`\n✖ ${failure}`);
    for (const [reason, number] of this.#skips) this.#print(`  skipped ${number} tests: ${reason}`);
    for (const note of this.#notes) this.#print(`  ${note}`);
    const { tests, passed, failed, skipped } = this.totals();
    for (const line of [`tests ${tests}`, `pass ${passed}`, `fail ${failed}`, `skipped ${skipped}`]) this.#print(line);
  }

  totals(): TestTotals {
    if (this.#total === undefined) return noTests;
    const { tests, passed, failed, cancelled, skipped, todo } = this.#total;
    return { tests, passed, failed: failed + cancelled, skipped: skipped + todo };
  }
}

/** The runner reports a file as a test named by its path. */
function isFile({ name, file, nesting }: TestEvent): boolean {
  return nesting === 0 && name === file;
}

function shortPath(path: string): string {
  return relative(process.cwd(), path);
}
