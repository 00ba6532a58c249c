import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Application } from '../compose.ts';
import { loadSettings } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import { takeServeLock } from '../database/serve-lock.ts';
import { version } from '../runtime/version.ts';
import type { Command } from './command.ts';
import { controlSocketPath } from './control-protocol.ts';
import { startControlServer } from './control-server.ts';
import { takeDataLock, takeDataLockOrRefuse } from './data-lock.ts';
import { runAtDatabase } from './run-at-database.ts';
import { fakeTerminal, temporaryFolder } from './terminal.testing.ts';

const where: Command = {
  name: 'thing where',
  summary: '',
  prepare: () => ({}),
  run: async (application, _input, actor) => ({ where: (application as unknown as { where: string }).where, actor }),
  print: () => '',
};

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

function run(settings: Settings, opened: string[] = []): Promise<object> {
  const open = async () => {
    opened.push('open');
    return { where: 'here', close: async () => opened.push('close') } as unknown as Application;
  };
  return runAtDatabase({ settings, terminal: fakeTerminal('/') }, where, {}, open);
}

async function startServer(context: TestContext, folder: string): Promise<void> {
  const application = { where: 'server', settings: { importLimit: 1 } } as unknown as Application;
  const path = controlSocketPath(folder);
  const server = await startControlServer({ path, version, commands: [where], application, status: () => ({}) });
  context.after(() => server.stop(0));
}

/** Another process that holds the lock, until it is killed. */
async function holdLockElsewhere(context: TestContext, file: string): Promise<() => Promise<void>> {
  const script = `
    const { takeServeLock } = await import(${JSON.stringify(new URL('../database/serve-lock.ts', import.meta.url).href)});
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

test('without a server a command holds the lock, opens the application, and leaves both', async (context) => {
  const folder = dataFolder(context);
  const opened: string[] = [];
  const answer = (await run(settingsFor(folder), opened)) as { where: string; actor: string };
  assert.equal(answer.where, 'here');
  assert.match(answer.actor, /^cli:./);
  assert.deepEqual(opened, ['open', 'close']);
  const lock = await takeServeLock(join(folder, 'serve.lock'));
  assert.ok(lock);
  lock.release();
});

test('beside a running server the command runs in it', async (context) => {
  const folder = dataFolder(context);
  await startServer(context, folder);
  const opened: string[] = [];
  const answer = (await run(settingsFor(folder), opened)) as { where: string };
  assert.equal(answer.where, 'server');
  assert.deepEqual(opened, []);
});

test('on PostgreSQL a command without a server here opens the database, lock or not', async (context) => {
  const folder = temporaryFolder(context);
  const settings = settingsFor(folder, { WAXWING_DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' });
  assert.deepEqual(((await run(settings)) as { where: string }).where, 'here');
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
  assert.equal(((await run(settingsFor(folder))) as { where: string }).where, 'here');
});

test('a command waits for a server that is starting, and runs in it', async (context) => {
  const folder = dataFolder(context);
  await holdLockElsewhere(context, join(folder, 'serve.lock'));
  const answer = run(settingsFor(folder));
  await startServer(context, folder);
  assert.equal(((await answer) as { where: string }).where, 'server');
});

test('a command waits for a process that ends, kill -9 included, and runs here', async (context) => {
  const folder = dataFolder(context);
  const kill = await holdLockElsewhere(context, join(folder, 'serve.lock'));
  const answer = run(settingsFor(folder));
  await kill();
  assert.equal(((await answer) as { where: string }).where, 'here');
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
