import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReceipt } from './receipt.ts';

test('every message_state of SMPP has its reading', () => {
  const statuses = Array.from({ length: 10 }, (_, state) => {
    const reading = readReceipt({ state, networkError: undefined });
    return reading.kind === 'final' ? reading.verdict.status : reading.kind;
  });
  assert.deepEqual(statuses, [
    'interim',
    'interim',
    'DELIVRD',
    'UNDELIV',
    'UNDELIV',
    'UNDELIV',
    'interim',
    'UNDELIV',
    'REJECTED',
    'UNDELIV',
  ]);
});

test('a rejection carries the network error in its memo, and never an empty one', () => {
  const memoOf = (networkError: string | undefined) => readReceipt({ state: 8, networkError });
  const rejection = (memo: string) => ({ kind: 'final', verdict: { status: 'REJECTED', memo } });
  assert.deepEqual(memoOf('069'), rejection('network error 069'));
  for (const nothing of [undefined, '', ' ']) assert.deepEqual(memoOf(nothing), rejection('rejected by the network'));
});

test('a network error beside another state makes no memo', () => {
  assert.deepEqual(readReceipt({ state: 5, networkError: '027' }), { kind: 'final', verdict: { status: 'UNDELIV' } });
});

test('a state that SMPP does not have is unknown', () => {
  for (const state of [-1, 10, 255, Number.NaN, 2.5]) {
    assert.deepEqual(readReceipt({ state, networkError: undefined }), { kind: 'unknown' });
  }
});
