import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SimulatorEvent, simulatorScript } from './simulator-script.ts';

/** `answer` and `receipt 2`, with their times. */
function told(events: readonly SimulatorEvent[]): readonly string[] {
  return events.map((event) =>
    event.kind === 'answer' ? `${event.afterMs} ${event.answer}` : `${event.afterMs} receipt ${event.state}`,
  );
}

function scriptOf(lastFour: string, attempt = 1, seed = 'seed'): readonly SimulatorEvent[] {
  return simulatorScript({ destination: `+861380013${lastFour}`, attempt }, seed);
}

test('the last four digits decide, whatever the seed', () => {
  const scripts: Readonly<Record<string, readonly string[]>> = {
    '0000': ['0 accepted', '0 receipt 2'],
    '0001': ['0 accepted', '50 receipt 5'],
    '0002': ['0 accepted', '50 receipt 8'],
    '0003': ['0 accepted', '30000 receipt 2'],
    '0004': [],
    '0005': ['0 receipt 2', '50 accepted'],
    '0006': ['0 accepted', '50 receipt 2', '100 receipt 5'],
    '0007': ['0 throttled'],
  };
  for (const [lastFour, events] of Object.entries(scripts)) {
    assert.deepEqual(told(scriptOf(lastFour)), events, lastFour);
    assert.deepEqual(told(scriptOf(lastFour, 1, 'another')), events, lastFour);
  }
  assert.deepEqual(told(scriptOf('0007', 2)), ['0 accepted', '50 receipt 2']);
});

test('a refusal tells a cause, which becomes the memo', () => {
  const receipt = scriptOf('0002').at(-1);
  assert.ok(receipt?.kind === 'receipt' && receipt.networkError !== undefined);
});

test('other numbers keep their outcome under one seed, and change with it', () => {
  const numbers = Array.from({ length: 200 }, (_, index) => String(5000 + index));
  const under = (seed: string) => numbers.map((lastFour) => told(scriptOf(lastFour, 1, seed)).join());
  assert.deepEqual(under('one'), under('one'));
  assert.notDeepEqual(under('one'), under('two'));
  assert.deepEqual(told(scriptOf('1234', 1, 'waxwing')), ['22 accepted', '535 receipt 2']);
});

test('of all other numbers most are delivered, some not, a few refused, each within 2 s', () => {
  const count = new Map<number, number>();
  for (let number = 8; number < 10_000; number++) {
    const [submit, receipt, ...more] = scriptOf(String(number).padStart(4, '0'));
    assert.deepEqual(more, []);
    assert.ok(submit?.kind === 'answer' && submit.answer === 'accepted' && receipt?.kind === 'receipt');
    assert.ok(submit.afterMs < receipt.afterMs && receipt.afterMs >= 100 && receipt.afterMs <= 2000);
    count.set(receipt.state, (count.get(receipt.state) ?? 0) + 1);
  }
  const between = (state: number, low: number, high: number): void => {
    const found = count.get(state) ?? 0;
    assert.ok(found > low && found < high, `${found} of state ${state}`);
  };
  between(2, 9200, 9600);
  between(5, 300, 500);
  between(8, 120, 280);
});
