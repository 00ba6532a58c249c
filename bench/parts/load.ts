import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

/** Constant load by wrk: every connection sends its next request after each answer. */
export interface Load {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** A file of tokens to cycle through, and how many to skip. */
  readonly tokens?: { readonly file: string; readonly start: number };
}

export interface LoadOutcome {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Broken connections, requests not answered within 2 s, and every status above 399. */
  readonly failures: number;
}

/** The load tool's version. @throws Error that says how to get it. */
export function requireWrk(): string {
  try {
    execFileSync('wrk', ['--version'], { stdio: 'pipe' });
  } catch (error) {
    // wrk prints its version, then complains about the missing URL.
    const { stdout } = error as { stdout?: Buffer };
    const version = /^wrk \S+/.exec(stdout?.toString() ?? '');
    if (version !== null) return version[0];
  }
  throw new Error('The load tool wrk is not installed (Debian: apt-get install wrk).');
}

/** Constant load of messages, each with another messaging key from a file, one on each line. */
export interface SendLoad {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly tokensFile: string;
  /** Numbers in each message. */
  readonly numbers: number;
}

const run = promisify(execFile);

/** Runs wrk with one thread. @throws Error when wrk fails or does not end in time. */
export function runLoad(load: Load, signal: AbortSignal): Promise<LoadOutcome> {
  const headers = Object.entries(load.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const cycle = load.tokens === undefined ? [] : [load.tokens.file, String(load.tokens.start)];
  return runWrk(load, ['-s', 'load.lua', ...headers, load.url, '--', ...cycle], signal);
}

/** As `runLoad`, for messages. An answer other than 200 is a failure. */
export function runSends(load: SendLoad, signal: AbortSignal): Promise<LoadOutcome> {
  const { url, tokensFile, numbers } = load;
  return runWrk(load, ['-s', 'send.lua', `${url}/api/messages`, '--', tokensFile, '0', String(numbers)], signal);
}

async function runWrk(
  { connections, seconds }: Pick<Load, 'connections' | 'seconds'>,
  flags: readonly string[],
  signal: AbortSignal,
): Promise<LoadOutcome> {
  const all = ['-t1', `-c${connections}`, `-d${seconds}s`, ...flags];
  const { stdout } = await run('wrk', all, { cwd: import.meta.dirname, signal, timeout: (seconds + 20) * 1000 });
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`wrk printed no outcome:\n${stdout}`);
  const { requests, microseconds, failures, p50, p99 } = JSON.parse(line) as RawOutcome;
  return {
    requests,
    requestsPerSecond: requests / (microseconds / 1e6),
    p50Ms: p50 / 1000,
    p99Ms: p99 / 1000,
    failures,
  };
}

/** What load.lua prints; times are microseconds. */
interface RawOutcome {
  readonly requests: number;
  readonly microseconds: number;
  readonly failures: number;
  readonly p50: number;
  readonly p99: number;
}
