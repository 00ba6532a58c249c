import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restartDelay, supervise, type Worker, type WorkerReport } from './supervisor.ts';

const silent = { info() {}, warn() {}, error() {} };

/** Time stands still until a sleep moves it. Every sleep is noted, and ends when nothing else is left to do. */
function fakeTime() {
  let now = 0;
  const sleeps: number[] = [];
  return {
    sleeps,
    clock: { now: () => now, monotonic: () => now },
    advance(ms: number) {
      now += ms;
    },
    async sleep(ms: number): Promise<void> {
      sleeps.push(ms);
      now += ms;
      await new Promise(setImmediate);
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });
}

/** Plays one step per run, and after the last runs until stopped. */
function scripted(steps: readonly (() => Promise<void>)[]): { worker: Worker; settled: Promise<void> } {
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  const worker = {
    name: 'scripted',
    async run(signal: AbortSignal) {
      const step = steps[runs];
      runs += 1;
      if (step) return step();
      resolve();
      return untilAborted(signal);
    },
  };
  return { worker, settled };
}

const fail = async (): Promise<void> => {
  throw new Error('no connection');
};

test('the wait before a restart doubles from one second to one minute', () => {
  assert.deepEqual([1, 2, 3, 6, 7, 8, 5000].map(restartDelay), [1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000]);
});

test('a worker that throws is started again after a growing wait', async () => {
  const time = fakeTime();
  const { worker, settled } = scripted([fail, fail, fail]);
  const supervisor = supervise([worker], { log: silent, ...time });
  await settled;
  assert.deepEqual(time.sleeps, [1000, 2000, 4000]);
  assert.deepEqual(supervisor.reports(), [
    { name: 'scripted', state: 'running', faults: 3, lastFault: 'no connection' },
  ]);
  await supervisor.stop(1000);
});

test('a worker that returns without being stopped has failed', async () => {
  const { worker, settled } = scripted([async () => {}]);
  const supervisor = supervise([worker], { log: silent, ...fakeTime() });
  await settled;
  assert.match(supervisor.reports()[0]?.lastFault ?? '', /returned without being stopped/);
  await supervisor.stop(1000);
});

test('a fault after a long sound run waits one second again', async () => {
  const time = fakeTime();
  const failLate = async () => {
    time.advance(60_000);
    throw new Error('after a minute');
  };
  const { worker, settled } = scripted([fail, fail, failLate, fail]);
  const supervisor = supervise([worker], { log: silent, ...time });
  await settled;
  assert.deepEqual(time.sleeps, [1000, 2000, 1000, 2000]);
  await supervisor.stop(1000);
});

test('one failing worker leaves the others alone', async () => {
  const { worker, settled } = scripted([fail]);
  const neighbour = { name: 'neighbour', run: untilAborted };
  const supervisor = supervise([neighbour, worker], { log: silent, ...fakeTime() });
  await settled;
  assert.deepEqual(
    supervisor.reports().map(({ name, state, faults }) => [name, state, faults]),
    [
      ['neighbour', 'running', 0],
      ['scripted', 'running', 1],
    ],
  );
  await supervisor.stop(1000);
});

test('every change of state is told', async () => {
  const states: WorkerReport['state'][] = [];
  const { worker, settled } = scripted([fail]);
  const onState = ({ state }: WorkerReport) => states.push(state);
  const supervisor = supervise([worker], { log: silent, ...fakeTime(), onState });
  await settled;
  await supervisor.stop(1000);
  assert.deepEqual(states, ['running', 'waiting to restart', 'running', 'stopped']);
});

test('stopping ends workers that wait for a restart and those that throw what aborted them', async () => {
  const throwing: Worker = {
    name: 'throwing',
    async run(signal) {
      await untilAborted(signal);
      signal.throwIfAborted();
    },
  };
  const asleep: Worker = { name: 'asleep', run: fail };
  // The real wait must end with the signal.
  const { clock } = fakeTime();
  const supervisor = supervise([throwing, asleep], { log: silent, clock });
  const stuck = await supervisor.stop(60_000);
  assert.deepEqual(stuck, []);
  assert.deepEqual(
    supervisor.reports().map(({ state, faults }) => [state, faults]),
    [
      ['stopped', 0],
      ['stopped', 1],
    ],
  );
});

test('stopping waits no longer than its limit and names who is stuck', async () => {
  const time = fakeTime();
  const deaf: Worker = { name: 'deaf', run: () => new Promise(() => {}) };
  const supervisor = supervise([deaf, { name: 'polite', run: untilAborted }], { log: silent, ...time });
  assert.deepEqual(await supervisor.stop(4000), ['deaf']);
  assert.deepEqual(time.sleeps, [4000]);
});
