import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRetrievalDeadline, TooSlow } from './retrieval-deadline.ts';

/** Time that a test moves, with the timers that fall due. */
function manualTime() {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  return {
    clock: { now: () => now, monotonic: () => now },
    schedule: (ms: number, run: () => void) => void timers.push({ at: now + ms, run }),
    timers: () => timers.length,
    advance(ms: number) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { run } of due) run();
    },
  };
}

test('what is answered in time is passed on, whatever the answer', async () => {
  const time = manualTime();
  const deadline = createRetrievalDeadline({ limitMs: 100, complaint: 'no answer', ...time });
  assert.equal(await deadline.within(Promise.resolve('answer')), 'answer');
  await assert.rejects(deadline.within(Promise.reject(new Error('refused'))), /refused/);
});

test('each wait ends at its own time, and what comes later is not heard of', async () => {
  const time = manualTime();
  let late = 0;
  const deadline = createRetrievalDeadline({
    limitMs: 100,
    complaint: 'no answer',
    ...time,
    onLate: () => {
      late += 1;
    },
  });
  const ends: string[] = [];
  const wait = (name: string) => {
    const work = Promise.withResolvers<void>();
    const end = deadline.within(work.promise).then(
      () => ends.push(`${name} answered`),
      (error: Error) => ends.push(`${name}: ${error.name} ${error.message}`),
    );
    return { ...work, end };
  };
  const first = wait('first');
  time.advance(60);
  const [second, third] = [wait('second'), wait('third')];
  time.advance(39);
  assert.equal(late, 0);
  time.advance(1);
  await first.end;
  first.resolve();
  third.resolve();
  await third.end;
  time.advance(60);
  await second.end;
  second.reject(new Error('nobody hears this, and it must not end the process'));
  assert.deepEqual(ends, [
    'first: TooSlow no answer within 100 ms',
    'third answered',
    'second: TooSlow no answer within 100 ms',
  ]);
  assert.equal(late, 2);
});

test('any number of waits has one timer, and none without waits', async () => {
  const time = manualTime();
  const deadline = createRetrievalDeadline({ limitMs: 100, complaint: 'no answer', ...time });
  const answers = Array.from({ length: 1_000 }, () => deadline.within(Promise.resolve()));
  assert.equal(time.timers(), 1);
  await Promise.all(answers);
  time.advance(100);
  assert.equal(time.timers(), 0);
  const stalled = assert.rejects(deadline.within(new Promise(() => {})), TooSlow);
  assert.equal(time.timers(), 1, 'the next wait sets it again');
  time.advance(100);
  await stalled;
});
