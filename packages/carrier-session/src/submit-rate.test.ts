import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { afterRateEvent, nextSubmitAt, openRate, type RateEvent, rateAt, type SubmitRate } from './submit-rate.ts';

/** The times at which a caller submits that always has something to send, from `from` until before `to`. */
function submitAll(state: SubmitRate, from: number, to: number): { state: SubmitRate; readonly at: number[] } {
  const at: number[] = [];
  for (let now = nextSubmitAt(state, from); now < to; now = nextSubmitAt(state, now)) {
    at.push(now);
    state = afterRateEvent(state, { kind: 'submitted' }, now);
  }
  return { state, at };
}

for (const rate of [1, 7, 50, 200, 3000]) {
  test(`a rate of ${rate} sends that many in each second`, () => {
    const { at } = submitAll(openRate(rate, 0), 0, 10_000);
    assert.ok(Math.abs(at.length - 10 * rate) <= 1 + rate / 50, `${at.length} in ten seconds`);
    const most = Math.max(...at.map((start, index) => at.findLastIndex((each) => each < start + 1000) - index + 1));
    assert.ok(most <= rate * 1.02 + 1, `${most} in one second`);
  });
}

test('without a rate nothing waits', () => {
  let state = openRate(undefined, 0);
  for (let count = 0; count < 10_000; count += 1) {
    assert.equal(nextSubmitAt(state, 5), 5);
    state = afterRateEvent(state, { kind: 'submitted' }, 5);
  }
});

test('a timer that comes late makes up for no more than 20 ms', () => {
  let state = openRate(1000, 0);
  state = submitAll(state, 0, 1000).state;
  let burst = 0;
  for (; nextSubmitAt(state, 6000) === 6000; burst += 1) state = afterRateEvent(state, { kind: 'submitted' }, 6000);
  assert.equal(burst, 20);
});

const throttledAt = (sentAt: number): RateEvent => ({ kind: 'throttled', sentAt });
const congestionOf = (level: number, sentAt = 5000): RateEvent => ({ kind: 'congestion', level, sentAt });

const steps: readonly {
  readonly name: string;
  readonly events: readonly (readonly [event: RateEvent, now: number])[];
  /** By time: submits per second, and when the next one may go. */
  readonly expected: Readonly<Record<number, readonly [rate: number, next: number]>>;
}[] = [
  {
    name: 'throttling pauses for a second, halves the rate, and ten seconds later it is as before',
    events: [[throttledAt(4990), 5000]],
    expected: { 5000: [50, 6000], 6000: [50, 6000], 11000: [75, 11_000], 16000: [100, 16_000], 90000: [100, 90_000] },
  },
  {
    name: 'a window that is throttled as a whole halves the rate once',
    events: [
      [throttledAt(4990), 5000],
      [throttledAt(4991), 5001],
      [throttledAt(4999), 5900],
    ],
    expected: { 5900: [50, 6000] },
  },
  {
    name: 'throttling after the pause halves again',
    events: [
      [throttledAt(4990), 5000],
      [throttledAt(6000), 6010],
    ],
    expected: { 6010: [25.025, 7010] },
  },
  {
    name: 'after many halvings the rate is one per second, and grows by a hundredth of what is set',
    events: Array.from({ length: 30 }, (_, index) => [throttledAt(5000 + index * 1000), 5000 + index * 1000]),
    expected: { 34000: [1, 35_000], 45000: [11, 45_000], 134000: [100, 134_000] },
  },
  { name: 'a load up to 89 changes nothing', events: [[congestionOf(89), 5010]], expected: { 5010: [100, 5010] } },
  {
    name: 'full congestion halves the rate without a pause',
    events: [[congestionOf(100), 5010]],
    expected: { 5010: [50, 5010], 15010: [100, 15_010] },
  },
  {
    name: 'near congestion the rate does not grow',
    events: [
      [throttledAt(4990), 5000],
      [congestionOf(95, 10_900), 11_000],
      [congestionOf(99, 15_900), 16_000],
    ],
    expected: { 16000: [100, 16_000] },
  },
];

for (const { name, events, expected } of steps) {
  test(name, () => {
    let state = openRate(100, 0);
    for (const [event, now] of events) state = afterRateEvent(state, event, now);
    for (const [now, [rate, next]] of Object.entries(expected)) {
      assert.ok(Math.abs(rateAt(state, Number(now)) - rate) < 0.01, `${rateAt(state, Number(now))} at ${now}`);
      assert.equal(nextSubmitAt(state, Number(now)), next);
    }
  });
}

test('a link without a limit that is throttled goes on with half of what it sent', () => {
  let state = openRate(undefined, 0);
  for (let now = 0; now < 5000; now += 5) state = afterRateEvent(state, { kind: 'submitted' }, now);
  state = afterRateEvent(state, throttledAt(4995), 5000);
  assert.ok(Math.abs(rateAt(state, 6000) - 100) < 2, `${rateAt(state, 6000)}`);
  assert.ok(rateAt(state, 60_000) > 200, 'it grows beyond what it was');
});

test('a link without a limit that is throttled at its first submit grows by ten each second', () => {
  let state = afterRateEvent(openRate(undefined, 0), { kind: 'submitted' }, 5000);
  state = afterRateEvent(state, throttledAt(5000), 5010);
  assert.equal(rateAt(state, 6010), 1);
  assert.equal(rateAt(state, 16_010), 101);
});

const events = fc.oneof(
  fc.constant({ kind: 'submitted' as const }),
  fc.record({ kind: fc.constant('throttled' as const), sentAt: fc.integer({ min: 0, max: 100_000 }) }),
  fc.record({
    kind: fc.constant('congestion' as const),
    level: fc.integer({ min: 0, max: 100 }),
    sentAt: fc.integer({ min: 0, max: 100_000 }),
  }),
);

test('whatever happens, the next submit comes within two seconds of the last event', () => {
  const rates = fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined });
  const history = fc.array(fc.tuple(events, fc.integer({ min: 0, max: 3000 })), { maxLength: 60 });
  fc.assert(
    fc.property(rates, history, (rate, history) => {
      let [state, now] = [openRate(rate, 0), 0];
      for (const [event, passed] of history) {
        now += passed;
        if (event.kind === 'submitted') now = Math.max(now, nextSubmitAt(state, now));
        state = afterRateEvent(state, event, now);
        const next = nextSubmitAt(state, now);
        assert.ok(next >= now && next <= now + 2001, `${next - now} ms`);
        assert.ok(rateAt(state, now) >= 1 && rateAt(state, now) <= (rate ?? Number.POSITIVE_INFINITY));
      }
    }),
  );
});
