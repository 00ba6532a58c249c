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

test('long work is done once at a time: the same is answered the same, something else is refused', async () => {
  const ends: PromiseWithResolvers<string>[] = [];
  const work = longWork(conflict, Date.now, (_input: { readonly link: number }) => {
    const end = Promise.withResolvers<string>();
    ends.push(end);
    return end.promise;
  });
  const answers = [work.run({ link: 1 }), work.run({ link: 1 })];
  await assert.rejects(work.run({ link: 2 }), { code: 'conflict', reason: 'doctor_under_way' });
  ends[0]?.resolve('whole');
  assert.deepEqual(await Promise.all(answers), ['whole', 'whole']);
  const anew = work.run({ link: 2 });
  assert.equal(ends.length, 2);
  ends[1]?.reject(new Error('no disk'));
  await assert.rejects(anew, /no disk/);
  assert.equal(work.underWay(), undefined);
  const again = work.run({ link: 2 });
  ends[2]?.resolve('whole');
  assert.equal(await again, 'whole');
});
