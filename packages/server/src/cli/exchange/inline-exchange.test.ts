import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadSettings } from '../../config/load-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { takeServeLock } from '../../database/sqlite/serve-lock.ts';
import { Problem } from '../../runtime/problem.ts';
import { version } from '../../runtime/version.ts';
import { silentTelemetry } from '../application.testing.ts';
import { fakeTerminal, temporaryFolder } from '../terminal.testing.ts';
import { takeDataLock, takeDataLockOrRefuse } from './data-lock.ts';
import { localConnection } from './inline-exchange.ts';
import { controlSocketPath } from './socket-path.ts';
import { startControlServer } from './socket-server.ts';

const probe = async () => ({ status: 'ready' }) as const;

function settingsFor(folder: string, environment: Record<string, string> = {}): Settings {
  const loaded = loadSettings({ WAXWING_DATA: folder, ...environment }, folder);
  assert.ok(loaded.ok);
  return loaded.settings;
}

/** A data folder with a file where the database would be; what "opens" it here never looks inside. */
function dataFolder(context: TestContext): string {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'waxwing.db'), '');
  return folder;
}

/** Asks for the organizations; what "opens" the database here has none, and is named by its answer. */
async function run(settings: Settings, opened: string[] = []): Promise<string> {
  const connection = localConnection({ settings, terminal: fakeTerminal('/') }, async () => {
    opened.push('open');
    throw new Problem('conflict', { detail: 'here' });
  });
  try {
    const request = { method: 'GET', path: '/api/v1/organizations', headers: {} };
    return (await connection.exchange(request)).text;
  } catch (error) {
    if (error instanceof Problem && error.message === 'here') return 'here';
    throw error;
  }
}

async function startServer(context: TestContext, folder: string): Promise<void> {
  const path = controlSocketPath(folder);
  const openApi = async () => ({
    routing: (_request: unknown, response: ServerResponse) => void response.end('server'),
    close: async () => {},
  });
  const server = await startControlServer({
    path,
    version,
    telemetry: silentTelemetry(),
    openApi,
    status: () => ({}),
    probe,
  });
  context.after(() => server.stop(0));
}

/** Another process that holds the lock, until it is killed. */
async function holdLockElsewhere(context: TestContext, file: string): Promise<() => Promise<void>> {
  const script = `
    const { takeServeLock } = await import(${JSON.stringify(new URL('../../database/sqlite/serve-lock.ts', import.meta.url).href)});
    if (await takeServeLock(${JSON.stringify(file)}) === undefined) process.exit(1);
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  context.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return async () => {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  };
}

test('without a server the database is opened under the lock, which is given back also when that fails', async (context) => {
  const folder = dataFolder(context);
  const opened: string[] = [];
  assert.equal(await run(settingsFor(folder), opened), 'here');
  assert.deepEqual(opened, ['open']);
  const lock = await takeServeLock(join(folder, 'serve.lock'));
  assert.ok(lock);
  lock.release();
});

test('beside a running server the command runs in it', async (context) => {
  const folder = dataFolder(context);
  await startServer(context, folder);
  const opened: string[] = [];
  assert.equal(await run(settingsFor(folder), opened), 'server');
  assert.deepEqual(opened, []);
});

test('on PostgreSQL a command without a server here opens the database, lock or not', async (context) => {
  const folder = temporaryFolder(context);
  const settings = settingsFor(folder, { WAXWING_DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' });
  assert.equal(await run(settings), 'here');
  assert.equal(existsSync(join(folder, 'serve.lock')), false);
});

test('a lock that another process keeps without answering is named in the refusal', async (context) => {
  const folder = dataFolder(context);
  const file = join(folder, 'serve.lock');
  await holdLockElsewhere(context, file);
  let asked = 0;
  const whileHeld = async () => {
    asked += 1;
    return false;
  };
  await assert.rejects(takeDataLock(settingsFor(folder), whileHeld, 0), {
    code: 'conflict',
    message: `Another process is starting or using the database in ${folder}: it holds ${file}.`,
  });
  assert.ok(asked >= 1);
});

test('a damaged lock is to be removed: no backup is needed for a file that holds no data', async (context) => {
  const folder = dataFolder(context);
  writeFileSync(join(folder, 'serve.lock'), 'not a lock of ours'.repeat(100));
  await assert.rejects(run(settingsFor(folder)), (error: Error) => {
    assert.match(error.message, /it is damaged.*See that no server runs on this folder, and remove it/);
    assert.doesNotMatch(error.message, /backup/);
    return true;
  });
  rmSync(join(folder, 'serve.lock'));
  assert.equal(await run(settingsFor(folder)), 'here');
});

test('a command waits for a server that is starting, and runs in it', async (context) => {
  const folder = dataFolder(context);
  await holdLockElsewhere(context, join(folder, 'serve.lock'));
  const answer = run(settingsFor(folder));
  await startServer(context, folder);
  assert.equal(await answer, 'server');
});

test('a command waits for a process that ends, kill -9 included, and runs here', async (context) => {
  const folder = dataFolder(context);
  const kill = await holdLockElsewhere(context, join(folder, 'serve.lock'));
  const answer = run(settingsFor(folder));
  await kill();
  assert.equal(await answer, 'here');
});

test('a folder without a database is refused, and nothing is made there', async (context) => {
  const folder = dataFolder(context);
  rmSync(join(folder, 'waxwing.db'));
  await assert.rejects(run(settingsFor(folder)), { code: 'not_found', field: 'WAXWING_DATA' });
  assert.equal(existsSync(join(folder, 'serve.lock')), false);
});

test('a server that finds another one running is refused at once', async (context) => {
  const folder = dataFolder(context);
  const lock = await takeServeLock(join(folder, 'serve.lock'));
  context.after(() => lock?.release());
  await startServer(context, folder);
  await assert.rejects(takeDataLockOrRefuse(settingsFor(folder)), /A server runs on .* already: it holds serve\.lock/);
});

test('a lock file that cannot be made is an expected error', async (context) => {
  const folder = temporaryFolder(context);
  const settings = settingsFor(join(folder, 'nowhere'));
  await assert.rejects(takeDataLockOrRefuse(settings), { code: 'conflict', message: /may this account write there/i });
});
