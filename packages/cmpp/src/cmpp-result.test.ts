import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cmppResults, resultWords, submitVerdict } from './cmpp-result.ts';
import { connectStatuses, connectStatusWords } from './connect-status.ts';

test('only a wrong destination is refused for ever, and only flow control slows the link', () => {
  const verdicts = Array.from({ length: 15 }, (_, result) => submitVerdict(result));
  assert.deepEqual(verdicts, [
    'accepted',
    ...new Array<string>(7).fill('failed'),
    'throttled',
    ...new Array<string>(4).fill('failed'),
    'refused',
    'failed',
  ]);
});

test('every result and status has words of its own', () => {
  const results = Object.values(cmppResults).map(resultWords);
  assert.equal(new Set(results.map((words) => words.replace(/^\d+ /, ''))).size, 14);
  assert.equal(resultWords(8), '8 too many messages');
  assert.equal(resultWords(117), '117 a code of this gateway');
  assert.equal(resultWords(14), '14 unknown');
  const statuses = Object.values(connectStatuses).map(connectStatusWords);
  assert.equal(new Set(statuses.map((words) => words.replace(/^\d+ /, ''))).size, 6);
  assert.equal(connectStatusWords(3), '3 authentication failed');
  assert.equal(connectStatusWords(160), '160 other error');
});
