import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoReason } from './memo-reason.ts';

test('reasons of our own are known, a carrier’s are not', () => {
  assert.equal(memoReason('recipient opted out'), 'recipientOptedOut');
  assert.equal(memoReason('blocked word: casino'), 'blockedWord');
  assert.equal(memoReason('no carrier'), 'noCarrier');
  for (const other of [undefined, '', 'network error 099', 'no carrier at all'])
    assert.equal(memoReason(other), undefined);
});
