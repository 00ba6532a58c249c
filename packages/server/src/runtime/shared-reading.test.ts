import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedReading } from './shared-reading.ts';

test('a reading that fails or does not come holds up nobody, and is shared by all who ask meanwhile', async () => {
  let readings = 0;
  let answer = Promise.withResolvers<number>();
  let late = Promise.withResolvers<void>();
  const read = createSharedReading(
    () => {
      readings += 1;
      return answer.promise;
    },
    2_000,
    () => late.promise,
  );
  const early = [read(), read()];
  late.resolve();
  assert.deepEqual(await Promise.all(early), [undefined, undefined]);
  late = Promise.withResolvers();
  const patient = read();
  answer.resolve(7);
  assert.equal(await patient, 7);
  assert.equal(readings, 1);
  answer = Promise.withResolvers();
  const failing = read();
  answer.reject(new Error('down'));
  assert.equal(await failing, undefined);
  assert.equal(readings, 2);
});
