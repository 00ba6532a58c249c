import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { shareReaders } from './sqlite-readers.ts';
import type { SqliteThread } from './sqlite-thread.ts';

/** A thread whose selects end when the test says so. */
function fakeThread() {
  const open: (() => void)[] = [];
  let isClosed = false;
  const thread: SqliteThread = {
    send: () => new Promise((resolve) => open.push(() => resolve([]))),
    async close() {
      isClosed = true;
    },
  };
  return { thread, endOne: () => open.shift()?.(), underWay: () => open.length, isClosed: () => isClosed };
}

function sharedReaders(t: TestContext, startThread: () => Promise<SqliteThread>) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const first = fakeThread();
  const faults: Error[] = [];
  const readers = shareReaders({
    first: first.thread,
    most: 2,
    startThread,
    death: () => undefined,
    onFault: (error) => faults.push(error),
  });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    // One turn for the answers that are taken first, one for the thread that starts.
    await setImmediate();
    await setImmediate();
  };
  return { readers, first, faults, pass };
}

test('a select that waits long for a thread has another one started, and no more than allowed', async (t) => {
  const further = fakeThread();
  const start = t.mock.fn(async () => further.thread);
  const { readers, first, pass } = sharedReaders(t, start);
  const ended = [1, 2, 3].map(() => readers.send('alone', []));
  await pass(199);
  assert.equal(start.mock.callCount(), 0);
  await pass(1);
  assert.deepEqual([start.mock.callCount(), first.underWay(), further.underWay()], [1, 1, 1]);
  await pass(60_000);
  assert.equal(start.mock.callCount(), 1);
  for (const thread of [first, further, first, further]) {
    thread.endOne();
    await setImmediate();
  }
  await Promise.all(ended);
  await readers.close();
  assert.ok(first.isClosed() && further.isClosed());
});

test('a select that gets its turn in time has no other thread started', async (t) => {
  const start = t.mock.fn(async () => fakeThread().thread);
  const { readers, first, pass } = sharedReaders(t, start);
  const ended = [1, 2].map(() => readers.send('alone', []));
  await pass(100);
  first.endOne();
  await pass(100);
  first.endOne();
  await Promise.all(ended);
  assert.equal(start.mock.callCount(), 0);
  await readers.close();
});

test('where no other thread can be started, one is tried again after a minute', async (t) => {
  const start = t.mock.fn(async (): Promise<SqliteThread> => {
    throw new Error('too many open files');
  });
  const { readers, first, faults, pass } = sharedReaders(t, start);
  const ended = [1, 2].map(() => readers.send('alone', []));
  await pass(200);
  await pass(59_999);
  assert.equal(start.mock.callCount(), 1);
  await pass(1);
  assert.equal(start.mock.callCount(), 2);
  assert.deepEqual(
    faults.map((error) => error.message),
    ['too many open files', 'too many open files'],
  );
  for (const _ of ended) {
    first.endOne();
    await setImmediate();
  }
  await Promise.all(ended);
  await readers.close();
});

test('closing waits for a thread that is being started, and closes it', async (t) => {
  const further = fakeThread();
  const opened = Promise.withResolvers<SqliteThread>();
  const { readers, first, pass } = sharedReaders(t, () => opened.promise);
  const ended = [1, 2].map(() => readers.send('alone', []));
  await pass(200);
  const closed = readers.close();
  opened.resolve(further.thread);
  await setImmediate();
  first.endOne();
  further.endOne();
  await Promise.all(ended);
  await closed;
  assert.ok(first.isClosed() && further.isClosed());
});
