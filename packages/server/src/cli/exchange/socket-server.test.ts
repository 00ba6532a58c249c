import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { version } from '../../runtime/version.ts';
import { silentTelemetry } from '../application.testing.ts';
import { temporaryFolder } from '../terminal.testing.ts';
import { askSocket, askStatus } from './socket-exchange.ts';
import { controlSocketPath } from './socket-path.ts';
import { type ControlServer, startControlServer } from './socket-server.ts';

const probe = async () => ({ status: 'ready' }) as const;

interface World {
  readonly path: string;
  start(options?: { version?: string; routing?: RequestListener }): Promise<ControlServer>;
}

/** Answers what it was asked. */
const echo: RequestListener = (request, response) =>
  void request.toArray().then((chunks) => response.end(`${request.method} ${request.url} ${chunks.join('')}`));

function world(context: TestContext): World {
  const path = controlSocketPath(temporaryFolder(context));
  return {
    path,
    async start(options = {}) {
      const server = await startControlServer({
        path,
        version: options.version ?? version,
        telemetry: silentTelemetry(),
        openApi: async () => ({ routing: options.routing ?? echo, close: async () => {} }),
        status: () => ({ workers: [] }),
        probe,
      });
      context.after(() => server.stop(0));
      return server;
    },
  };
}

const ask = async (path: string, body = ''): Promise<string | undefined> =>
  (await askSocket(path, { method: 'POST', path: '/x', headers: {}, body }))?.text;

test('a request is carried out by the API of the server', async (context) => {
  const { path, start } = world(context);
  await start();
  assert.equal(await ask(path, '公司'), 'POST /x 公司');
});

test('only its owner may open the socket, whatever the umask was', async (context) => {
  const { path, start } = world(context);
  const before = process.umask(0o000);
  try {
    await start();
    assert.equal(process.umask(), 0o000);
  } finally {
    process.umask(before);
  }
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a server of another version is not spoken to', async (context) => {
  const { path, start } = world(context);
  await start({ version: '99.0.0' });
  const refusal = JSON.parse((await ask(path)) ?? '') as { detail: string };
  assert.match(refusal.detail, /server is version 99\.0\.0, this command line is \d+\.\d+\.\d+/);
});

test('status and metrics are answered', async (context) => {
  const { path, start } = world(context);
  await start();
  assert.deepEqual(JSON.parse((await askStatus(path)) ?? ''), { workers: [] });
  const metrics = await askSocket(path, { method: 'GET', path: '/metrics', headers: {} });
  assert.match(metrics?.text ?? '', /^waxwing_build_info\{/m);
});

test('no socket, the socket of a dead server and a file in its place all mean: no server', async (context) => {
  const { path, start } = world(context);
  assert.equal(await ask(path), undefined);
  await leaveDeadSocket(path);
  assert.equal(await ask(path), undefined);
  await start();
  assert.ok(await ask(path));
});

test('a stopped server leaves no socket', async (context) => {
  const { path, start } = world(context);
  const server = await start();
  await server.stop(1000);
  assert.equal(existsSync(path), false);
});

test('a socket that a server answers on, and what is no socket, are left alone', async (context) => {
  const { path, start } = world(context);
  const server = await start();
  await assert.rejects(start(), /Another server runs on this data folder/);
  assert.ok(await ask(path));
  await server.stop(1000);
  writeFileSync(path, 'precious');
  await assert.rejects(start(), /is in the way: it is not a socket/);
});

test('a data folder with too long a path is refused with the remedy, and has no server', async (context) => {
  const folder = join(temporaryFolder(context), 'x'.repeat(100));
  const path = controlSocketPath(folder);
  assert.equal(await askStatus(path), undefined);
  const openApi = () => Promise.reject(new Error('nobody asks'));
  const starting = startControlServer({
    path,
    version,
    telemetry: silentTelemetry(),
    openApi,
    status: () => ({}),
    probe,
  });
  await assert.rejects(starting, /too long a path for a socket; let WAXWING_DATA name a shorter one, or a link/);
});

test('a server that ends before it answers leaves the outcome open, and the caller is told so', async (context) => {
  const path = controlSocketPath(temporaryFolder(context));
  const dying = createSocketServer((socket) => socket.once('data', () => socket.destroy()));
  await new Promise<void>((resolve) => dying.listen(path, resolve));
  context.after(() => dying.close());
  await assert.rejects(ask(path), {
    code: 'service_unavailable',
    message: /whether the command was carried out is not known/,
  });
});

test('a command that runs is waited for when the server stops', async (context) => {
  const { path, start } = world(context);
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const server = await start({
    routing: (_request, response) => {
      started.resolve();
      void finish.promise.then(() => response.end('done'));
    },
  });
  const call = ask(path);
  await started.promise;
  const stopped = server.stop(60_000);
  finish.resolve();
  assert.equal(await call, 'done');
  await stopped;
});

const asRoot = process.getuid?.() === 0 ? 'root may open every socket' : false;

test('the socket of another account is named, with the remedy', { skip: asRoot }, async (context) => {
  const { path, start } = world(context);
  await start();
  chmodSync(path, 0o000);
  await assert.rejects(askStatus(path), /belongs to another account/);
});

/** A process that dies without a word leaves its socket behind. */
async function leaveDeadSocket(path: string): Promise<void> {
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  const child = spawn(process.execPath, ['-e', script]);
  await new Promise((resolve) => child.on('close', resolve));
  assert.ok(statSync(path).isSocket());
}
