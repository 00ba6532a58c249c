import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newId, newIds, systemClock, toRfc3339 } from './clock.ts';
import { TooSlow, wait, within } from './wait.ts';

const scale = { seed: 20_260_202, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500 };
const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const randoms = fc.uint8Array({ minLength: 10, maxLength: 10 });

test('the example of RFC 9562, appendix A.6, comes out of its time and random bits', () => {
  const random = Buffer.from('0cc318c4dc0c0c07398f', 'hex');
  assert.equal(newId(0x017f_22e2_79b0, random), '017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
});

test('an id has the form of a UUID of version 7, whatever the time and the random bits', () => {
  fc.assert(
    fc.property(times, randoms, (now, random) => {
      const before = Buffer.from(random);
      const id = newId(now, random);
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), now);
      assert.deepEqual(Buffer.from(random), before, 'the random bytes of the caller stay as they are');
    }),
    scale,
  );
});

test('ids made together are those that their random bits would make one by one', () => {
  fc.assert(
    fc.property(times, fc.array(randoms, { maxLength: 20 }), (now, each) => {
      const together = newIds(now, each.length, Buffer.concat(each));
      assert.deepEqual(
        together,
        each.map((random) => newId(now, random)),
      );
    }),
    scale,
  );
  assert.equal(new Set(newIds(1, 1000)).size, 1000);
});

test('74 of the random bits reach the id: each of them alone changes it, the six fixed ones do not', () => {
  const zero = newId(0, new Uint8Array(10));
  const ids = new Set<string>();
  for (let bit = 0; bit < 80; bit += 1) {
    const random = new Uint8Array(10);
    random[bit >> 3] = 0x80 >> (bit & 7);
    ids.add(newId(0, random));
  }
  ids.delete(zero);
  assert.equal(ids.size, 74);
});

test('ids of a later millisecond sort after those of an earlier one', () => {
  fc.assert(
    fc.property(times, times, randoms, randoms, (one, other, left, right) => {
      fc.pre(one !== other);
      assert.equal(newId(one, left) < newId(other, right), one < other);
    }),
    scale,
  );
});

test('ids of the same millisecond differ', () => {
  assert.equal(new Set(Array.from({ length: 1_000 }, () => newId(1))).size, 1_000);
});

test('times are shown in UTC with milliseconds', () => {
  assert.equal(toRfc3339(0), '1970-01-01T00:00:00.000Z');
  assert.equal(toRfc3339(1_767_225_600_007), '2026-01-01T00:00:00.007Z');
});

test('the system clock tells whole milliseconds of the epoch, and spans that never run backwards', () => {
  const before = Date.now();
  const now = systemClock.now();
  assert.ok(Number.isInteger(now) && now >= before && now <= Date.now());
  const [first, second] = [systemClock.monotonic(), systemClock.monotonic()];
  assert.ok(second >= first);
});

test('waiting ends when its signal is aborted, also when it was before, and is no error then', async () => {
  const stop = new AbortController();
  const waiting = wait(3_600_000, stop.signal);
  stop.abort();
  await waiting;
  await wait(3_600_000, stop.signal);
});

test('waiting lasts as long as it should', async () => {
  const start = performance.now();
  await wait(5, new AbortController().signal);
  assert.ok(performance.now() - start >= 4);
});

test('a bounded wait ends as its work does or when its time is over; a later end is not heard of', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  assert.equal(await within(100, 'no answer', Promise.resolve('answer')), 'answer');
  await assert.rejects(within(100, 'no answer', Promise.reject(new Error('refused'))), /refused/);
  const late = Promise.withResolvers<never>();
  const inTime = Promise.withResolvers<string>();
  const ends = Promise.allSettled([within(100, 'no answer', late.promise), within(100, 'no answer', inTime.promise)]);
  t.mock.timers.tick(99);
  inTime.resolve('answer');
  await inTime.promise;
  t.mock.timers.tick(1);
  const [first, second] = await ends;
  late.reject(new Error('nobody hears this, and it must not end the process'));
  assert.ok(first.status === 'rejected' && first.reason instanceof TooSlow);
  assert.equal(first.reason.message, 'no answer within 100 ms');
  assert.deepEqual(second, { status: 'fulfilled', value: 'answer' });
});

test('an answer that has arrived while the process stood still is in time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answer = Promise.withResolvers<string>();
  const waiting = within(100, 'no answer', answer.promise);
  t.mock.timers.tick(100);
  answer.resolve('answer');
  assert.equal(await waiting, 'answer');
});
