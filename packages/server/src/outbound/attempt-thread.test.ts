import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { facts } from './attempt.testing.ts';
import { type AttemptThread, type AttemptThreadOptions, createAttemptThread } from './attempt-thread.ts';
import type { Outcome } from './outcome.ts';
import { reply, startTrialReceiver } from './receiver.testing.ts';
import { parseTargetUrl } from './target-url.ts';

function openThread(options: Partial<AttemptThreadOptions> = {}): AttemptThread & AsyncDisposable {
  const thread = createAttemptThread({
    allowNetworks: ['127.0.0.0/8'],
    maxIdle: 64,
    ownPorts: () => [],
    staleAfterMs: 60_000,
    ...options,
  });
  return { ...thread, [Symbol.asyncDispose]: () => thread.close() };
}

const whole = new AbortController().signal;

function attempt(thread: AttemptThread, url: string, timeoutMs = 5_000, signal = whole): Promise<Outcome> {
  const parsed = parseTargetUrl(url);
  assert.ok(parsed.ok, url);
  const { target } = parsed;
  const query = target.ownQuery === '' ? 'mobile=1' : `${target.ownQuery}&mobile=1`;
  return thread.attempt({ target, query, headers: { 'webhook-id': 'w1' } }, { timeoutMs, signal });
}

test('an attempt made in the thread sends what it was given, and its outcome comes back whole', async () => {
  await using receiver = await startTrialReceiver();
  await using thread = openThread();
  receiver.serve = (socket) => socket.write(reply(429, 'später', { 'Retry-After': '7' }));
  const outcome = await attempt(thread, `http://127.0.0.1:${receiver.port}/a%20path?secret=%E4%BD%A0`);
  assert.deepEqual(facts(outcome), { kind: 'answered', status: 429, retryAfter: '7', address: '127.0.0.1' });
  assert.ok(outcome.ms > 0 && outcome.ms < 5_000);
  const [head] = receiver.requests;
  assert.match(head ?? '', /^GET \/a%20path\?secret=%E4%BD%A0&mobile=1 HTTP\/1\.1\r\n/);
  assert.match(head ?? '', /\r\nwebhook-id: w1(?:\r\n|$)/);
  assert.match(head ?? '', new RegExp(`\\r\\nhost: 127\\.0\\.0\\.1:${receiver.port}\\r\\n`));
});

test('the guard stands in the thread: networks that are admitted, and our ports as they are at the moment', async () => {
  await using receiver = await startTrialReceiver();
  let ports: number[] = [];
  await using thread = openThread({ ownPorts: () => ports });
  await using closed = openThread({ allowNetworks: [] });
  const url = `http://127.0.0.1:${receiver.port}/`;
  const blocked = (why: string) => ({ kind: 'blocked', why, address: '127.0.0.1' });
  assert.deepEqual(facts(await attempt(closed, url)), blocked('not-public'));
  assert.equal((await attempt(thread, url)).kind, 'answered');
  ports = [receiver.port];
  // A connection that was made before is that of a listener which is not ours; a new one is judged anew.
  receiver.serve = (socket) => socket.end(reply(200, '', { Connection: 'close' }));
  await attempt(thread, url);
  assert.deepEqual(facts(await attempt(thread, url)), blocked('own-address'));
  assert.equal(receiver.connections, 1);
});

test('many attempts at once each get their own outcome, and so do those that follow in their slots', async () => {
  await using receiver = await startTrialReceiver();
  await using thread = openThread();
  receiver.serve = (socket, head) => {
    const status = Number(/status=(\d+)/.exec(head)?.[1]);
    setTimeout(() => socket.write(reply(status)), status % 7);
  };
  for (let round = 0; round < 3; round += 1) {
    const statuses = Array.from({ length: 300 }, (_, index) => 200 + ((index * 37 + round * 11) % 300));
    const outcomes = await Promise.all(
      statuses.map((status) => attempt(thread, `http://127.0.0.1:${receiver.port}/?status=${status}`)),
    );
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.kind === 'answered' ? outcome.status : outcome.kind)),
      statuses,
    );
  }
});

test('an attempt ends at its time limit, and a refusal says so', async () => {
  const receiver = await startTrialReceiver();
  await using thread = openThread();
  receiver.serve = () => {};
  const url = `http://127.0.0.1:${receiver.port}/`;
  assert.deepEqual(facts(await attempt(thread, url, 50)), { kind: 'timedOut', address: '127.0.0.1' });
  await receiver[Symbol.asyncDispose]();
  assert.deepEqual(facts(await attempt(thread, url)), { kind: 'refused', code: 'ECONNREFUSED', address: '127.0.0.1' });
});

test('a signal cuts off what was begun under it, those too that are on their way, and nothing else', async () => {
  await using receiver = await startTrialReceiver();
  await using thread = openThread();
  const url = `http://127.0.0.1:${receiver.port}/`;
  let answer: ((socket: Socket) => void) | undefined;
  const arrived = Promise.withResolvers<void>();
  const held: Socket[] = [];
  receiver.serve = (socket) => {
    held.push(socket);
    if (held.length === 3) arrived.resolve();
    answer?.(socket);
  };
  const lost = new AbortController();
  const running = [1, 2].map(() => attempt(thread, url, 5_000, lost.signal));
  const other = attempt(thread, url);
  await arrived.promise;
  const late = attempt(thread, url, 5_000, lost.signal);
  lost.abort();
  for (const outcome of await Promise.all([...running, late])) assert.equal(outcome.kind, 'cutOff');
  assert.equal((await attempt(thread, url, 5_000, lost.signal)).kind, 'cutOff');
  answer = (socket) => socket.write(reply(200));
  for (const socket of held) if (!socket.destroyed) answer(socket);
  assert.equal((await other).kind, 'answered');
  assert.equal((await attempt(thread, url)).kind, 'answered', 'and the thread goes on');
});

test('what was on its way for too long is not sent: its lease may be held by somebody else', async () => {
  await using receiver = await startTrialReceiver();
  // Whatever it took is too long.
  await using thread = openThread({ staleAfterMs: -1 });
  assert.equal((await attempt(thread, `http://127.0.0.1:${receiver.port}/`)).kind, 'cutOff');
  assert.equal(receiver.connections, 0);
});

test('a pause between the look at the lease and the sending of orders counts as being on the way', async () => {
  await using receiver = await startTrialReceiver();
  await using thread = openThread({ staleAfterMs: 500 });
  const url = `http://127.0.0.1:${receiver.port}/`;
  // The thread has begun: its beginning would count as well.
  while ((await attempt(thread, url)).kind === 'cutOff');
  const { length } = receiver.requests;
  const paused = attempt(thread, url);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  assert.equal((await paused).kind, 'cutOff');
  assert.equal(receiver.requests.length, length);
});

test('closing cuts off what runs, and what comes later', async () => {
  await using receiver = await startTrialReceiver();
  const thread = openThread();
  const url = `http://127.0.0.1:${receiver.port}/`;
  const arrived = Promise.withResolvers<void>();
  receiver.serve = () => arrived.resolve();
  const running = attempt(thread, url);
  await arrived.promise;
  const onItsWay = attempt(thread, url);
  await thread.close();
  assert.deepEqual([(await running).kind, (await onItsWay).kind], ['cutOff', 'cutOff']);
  assert.equal((await attempt(thread, url)).kind, 'cutOff');
  await openThread().close();
});

test('an authority that the environment names is trusted in the thread too', async () => {
  const ca = makeTrialCa({ now: Date.now() });
  const leaf = ca.issue({ domains: ['127.0.0.1'] });
  await using receiver = await startTrialReceiver('127.0.0.1', { cert: leaf.chainPem, key: leaf.keyPem });
  using program = writeProgram();
  const file = join(program.folder, 'ca.pem');
  writeFileSync(file, ca.certificatePem);
  const kind = async (environment: Record<string, string>) => {
    const child = spawn(process.execPath, [program.file, `https://127.0.0.1:${receiver.port}`], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return output;
  };
  assert.equal(await kind({}), 'badCertificate');
  assert.equal(await kind({ NODE_EXTRA_CA_CERTS: file }), 'answered');
});

test('a fault in the thread ends the process, as one outside of it does', () => {
  using program = writeProgram();
  // An origin that no parsed target has.
  const parameters = [program.file, 'gopher://nobody'];
  const { status, stderr } = spawnSync(process.execPath, parameters, { encoding: 'utf8', timeout: 20_000 });
  assert.equal(status, 1);
  assert.match(stderr, /the origin of a push cannot be read/);
});

/** A program that makes one attempt at the origin that it is given, and prints what came of it. */
function writeProgram(): { readonly folder: string; readonly file: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-attempts-'));
  const file = join(folder, 'attempt.mjs');
  writeFileSync(file, oneAttempt);
  return { folder, file, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

const oneAttempt = `
  import { createAttemptThread } from ${JSON.stringify(new URL('./attempt-thread.ts', import.meta.url).href)};
  const setup = { allowNetworks: ['127.0.0.0/8'], maxIdle: 1, staleAfterMs: 60_000 };
  const thread = createAttemptThread({ ...setup, ownPorts: () => [] });
  const request = { target: { origin: process.argv[2], path: '/' }, query: 'mobile=1', headers: {} };
  const { kind } = await thread.attempt(request, { timeoutMs: 5000, signal: new AbortController().signal });
  process.stdout.write(kind);
  await thread.close();
`;
