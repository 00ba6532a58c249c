import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longWork, type OnProgress } from './long-work.ts';

const conflict = { reason: 'doctor_under_way', detail: 'Wait for it.' } as const;

test('long work tells how far it has come while it is under way, and nothing before and after', async () => {
  const end = Promise.withResolvers<string>();
  let tell: OnProgress = () => {};
  const work = longWork(
    conflict,
    () => 1_000,
    (input: string, onProgress) => {
      tell = onProgress;
      return end.promise.then((word) => `${input} ${word}`);
    },
  );
  assert.equal(work.underWay(), undefined);
  const answer = work.run('all');
  assert.deepEqual(work.underWay(), { startedAt: 1_000, done: 0, total: 0 });
  tell(3, 12);
  assert.deepEqual(work.underWay(), { startedAt: 1_000, done: 3, total: 12 });
  end.resolve('done');
  assert.equal(await answer, 'all done');
  assert.equal(work.underWay(), undefined);
});

test('long work is done once at a time, and can be done anew after it has failed', async () => {
  const end = Promise.withResolvers<void>();
  const work = longWork(conflict, Date.now, () => end.promise);
  const first = work.run(undefined);
  await assert.rejects(work.run(undefined), { code: 'conflict', reason: 'doctor_under_way' });
  end.reject(new Error('no disk'));
  await assert.rejects(first, /no disk/);
  assert.equal(work.underWay(), undefined);
  await assert.rejects(work.run(undefined), /no disk/);
});
