import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Application } from '../compose.ts';
import { Problem } from '../runtime/problem.ts';
import { createTelemetry } from '../runtime/telemetry.ts';
import { version } from '../runtime/version.ts';
import type { Command } from './command.ts';
import { askServer, callServer } from './control-client.ts';
import { controlSocketPath } from './control-protocol.ts';
import { type ControlServer, startControlServer } from './control-server.ts';
import { temporaryFolder } from './terminal.testing.ts';

interface World {
  readonly path: string;
  readonly log: string[];
  start(options?: { version?: string; commands?: Command[] }): Promise<ControlServer>;
}

function command(name: string, run: Command['run']): Command {
  return { name, summary: '', prepare: () => ({}), run, print: () => '' };
}

const echo = command('thing echo', async (_application, input, actor) => ({ input, actor }));

function world(context: TestContext): World {
  const path = controlSocketPath(temporaryFolder(context));
  const log: string[] = [];
  const telemetry = createTelemetry({
    level: 'info',
    format: 'json',
    stream: { write: (line) => log.push(line) },
    clock: { now: () => 0, monotonic: () => 0 },
    version,
  });
  const application = { telemetry, settings: { importLimit: 262_144 } } as unknown as Application;
  return {
    path,
    log,
    async start(options = {}) {
      const server = await startControlServer({
        path,
        version: options.version ?? version,
        commands: options.commands ?? [echo],
        application,
        status: () => ({ workers: [] }),
      });
      context.after(() => server.stop(0));
      return server;
    },
  };
}

test('a command runs in the server, with its input and who asked', async (context) => {
  const { path, start } = world(context);
  await start();
  const input = { name: '公司', files: [1, 2], nothing: null };
  assert.deepEqual(await callServer(path, 'thing echo', { input, actor: 'cli:ann' }), { input, actor: 'cli:ann' });
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

test('a problem comes back as it was thrown', async (context) => {
  const { path, start } = world(context);
  const faults = [{ field: 'key', message: 'does not fit' }];
  const refuse = command('thing refuse', async () => {
    throw new Problem('certificate_rejected', { field: 'certificate', detail: 'Not accepted.', faults });
  });
  await start({ commands: [refuse] });
  await assert.rejects(callServer(path, 'thing refuse', { input: {}, actor: 'cli:ann' }), (error) => {
    assert.ok(error instanceof Problem);
    const { code, field, message } = error;
    assert.deepEqual(
      [code, field, message, error.faults],
      ['certificate_rejected', 'certificate', 'Not accepted.', faults],
    );
    return true;
  });
});

test('a fault of the server is told to the log alone, without what came in', async (context) => {
  const { path, log, start } = world(context);
  const fail = command('thing fail', async () => {
    throw new TypeError('undefined is not a certificate');
  });
  await start({ commands: [fail] });
  const call = callServer(path, 'thing fail', { input: { password: 'sesame' }, actor: 'cli:ann' });
  await assert.rejects(call, /its log tells the cause/);
  assert.match(log.join(''), /undefined is not a certificate/);
  assert.doesNotMatch(log.join(''), /sesame/);
});

test('a server of another version is not spoken to', async (context) => {
  const { path, start } = world(context);
  await start({ version: '99.0.0' });
  const call = callServer(path, 'thing echo', { input: {}, actor: 'cli:ann' });
  await assert.rejects(call, /server is version 99\.0\.0, this command line is \d+\.\d+\.\d+/);
});

test('too large an input, an unknown command and a strange actor are refused, and the server goes on', async (context) => {
  const { path, start } = world(context);
  await start();
  const large = { text: 'x'.repeat(3 * 1024 * 1024) };
  await assert.rejects(callServer(path, 'thing echo', { input: large, actor: 'cli:ann' }), /more than 2097152 bytes/);
  await assert.rejects(callServer(path, 'thing gone', { input: {}, actor: 'cli:ann' }), { code: 'route_not_found' });
  await assert.rejects(callServer(path, 'thing echo', { input: {}, actor: 'system' }), { code: 'invalid_request' });
  assert.ok(await callServer(path, 'thing echo', { input: {}, actor: 'cli:ann' }));
});

test('status and metrics are answered', async (context) => {
  const { path, start } = world(context);
  await start();
  assert.deepEqual(JSON.parse((await askServer(path, { method: 'GET', path: '/status' })) ?? ''), { workers: [] });
  assert.match((await askServer(path, { method: 'GET', path: '/metrics' })) ?? '', /^waxwing_build_info\{/m);
});

test('no socket, the socket of a dead server and a file in its place all mean: no server', async (context) => {
  const { path, start } = world(context);
  const call = () => callServer(path, 'thing echo', { input: {}, actor: 'cli:ann' });
  assert.equal(await call(), undefined);
  await leaveDeadSocket(path);
  assert.equal(await call(), undefined);
  await start();
  assert.ok(await call());
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
  assert.ok(await callServer(path, 'thing echo', { input: {}, actor: 'cli:ann' }));
  await server.stop(1000);
  writeFileSync(path, 'precious');
  await assert.rejects(start(), /is in the way: it is not a socket/);
});

test('a data folder with too long a path is refused with the remedy, and has no server', async (context) => {
  const folder = join(temporaryFolder(context), 'x'.repeat(100));
  const path = controlSocketPath(folder);
  assert.equal(await askServer(path, { method: 'GET', path: '/status' }), undefined);
  const application = {} as Application;
  const starting = startControlServer({ path, version, commands: [], application, status: () => ({}) });
  await assert.rejects(starting, /too long a path for a socket; let WAXWING_DATA name a shorter one, or a link/);
});

test('a server that ends before it answers leaves the outcome open, and the caller is told so', async (context) => {
  const path = controlSocketPath(temporaryFolder(context));
  const dying = createSocketServer((socket) => socket.once('data', () => socket.destroy()));
  await new Promise<void>((resolve) => dying.listen(path, resolve));
  context.after(() => dying.close());
  const call = callServer(path, 'thing echo', { input: {}, actor: 'cli:ann' });
  await assert.rejects(call, {
    code: 'service_unavailable',
    message: /whether the command was carried out is not known/,
  });
});

test('what answers but is no Waxwing server is said to be that', async (context) => {
  const path = controlSocketPath(temporaryFolder(context));
  const stranger = createServer((_request, response) => response.end('<html>'));
  await new Promise<void>((resolve) => stranger.listen(path, resolve));
  context.after(() => stranger.close());
  await assert.rejects(callServer(path, 'thing echo', { input: {}, actor: 'cli:ann' }), /not a Waxwing server/);
});

test('a command that runs is waited for when the server stops', async (context) => {
  const { path, start } = world(context);
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const slow = command('thing slow', async () => {
    started.resolve();
    await finish.promise;
    return { done: true };
  });
  const server = await start({ commands: [slow] });
  const call = callServer(path, 'thing slow', { input: {}, actor: 'cli:ann' });
  await started.promise;
  const stopped = server.stop(60_000);
  finish.resolve();
  assert.deepEqual(await call, { done: true });
  await stopped;
});

const asRoot = process.getuid?.() === 0 ? 'root may open every socket' : false;

test('the socket of another account is named, with the remedy', { skip: asRoot }, async (context) => {
  const { path, start } = world(context);
  await start();
  chmodSync(path, 0o000);
  await assert.rejects(askServer(path, { method: 'GET', path: '/status' }), /belongs to another account/);
});

/** A process that dies without a word leaves its socket behind. */
async function leaveDeadSocket(path: string): Promise<void> {
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  const child = spawn(process.execPath, ['-e', script]);
  await new Promise((resolve) => child.on('close', resolve));
  assert.ok(statSync(path).isSocket());
}
