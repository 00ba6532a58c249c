import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCarrierChoices } from './carrier-choice.ts';

const simulator = { id: 'simulator', simulated: true };
const [a, b] = [
  { id: 'a', simulated: false },
  { id: 'b', simulated: false },
];

test('the simulator takes messages while no real carrier exists, and leaves its parts to the first that does', () => {
  let carriers = [simulator];
  const choices = createCarrierChoices(() => carriers);
  assert.deepEqual([choices.choose(), choices.successorOf('simulator')], [simulator, undefined]);
  carriers = [simulator, a];
  assert.deepEqual([choices.choose(), choices.successorOf('simulator')], [a, 'a']);
});

test('real carriers take turns and inherit nothing from each other', () => {
  const choices = createCarrierChoices(() => [a, simulator, b]);
  const chosen = Array.from({ length: 4 }, () => choices.choose()?.id);
  assert.deepEqual(chosen.toSorted(), ['a', 'a', 'b', 'b']);
  assert.equal(choices.successorOf('a'), undefined);
});

test('without any carrier there is no choice', () => {
  assert.equal(createCarrierChoices(() => []).choose(), undefined);
});
