import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualTime } from '../../messages/manual-time.testing.ts';
import type { Inbound, PartToSubmit, SubmitResult } from '../carrier.ts';
import { createSimulatorCarrier, type PendingPart, simulatorId } from './simulator-carrier.ts';

const states: Readonly<Record<number, string>> = { 2: 'delivered', 5: 'undeliverable', 8: 'rejected' };

/** A running simulator, and its receipts with the milliseconds since the start. */
function simulate(pending: readonly PendingPart[] = [], take?: (inbound: Inbound) => Promise<void>) {
  const time = manualTime();
  const heard: string[] = [];
  const stop = new AbortController();
  const simulator = createSimulatorCarrier({
    seed: 'test',
    take:
      take ??
      (async (inbound) => {
        const what = inbound.kind === 'receipt' ? states[inbound.state] : `${inbound.from}: ${inbound.text}`;
        heard.push(`${time.clock.monotonic()} ${what}`);
      }),
    readPending: async function* () {
      yield pending;
    },
    ...time,
  });
  const ended = simulator.run(stop.signal);
  return {
    time,
    heard,
    simulator,
    async submit(destination: string, attempt = 1): Promise<SubmitResult> {
      const result = await simulator.submit(part(destination, attempt));
      heard.push(`${time.clock.monotonic()} ${result.kind}`);
      return result;
    },
    async pass(ms: number) {
      await time.advance(0);
      for (let passed = 0; passed < ms; passed += 5) await time.advance(5);
    },
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

function part(destination: string, attempt = 1): PartToSubmit {
  return {
    id: `part of ${destination}`,
    destination,
    sender: undefined,
    encoding: 'gsm',
    text: 'Hello',
    concatenation: undefined,
    attempt,
    validUntil: Number.MAX_SAFE_INTEGER,
  };
}

const outcomes: Readonly<Record<string, readonly string[]>> = {
  '0000': ['0 accepted', '0 delivered'],
  '0001': ['0 accepted', '50 undeliverable'],
  '0002': ['0 accepted', '50 rejected'],
  '0003': ['0 accepted', '30000 delivered'],
  '0004': ['10000 unanswered'],
  '0005': ['0 delivered', '50 accepted'],
  '0006': ['0 accepted', '50 delivered', '100 undeliverable'],
  '0007': ['0 throttled'],
};

for (const [digits, story] of Object.entries(outcomes)) {
  test(`a number that ends in ${digits}: ${story.join(', ')}`, async () => {
    const { submit, pass, heard, stop, time } = simulate();
    await time.advance(0);
    const submitted = submit(`+861380000${digits}`);
    await pass(30_100);
    await submitted;
    assert.deepEqual(heard, story);
    await stop();
  });
}

test('a throttled number is taken at the second submit', async () => {
  const { submit, pass, heard, stop, time } = simulate();
  await time.advance(0);
  await submit('+8613800000007', 2);
  await pass(60);
  assert.deepEqual(heard, ['0 accepted', '50 delivered']);
  await stop();
});

test('before it runs and after it was stopped nothing is taken; what waits for an answer fails', async () => {
  const { simulator, stop, time, submit } = simulate();
  await time.advance(0);
  const waiting = submit('+8613800000005');
  await stop();
  assert.equal((await waiting).kind, 'failed');
  assert.equal((await simulator.submit(part('+8613800000000'))).kind, 'failed');
});

test('each of two runs that overlap ends when it is asked to', async () => {
  const first = simulate();
  const stopSecond = new AbortController();
  const second = first.simulator.run(stopSecond.signal);
  await first.pass(5);
  // Ending the other run's wait instead would let this test wait for ever.
  await first.stop();
  stopSecond.abort();
  await second;
});

test('after a restart it gives the receipts that it still owes, at once when they are overdue', async () => {
  const start = manualTime().clock.now();
  const { heard, pass, stop } = simulate([
    { id: '1', destination: '+8613800000003', sentAt: start - 10_000 },
    { id: '2', destination: '+8613800000007', sentAt: start - 60_000 },
    { id: '3', destination: '+8613800000004', sentAt: start - 60_000 },
  ]);
  await pass(30_000);
  assert.deepEqual(heard, ['5 delivered', '20000 delivered']);
  await stop();
});

test('after a restart with a clock that was set back it gives its receipts no later than if it had just taken the parts', async () => {
  const start = manualTime().clock.now();
  const { heard, pass, stop } = simulate([{ id: '1', destination: '+8613800000003', sentAt: start + 3_600_000 }]);
  await pass(30_000);
  assert.deepEqual(heard, ['30000 delivered']);
  await stop();
});

test('however much it owes after a restart, it remembers a part of it at a time, and sends all', async () => {
  const time = manualTime();
  const sentAt = time.clock.now();
  let [read, sent] = [0, 0];
  const stop = new AbortController();
  const simulator = createSimulatorCarrier({
    seed: 'test',
    take: async () => {
      sent += 1;
    },
    readPending: async function* () {
      for (let page = 0; page < 13; page += 1) {
        read += 1;
        yield Array.from({ length: 10_000 }, (_, index) => ({
          id: `${page} ${index}`,
          destination: '+8613800000003',
          sentAt,
        }));
      }
    },
    ...time,
  });
  const ended = simulator.run(stop.signal);
  await time.until(() => read === 11 || undefined);
  for (let turn = 0; turn < 10; turn += 1) await time.advance(1_000);
  assert.equal(read, 11);
  await time.until(() => sent === 130_000 || undefined, 1_000);
  stop.abort();
  await ended;
});

test('a receipt that is not acknowledged is sent again', async () => {
  let refusals = 2;
  const times: number[] = [];
  const { submit, pass, stop, time } = simulate([], async () => {
    times.push(time.clock.monotonic());
    if (refusals-- > 0) throw new Error('no database');
  });
  await time.advance(0);
  await submit('+8613800000000');
  await pass(5_000);
  assert.equal(times.length, 3);
  await stop();
});

test('a number that is throttled is throttled alone', async () => {
  const { simulator, stop, time } = simulate();
  await time.advance(0);
  assert.deepEqual(await simulator.submit(part('+8613800000007')), { kind: 'throttled', partAlone: true });
  await stop();
});

test('more than it can remember is throttled', async () => {
  const { simulator, stop, time } = simulate();
  await time.advance(0);
  let throttled = 0;
  for (let index = 0; index < 100_010; index += 1) {
    if ((await simulator.submit(part('+8613800000003'))).kind === 'throttled') throttled += 1;
  }
  assert.equal(throttled, 10);
  await stop();
});

test('events of the same moment share one wait, and happen in order', async () => {
  const time = manualTime();
  const stop = new AbortController();
  const heard: string[] = [];
  let waits = 0;
  const simulator = createSimulatorCarrier({
    seed: 'test',
    take: async (inbound) => {
      heard.push(inbound.kind === 'receipt' ? inbound.carrierMessageId : inbound.kind);
    },
    readPending: async function* () {},
    clock: time.clock,
    wait: (ms, signal) => {
      waits += 1;
      return time.wait(ms, signal);
    },
  });
  const ended = simulator.run(stop.signal);
  await time.advance(0);
  const numbers = Array.from({ length: 1_000 }, (_, index) => `+86138${String(index).padStart(4, '0')}0001`);
  for (const number of numbers) await simulator.submit(part(number));
  assert.equal(waits, 1);
  await time.advance(50);
  assert.deepEqual(
    heard,
    numbers.map((number) => `part of ${number}`),
  );
  stop.abort();
  await ended;
});

test('a reply comes in as if somebody had written it', async () => {
  const { simulator, heard, stop } = simulate();
  await simulator.reply({ from: '+8613800000000', to: '106', text: '退订' });
  assert.deepEqual(heard, ['0 +8613800000000: 退订']);
  assert.equal(simulator.id, simulatorId);
  await stop();
});
