import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** The environment of a child without settings of whoever runs the tests. */
function bareEnvironment(environment: Record<string, string>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:WAXWING_|NODE_)/.test(name));
  return { ...Object.fromEntries(kept), ...environment };
}

/** Whose the process is: without it, that of whoever runs the tests. */
export interface ProcessAccount {
  readonly uid?: number;
  readonly gid?: number;
}

/** The real program in a process of its own, in `folder`. */
export function startProgram(
  folder: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  account: ProcessAccount = {},
) {
  return spawn(process.execPath, [main, ...args], { cwd: folder, env: bareEnvironment(environment), ...account });
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the real program to its end. */
export async function runProgram(
  folder: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  stdin = '',
  account: ProcessAccount = {},
): Promise<Ended> {
  const child = startProgram(folder, args, environment, account);
  child.stdin.end(stdin);
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
  return { code: await code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}

/**
 * Runs the real program at a pseudo-terminal, and types the answer when it asks.
 * @param answer with `\u0003` for Ctrl-C and `\u0004` for Ctrl-D
 * @returns `out` with all that was on the screen
 */
export async function runAtTerminal(
  folder: string,
  args: readonly string[],
  answer: string,
): Promise<Pick<Ended, 'code' | 'out'>> {
  const line = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: folder,
    env: bareEnvironment({ SHELL: '/bin/sh' }),
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const hasAsked = / to go on: $/;
    const before = hasAsked.test(out);
    out += chunk.toString();
    if (!before && hasAsked.test(out)) child.stdin.write(answer);
  });
  const [code] = await once(child, 'close');
  return { code, out };
}

export interface ServeProcess {
  readonly url: URL;
  readonly pid: number | undefined;
  /** What it said on stdout when it was up, line by line. */
  readonly greeting: readonly string[];
  signal(name: NodeJS.Signals): void;
  /** Its exit code, and all that it logged. */
  readonly ended: Promise<{ code: number | null; log: string }>;
  logged(text: string): Promise<void>;
}

/** A real server on a free port, stopped at the latest when the test ends. */
export async function startServe(
  context: TestContext,
  folder: string,
  environment: Record<string, string> = {},
): Promise<ServeProcess> {
  const child = startProgram(folder, ['serve'], { WAXWING_LISTEN: '127.0.0.1:0', ...environment });
  context.after(() => child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let log = '';
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => {
    log += `${line}\n`;
  });
  const [greeting] = (await Promise.race([once(child.stdout, 'data'), closed.then(() => [''])])) as [Buffer | string];
  const url = /listens on (\S+)/.exec(String(greeting))?.[1];
  if (url === undefined) throw new Error(`the server did not start: ${log}`);
  return {
    url: new URL(url),
    pid: child.pid,
    greeting: String(greeting).trimEnd().split('\n'),
    signal: (name) => child.kill(name),
    ended: closed.then(([code]) => ({ code, log })),
    async logged(text) {
      while (!log.includes(text)) await once(lines, 'line');
    },
  };
}
