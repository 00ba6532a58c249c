import assert from 'node:assert/strict';
import { test } from 'node:test';
import { successTone } from './success-tone.ts';

const cases: readonly [rate: number | null, tone: string][] = [
  [null, 'plain'],
  [0, 'bad'],
  [0.031, 'bad'],
  [0.899, 'bad'],
  [0.9, 'soon'],
  [0.989, 'soon'],
  [0.99, 'good'],
  [1, 'good'],
];

for (const [rate, tone] of cases) {
  test(`a success rate of ${rate} is ${tone}`, () => assert.equal(successTone(rate), tone));
}
