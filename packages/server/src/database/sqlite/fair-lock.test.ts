import assert from 'node:assert/strict';
import test from 'node:test';
import { DatabaseUnavailable } from '../sql/database-errors.ts';
import { createFairLock } from './fair-lock.ts';

const options = { maxWaitMs: 1_000, maxWaiting: 3 };

test('holders follow each other in the order of asking', async () => {
  const lock = createFairLock(options);
  const order: number[] = [];
  const first = await lock.acquire();
  const others = [1, 2, 3].map(async (number) => {
    const release = await lock.acquire();
    order.push(number);
    release();
  });
  assert.equal(lock.waiting, 3);
  first();
  await Promise.all(others);
  assert.deepEqual(order, [1, 2, 3]);
});

test('one who asks while others wait does not overtake them', async () => {
  const lock = createFairLock(options);
  const first = await lock.acquire();
  const second = lock.acquire();
  first();
  const third = lock.acquire();
  assert.equal(lock.waiting, 1, 'the second holds it already, the third waits');
  (await second)();
  (await third)();
});

test('releasing twice does not free what another one holds', async () => {
  const lock = createFairLock(options);
  const first = await lock.acquire();
  first();
  const second = await lock.acquire();
  first();
  const third = lock.acquire();
  assert.equal(lock.waiting, 1);
  second();
  (await third)();
});

test('a waiter gives up after its time and is passed over', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lock = createFairLock(options);
  const first = await lock.acquire();
  const waiting = assert.rejects(lock.acquire(), DatabaseUnavailable);
  t.mock.timers.tick(1_000);
  await waiting;
  assert.equal(lock.waiting, 0);
  first();
  (await lock.acquire())();
});

test('more than the agreed number of waiters are refused at once', async () => {
  const lock = createFairLock(options);
  const first = await lock.acquire();
  const others = [1, 2, 3].map(() => lock.acquire());
  await assert.rejects(lock.acquire(), DatabaseUnavailable);
  first();
  for (const other of others) (await other)();
});

test('an urgent waiter goes before those who wait longer', async () => {
  const lock = createFairLock(options);
  const first = await lock.acquire();
  const order: string[] = [];
  const waits = [['usual', false] as const, ['urgent', true] as const].map(async ([name, isUrgent]) => {
    const release = await lock.acquire(isUrgent);
    order.push(name);
    release();
  });
  first();
  await Promise.all(waits);
  assert.deepEqual(order, ['urgent', 'usual']);
});

test('urgent waiters that never end do not keep the others waiting', async () => {
  const lock = createFairLock({ ...options, maxWaiting: 10 });
  const first = await lock.acquire(true);
  const order: string[] = [];
  const names = ['urgent 1', 'urgent 2', 'urgent 3', 'usual 1', 'usual 2'];
  const waits = names.map(async (name) => {
    const release = await lock.acquire(name.startsWith('urgent'));
    order.push(name);
    release();
  });
  first();
  await Promise.all(waits);
  assert.deepEqual(order, ['usual 1', 'urgent 1', 'usual 2', 'urgent 2', 'urgent 3']);
});

test('an urgent waiter gives up after its time as well', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lock = createFairLock(options);
  const first = await lock.acquire();
  const usual = lock.acquire();
  const urgent = assert.rejects(lock.acquire(true), DatabaseUnavailable);
  void usual.catch(() => {});
  t.mock.timers.tick(1_000);
  await urgent;
  assert.equal(lock.waiting, 0);
  first();
});
