import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedReading } from './shared-reading.ts';

function trial() {
  let readings = 0;
  let time = 0;
  let answer = Promise.withResolvers<number>();
  let late = Promise.withResolvers<void>();
  const read = createSharedReading(
    () => {
      readings += 1;
      return answer.promise;
    },
    { monotonic: () => time },
    () => late.promise,
  );
  return {
    read,
    count: () => readings,
    pass: (ms: number) => {
      time += ms;
    },
    answer: (value: number) => {
      answer.resolve(value);
      answer = Promise.withResolvers();
    },
    fail: () => {
      answer.reject(new Error('down'));
      answer = Promise.withResolvers();
    },
    isLate: () => {
      late.resolve();
      late = Promise.withResolvers();
    },
  };
}

test('a reading is shared by all who ask meanwhile, and one that fails or does not come holds up nobody', async () => {
  const { read, count, answer, fail, isLate } = trial();
  const early = [read(), read()];
  isLate();
  assert.deepEqual(await Promise.all(early), [undefined, undefined]);
  const patient = read();
  answer(7);
  assert.equal(await patient, 7);
  assert.equal(count(), 1);
  const failing = read();
  fail();
  assert.equal(await failing, undefined);
  assert.equal(count(), 2, 'what is read fast is read each time');
});

test('one that took long stands for a minute, and while the next is late; a failure leaves nothing of it', async () => {
  const { read, count, pass, answer, fail, isLate } = trial();
  const first = read();
  pass(1_001);
  answer(7);
  assert.equal(await first, 7);
  pass(59_999);
  assert.equal(await read(), 7);
  assert.equal(count(), 1);
  pass(1);
  const next = read();
  assert.equal(count(), 2);
  isLate();
  assert.equal(await next, 7);
  const failing = read();
  fail();
  assert.equal(await failing, undefined);
  const none = read();
  isLate();
  assert.equal(await none, undefined);
});
