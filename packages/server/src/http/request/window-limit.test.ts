import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWindowLimit } from './window-limit.ts';

test('sixty wrong tokens a minute are let through, the next ones wait for the end of the minute', () => {
  const limit = createWindowLimit();
  for (let count = 0; count < 60; count++) assert.equal(limit.count('192.0.2.1', count * 100), undefined);
  assert.equal(limit.count('192.0.2.1', 6_000), 54);
  assert.equal(limit.count('192.0.2.1', 59_001), 1);
  assert.equal(limit.count('192.0.2.1', 59_999.9), 1);
  assert.equal(limit.count('192.0.2.1', 60_000), undefined, 'a new minute begins');
});

test('addresses do not share a count', () => {
  const limit = createWindowLimit({ limit: 1 });
  assert.equal(limit.count('a', 0), undefined);
  assert.equal(limit.count('b', 0), undefined);
  assert.equal(limit.count('a', 0), 60);
});

test('memory is bounded: the window that began first makes room', () => {
  const limit = createWindowLimit({ limit: 1, maxNames: 3 });
  for (const address of ['a', 'b', 'c', 'd']) limit.count(address, 0);
  assert.equal(limit.size, 3);
  assert.equal(limit.count('d', 1), 60, 'kept');
  assert.equal(limit.count('b', 1), 60, 'kept');
  assert.equal(limit.count('a', 1), undefined, 'evicted, so counted anew');
  assert.equal(limit.size, 3);
  for (let index = 0; index < 100_000; index++) limit.count(`address ${index}`, 2);
  assert.equal(limit.size, 3);
});

test('ended windows are forgotten when another opens', () => {
  const limit = createWindowLimit();
  for (let index = 0; index < 50; index++) limit.count(`address ${index}`, index);
  limit.count('late', 60_030);
  assert.equal(limit.size, 20);
  limit.count('address 49', 200_000);
  assert.equal(limit.size, 1);
});

test('an address is known to have reached the limit before its next wrong token, until the minute is over', () => {
  const limit = createWindowLimit({ limit: 2 });
  assert.equal(limit.isReached('a', 0), false);
  limit.count('a', 0);
  assert.equal(limit.isReached('a', 1), false);
  limit.count('a', 1);
  assert.equal(limit.isReached('a', 1), true);
  assert.equal(limit.isReached('b', 1), false);
  assert.equal(limit.isReached('a', 60_000), false);
});

test('what is refused is not counted: with a higher limit the rest is there at once', () => {
  const limit = createWindowLimit({ maxNames: 10 });
  for (let request = 0; request < 50; request += 1) limit.count('a', 0, 1);
  assert.equal(limit.count('a', 1, 2), undefined);
  assert.equal(limit.count('a', 1, 2), 60);
});

test('a minute is counted from its first event, and one that begins anew is younger than the others', () => {
  const limit = createWindowLimit({ limit: 1, maxNames: 2 });
  for (const [name, at] of [
    ['a', 0],
    ['b', 1],
    ['a', 60_000],
    ['c', 60_000],
  ] as const)
    limit.count(name, at);
  assert.equal(limit.count('a', 60_002), 60, 'its second minute is younger than the first of b');
  assert.equal(limit.count('c', 60_002), 60);
  assert.equal(limit.count('b', 60_002), undefined, 'forgotten, so counted anew');
});
