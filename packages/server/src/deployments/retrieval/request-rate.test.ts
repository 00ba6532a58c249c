import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequestRate } from './request-rate.ts';

test('so many requests a minute are let through, the next ones wait for the end of the minute', () => {
  const rate = createRequestRate(10);
  for (let request = 0; request < 3; request += 1) assert.equal(rate.take('a', 3, request * 100), undefined);
  assert.equal(rate.take('a', 3, 6_000), 54);
  assert.equal(rate.take('a', 3, 59_001), 1);
  assert.equal(rate.take('a', 3, 59_999.9), 1, 'never 0: that would mean at once');
  assert.equal(rate.take('a', 3, 60_000), undefined, 'a new minute begins');
  assert.equal(rate.take('a', 3, 119_000), undefined);
  assert.equal(rate.take('a', 3, 119_000), undefined);
  assert.equal(rate.take('a', 3, 119_000), 1, 'the minute is counted from its first request');
});

test('what is refused is not counted: with a higher limit the rest is there at once', () => {
  const rate = createRequestRate(10);
  for (let request = 0; request < 50; request += 1) rate.take('a', 1, 0);
  assert.equal(rate.take('a', 2, 1), undefined);
  assert.equal(rate.take('a', 2, 1), 60);
});

test('deployments do not share a count, and one without a limit is not even remembered', () => {
  const rate = createRequestRate(1);
  assert.equal(rate.take('a', 1, 0), undefined);
  for (let request = 0; request < 1_000; request += 1) assert.equal(rate.take('b', null, 0), undefined);
  assert.equal(rate.take('a', 1, 0), 60, 'still remembered: the other took no place');
});

test('memory is bounded: the minute that began first makes room', () => {
  const rate = createRequestRate(2);
  for (const [deployment, at] of [
    ['a', 0],
    ['b', 1],
    ['a', 60_000],
    ['c', 60_000],
  ] as const)
    rate.take(deployment, 1, at);
  assert.equal(rate.take('a', 1, 60_002), 60, 'its second minute is younger than the first of b');
  assert.equal(rate.take('c', 1, 60_002), 60);
  assert.equal(rate.take('b', 1, 60_002), undefined, 'forgotten, so counted anew');
});
