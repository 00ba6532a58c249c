import { relative } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';

/** How many tests ended how. Cancelled ones count as failed. */
export interface TestTotals {
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
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

export interface TestRunOptions {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** How many files run at once, each in a process of its own. */
  readonly concurrency: number;
  /** The longest that one test may take. A run in which nothing happens for a little longer is broken off. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** How long after the last time-out a file may still be silent: longer means that it left something open. */
const silenceAllowedMs = 15_000;

/** What is kept of a file's own output, in characters from its end. */
const mostOutput = 20_000;
const mostNotes = 200;

interface Counts {
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly skipped: number;
  readonly todo: number;
}

/**
 * Runs test files by Node's test runner and prints one line per file, then every failure in full. What a file itself
 * prints is shown when it fails.
 */
export async function runTestFiles(options: TestRunOptions): Promise<TestTotals> {
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
  return silence.signal.aborted ? addTotals(totals, { ...noTests, tests: 1, failed: 1 }) : totals;
}

interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** The file that was run; `file` is where the test was declared, which may be a helper. */
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
  readonly #print: (line: string) => void;
  readonly #running = new Set<string>();
  readonly #output = new Map<string, string>();
  readonly #tests = new Map<string, number>();
  /** By file: the test that ended last. */
  readonly #last = new Map<string, string>();
  readonly #skips = new Map<string, number>();
  readonly #failures: string[] = [];
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
    this.#failures.push(`${place}\n${inspect(error.cause ?? error).replaceAll(/^/gm, '    ')}`);
  }

  /** What a test measured or counted, by `t.diagnostic`; the runner's own summary has no file. */
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
    const seconds = (details.duration_ms / 1000).toFixed(1);
    this.#print(`  ${failed ? 'FAIL' : 'ok  '} ${shortPath(name)}: ${this.#tests.get(name) ?? 0} tests, ${seconds} s`);
    if (failed) this.#failedFiles.push(name);
  }

  finish(): void {
    for (const file of this.#failedFiles) {
      const output = this.#output.get(file);
      if (output !== undefined) this.#print(`\nOutput of ${shortPath(file)}:\n${output.replaceAll(/^/gm, '    ')}`);
    }
    for (const failure of this.#failures) this.#print(`\n✖ ${failure}`);
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

/** With a process for each file, the runner speaks of the file itself as of a test whose name is its path. */
function isFile({ name, file, nesting }: TestEvent): boolean {
  return nesting === 0 && name === file;
}

function shortPath(path: string): string {
  return relative(process.cwd(), path);
}
