import assert from 'node:assert/strict';
import test from 'node:test';
import { DatabaseUnavailable } from './database-errors.ts';
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
