import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

/** A PostgreSQL cluster of one's own, in a temporary folder, reachable by Unix socket only. */
export interface TestPostgres {
  /** The maintenance database, as superuser. */
  readonly url: string;
  /** The postmaster's process id; another one after a restart. */
  readonly pid: number;
  /** Ends the server (fast shutdown) and removes its folder. */
  stop(): Promise<void>;
  /** Kills the server with SIGKILL and waits until it is gone; its data stay. */
  kill9(): Promise<void>;
  /** Starts it again on the same data and address, after a fast shutdown when it still runs. */
  restart(): Promise<void>;
}

interface Installation {
  readonly postgres: string;
  readonly initdb: string;
}

/** The system's PostgreSQL server programs, from PATH or from where Debian puts them; undefined when there are none. */
export function findPostgres(): Installation | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = listed(debian).sort((a, b) => Number(b) - Number(a));
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  const folder = folders.find((each) => executable(join(each, 'postgres')) && executable(join(each, 'initdb')));
  if (folder === undefined) return undefined;
  return { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') };
}

export interface PostgresOptions {
  /** As in production. Otherwise it syncs nothing, and lies in memory where there is room: a database is made much faster. */
  readonly durable?: boolean;
}

/**
 * Makes and starts a cluster. It keeps no process alive and dies with the one that started it.
 * @throws Error when the system has no PostgreSQL, or with the server's last words when it does not start.
 */
export async function startPostgres({ durable = true }: PostgresOptions = {}): Promise<TestPostgres> {
  const installation = findPostgres();
  if (installation === undefined) throw new Error('there are no postgres and initdb programs on this system');
  const user = unprivilegedUser();
  const folder = mkdtempSync(join(durable ? tmpdir() : roomyFolder(), 'waxwing-postgres-'));
  const sockets = join(folder, 'socket');
  mkdirSync(sockets);
  if (user !== undefined) {
    for (const each of [folder, sockets]) chownSync(each, user.uid, user.gid);
  }

  const data = join(folder, 'data');
  await runInitdb(installation.initdb, data, user);
  const place = { data, sockets, user, durable };
  let server = await startServer(installation.postgres, place);
  const removeAtExit = () => {
    server.kill('SIGKILL');
    // Its children end by themselves in a moment, and may still be writing.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  };
  process.once('exit', removeAtExit);

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.ref();
    server.kill(signal);
    await exited;
  }

  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(sockets)}`,
    get pid() {
      return server.pid ?? 0;
    },
    async stop() {
      process.off('exit', removeAtExit);
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
    kill9: () => end('SIGKILL'),
    async restart() {
      await end('SIGINT');
      server = await startServer(installation.postgres, place);
    },
  };
}

/** Databases of tests that run at once, some that fill tables, and the write-ahead log. A container may have as little as 64 MiB. */
const roomNeeded = 2 * 1024 ** 3;

function roomyFolder(): string {
  const memory = '/dev/shm';
  const { bavail, bsize } = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
  return bavail * bsize >= roomNeeded ? memory : tmpdir();
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root: undefined when we are not, else whom to run it as. */
function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const entry = ['postgres', 'nobody'].map((name) => entries.find((each) => each[0] === name)).find(Boolean);
  if (entry === undefined) throw new Error('running as root, and there is neither a user postgres nor nobody');
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

async function runInitdb(initdb: string, data: string, user: User | undefined): Promise<void> {
  const settings = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  const child = spawn(initdb, [...settings, '--no-instructions', '-D', data], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: '/',
    ...user,
  });
  const said: string[] = [];
  child.stderr.on('data', (text) => said.push(String(text)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`initdb failed: ${said.join('')}`);
}

interface Place {
  readonly data: string;
  readonly sockets: string;
  readonly user: User | undefined;
  readonly durable: boolean;
}

async function startServer(postgres: string, place: Place): Promise<ChildProcess> {
  for (;;) {
    const outcome = await tryServer(postgres, place);
    if (!('said' in outcome)) return outcome;
    // The children of a killed postmaster need a moment to notice.
    if (!outcome.said.includes('is still in use')) throw new Error(`postgres did not start: ${outcome.said}`);
  }
}

async function tryServer(
  postgres: string,
  { data, sockets, user, durable }: Place,
): Promise<ChildProcess | { said: string }> {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: sockets,
    fsync: durable ? 'on' : 'off',
    // It works at moments of its own, after which the planner chooses otherwise.
    autovacuum: durable ? 'on' : 'off',
    shared_buffers: '32MB',
    max_connections: '100',
    max_wal_size: '256MB',
    log_min_messages: 'log',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [program, prefix] = tiedToUs(postgres, user);
  const child = spawn(program, [...prefix, '-D', data, ...flags], { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/' });
  const said: string[] = [];
  const ready = new Promise<boolean>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      if (said.length > 50) said.shift();
      if (line.includes('ready to accept connections')) resolve(true);
    });
    child.once('close', () => resolve(false));
    child.once('error', reject);
  });
  if (!(await ready)) return { said: said.join('\n') };
  // Tests end when they are done; the server must not keep their process waiting.
  child.unref();
  if ('unref' in child.stderr && typeof child.stderr.unref === 'function') child.stderr.unref();
  return child;
}

/**
 * The command that runs postgres as `user`. With util-linux's setpriv the kernel sends it SIGQUIT (immediate shutdown)
 * when the process that started it dies, kill -9 included.
 */
function tiedToUs(postgres: string, user: User | undefined): [program: string, flags: string[]] {
  const identity = user === undefined ? [] : [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'];
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find(executable);
  if (setpriv !== undefined) return [setpriv, [...identity, '--pdeathsig=QUIT', postgres]];
  if (user === undefined) return [postgres, []];
  throw new Error('running as root, and there is no setpriv (util-linux) to start PostgreSQL as another user');
}

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
