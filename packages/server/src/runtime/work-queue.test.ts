import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from './problem.ts';
import { createWorkQueue, type WorkQueueOptions } from './work-queue.ts';

const refusal = () => new Problem('service_unavailable', { retryAfterSeconds: 3 });

/** Work that ends on demand, and the list of begun work. */
function workshop(options: Partial<WorkQueueOptions<string>> = {}) {
  const turns = createWorkQueue<string>({ concurrency: 1, waiting: 2, refusal, ...options });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const settled = () => new Promise(setImmediate);
  return {
    turns,
    begun,
    ask: (name: string, signal?: AbortSignal) =>
      turns.run(
        () => {
          begun.push(name);
          return new Promise<void>((resolve) => ends.set(name, resolve));
        },
        name.charAt(0),
        signal,
      ),
    settled,
    async end(name: string) {
      await settled();
      ends.get(name)?.();
      await settled();
    },
  };
}

test('so many work at once; the next one begins when one of them ends, also when it fails', async () => {
  const { turns, begun, ask, end, settled } = workshop({ concurrency: 2 });
  const failing = assert.rejects(turns.run(() => Promise.reject(new Error('it failed')), 'a'));
  void ask('a1');
  void ask('a2');
  assert.equal(turns.busy, 3);
  await failing;
  await settled();
  assert.deepEqual(begun, ['a1', 'a2']);
  await end('a1');
  await end('a2');
  assert.equal(turns.busy, 0);
});

test('lines take turns, so a full one delays another by one piece of work alone', async () => {
  const { begun, ask, end } = workshop();
  for (const name of ['a1', 'a2', 'a3']) void ask(name);
  for (const name of ['b1', 'b2']) void ask(name);
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) await end(name);
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2']);
});

test('a line that has all it may run leaves places to others, and takes its next turn when its own work ends', async () => {
  const { turns, begun, ask, end, settled } = workshop({ concurrency: 3, concurrencyOfLine: 2, waiting: 4 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2']) void ask(name);
  await settled();
  assert.deepEqual(begun, ['a1', 'a2', 'b1'], 'a3 waits, and b1 does not');
  await end('b1');
  assert.deepEqual(begun.slice(3), ['b2'], 'a3 has still to wait');
  await end('b2');
  assert.deepEqual([begun.slice(4), turns.busy], [[], 4]);
  await end('a2');
  assert.deepEqual(begun.slice(4), ['a3']);
  void ask('c1');
  await settled();
  assert.deepEqual(begun.slice(5), ['c1']);
  for (const name of ['a1', 'a3', 'a4', 'c1']) await end(name);
  assert.deepEqual([begun.slice(6), turns.busy], [['a4'], 0]);
});

test('one line can always go first', async () => {
  const { begun, ask, end } = workshop({ first: 'k' });
  for (const name of ['s1', 's2', 's3', 'k1', 'k2']) void ask(name);
  for (const name of ['s1', 'k1', 'k2', 's2', 's3']) await end(name);
  assert.deepEqual(begun, ['s1', 'k1', 'k2', 's2', 's3']);
});

test('a full line refuses, others still take in, until too many wait in all', async () => {
  const { turns, begun, ask, settled } = workshop({ waitingInAll: 3 });
  for (const name of ['a1', 'a2', 'a3']) void ask(name);
  await assert.rejects(ask('a4'), { code: 'service_unavailable', retryAfterSeconds: 3 });
  void ask('b1');
  await assert.rejects(ask('c1'), Problem);
  await settled();
  assert.deepEqual([begun, turns.busy], [['a1'], 4]);
});

test('what is aborted while it waits never begins, and its place is free for another', async () => {
  const { turns, begun, ask, end } = workshop();
  const left = new AbortController();
  void ask('a1');
  const waiting = ask('a2', left.signal);
  void ask('a3');
  left.abort(new Error('it left'));
  await assert.rejects(waiting, { message: 'it left' });
  assert.equal(turns.busy, 2);
  void ask('a4');
  await assert.rejects(ask('a5', left.signal), { message: 'it left' });
  for (const name of ['a1', 'a3', 'a4']) await end(name);
  assert.deepEqual([begun, turns.busy], [['a1', 'a3', 'a4'], 0]);
});

test('what has waited too long is refused like what finds no room, and its place is free', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { turns, begun, ask, end } = workshop({ patienceMs: 1_000 });
  void ask('a1');
  const late = assert.rejects(ask('a2'), { code: 'service_unavailable' });
  t.mock.timers.tick(999);
  void ask('a3');
  t.mock.timers.tick(1);
  await late;
  assert.equal(turns.busy, 2);
  await end('a1');
  t.mock.timers.tick(10_000);
  assert.deepEqual(begun, ['a1', 'a3'], 'whose turn has come is not refused any more');
});

test('what need not wait begins, also for somebody who has left', async () => {
  const { begun, ask, settled } = workshop();
  void ask('a1', AbortSignal.abort());
  await settled();
  assert.deepEqual(begun, ['a1']);
});

test('an abort after its turn has come takes no place away', async () => {
  const { turns, begun, ask, end } = workshop();
  const left = new AbortController();
  void ask('a1');
  void ask('a2', left.signal);
  await end('a1');
  left.abort();
  void ask('a3');
  assert.deepEqual([begun, turns.busy], [['a1', 'a2'], 2]);
  await end('a2');
  await end('a3');
  assert.equal(turns.busy, 0);
});
