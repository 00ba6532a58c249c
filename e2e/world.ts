import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cliActorHeader } from '../packages/server/src/api/actor.ts';
import { apiClient } from '../packages/server/src/cli/exchange/api-client.ts';
import type { ApiServer } from '../packages/server/src/cli/exchange/api-server.ts';
import { askSocket } from '../packages/server/src/cli/exchange/socket-exchange.ts';
import { controlSocketPath } from '../packages/server/src/cli/exchange/socket-path.ts';
import type { DatabaseKind } from '../packages/server/src/database/database.ts';
import { freshDatabase } from '../packages/server/src/database/testing.ts';

const main = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url));
/** A busy machine needs a multiple of the usual second. */
const startLimitMs = 60_000;

/** A command's output and exit. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A data folder with a server to start, kill and start again, and the command line beside it. */
export interface World {
  readonly folder: string;
  /** The running server's. */
  readonly url: string;
  /** Everything that servers and commands have printed. */
  readonly log: string;
  /** @param settings of this start only, as in front of `npm start` */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** Ctrl-C. @returns the exit code */
  stop(): Promise<number | null>;
  /** SIGKILL, as at a power failure. */
  kill(): Promise<void>;
  readonly serverPid: number;
  /** Runs `waxwing …`. */
  waxwing(args: readonly string[], stdin?: string): Promise<Ran>;
  /** Runs `waxwing … --json`. @returns its output. @throws when it was refused */
  json<T>(...args: readonly string[]): Promise<T>;
  /** Asks the running server through its control socket, without a process for each command. */
  readonly control: ApiServer;
  path(name: string): string;
  /** Ends everything and removes the folder. */
  end(): Promise<void>;
}

export async function makeWorld(kind: DatabaseKind, settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-story-'));
  const postgres = kind === 'postgres' ? await freshDatabase('postgres', { empty: true }) : undefined;
  const { options } = postgres ?? {};
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: folder,
    WAXWING_LISTEN: '127.0.0.1:0',
    WAXWING_DATA: join(folder, 'data'),
    WAXWING_LOG_LEVEL: 'trace',
    WAXWING_LOG_FORMAT: 'json',
    ...(options?.kind === 'postgres' ? { WAXWING_DATABASE_URL: options.url } : {}),
    ...settings,
  };
  let server: ChildProcess | undefined;
  let url = '';
  const said: string[] = [];
  const ending = new AbortController();
  const commands = new Set<Promise<unknown>>();

  /** A running command would make the removed folder again, with keys in it. */
  function run(args: readonly string[], stdin?: string): Promise<Ran> {
    ending.signal.throwIfAborted();
    const ran = runProgram(process.execPath, [main, ...args], { env, cwd: folder, signal: ending.signal }, stdin);
    commands.add(ran);
    const forget = () => commands.delete(ran);
    ran.then(forget, forget);
    return ran;
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const running = server;
    server = undefined;
    if (running === undefined) return null;
    const exited = running.exitCode === null && running.signalCode === null ? once(running, 'exit') : undefined;
    running.kill(signal);
    await exited;
    return running.exitCode;
  }

  const world: World = {
    folder,
    get url() {
      return url;
    },
    get log() {
      return said.join('\n');
    },
    get serverPid() {
      return server?.pid ?? 0;
    },
    async start(more = {}) {
      ending.signal.throwIfAborted();
      const child = spawn(process.execPath, [main, 'serve'], {
        // As by `npm start` there: settings may name files by relative paths.
        cwd: folder,
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      server = child;
      url = await listeningUrl(child, said);
    },
    stop: () => end('SIGINT'),
    async kill() {
      await end('SIGKILL');
    },
    async waxwing(args, stdin) {
      const ran = await run(args, stdin);
      said.push(ran.stdout, ran.stderr);
      return ran;
    },
    async json<T>(...args: readonly string[]) {
      // Its output may hold a token on purpose, so it is not scanned.
      const ran = await run([...args, '--json']);
      if (ran.code !== 0) throw new Error(`waxwing ${args.join(' ')} → ${ran.code}: ${ran.stderr}`);
      return JSON.parse(ran.stdout) as T;
    },
    control: apiClient({
      place: 'the control socket',
      async exchange(request) {
        const headers = { ...request.headers, [cliActorHeader]: 'story' };
        const answer = await askSocket(controlSocketPath(join(folder, 'data')), { ...request, headers });
        if (answer === undefined) throw new Error('no server listens on the control socket');
        return answer;
      },
    }),
    path: (name) => join(folder, name),
    async end() {
      ending.abort(new Error('this world has ended'));
      await Promise.allSettled(commands);
      await end('SIGKILL');
      await postgres?.close();
      // Retries: another program of a story, such as openssl, may be writing there.
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return world;
}

async function listeningUrl(child: ChildProcess, said: string[]): Promise<string> {
  if (child.stdout === null || child.stderr === null) throw new Error('the server has no output');
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  const lines = createInterface({ input: child.stdout });
  const found = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      said.push(line);
      const match = /listens on (https?:\/\/\S+)/.exec(line);
      if (match?.[1] !== undefined) resolve(match[1]);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said.slice(-20).join('\n')}`)));
    setTimeout(() => reject(new Error(`the server did not listen:\n${said.join('\n')}`)), startLimitMs).unref();
  });
  return found;
}

/** Runs a program to its end. Never throws for its exit code. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; signal?: AbortSignal; timeout?: number } = {},
  stdin = '',
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { timeout: 60_000, ...options, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const hasEnded = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
        if (error !== null && typeof error.code === 'string') {
          // An aborted program rejects before it has ended.
          if (hasEnded) reject(error);
          else child.once('exit', () => reject(error));
        } else resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      },
    );
    // A program may end without reading. Its exit code tells.
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin);
  });
}

/** As `runProgram`, for programs that must succeed. */
export async function mustRun(program: string, args: readonly string[], stdin?: string): Promise<string> {
  const ran = await runProgram(program, args, {}, stdin);
  if (ran.code !== 0) throw new Error(`${program} ${args.join(' ')} → ${ran.code}: ${ran.stderr}`);
  return ran.stdout;
}
