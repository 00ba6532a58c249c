import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupProgress, type IssuanceLine } from './progress-groups.ts';

const line = (step: string, more: Partial<IssuanceLine> = {}): IssuanceLine => ({
  ...{ step, state: 'done', at: '2026-01-01T00:00:00Z', domain: null, words: null },
  ...more,
});

test('the lines of one step are one group, with its last time', () => {
  const groups = groupProgress([
    line('place'),
    line('wait', { domain: 'a.example.com', words: 'Proved.' }),
    line('wait', { domain: 'b.example.com', words: 'Proved.', at: '2026-01-01T00:00:09Z' }),
    line('finalize', { state: 'running' }),
  ]);
  assert.deepEqual(
    groups.map(({ step, state, lines }) => [step, state, lines.length]),
    [
      ['place', 'done', 0],
      ['wait', 'done', 2],
      ['finalize', 'running', 0],
    ],
  );
  assert.equal(groups[1]?.at, '2026-01-01T00:00:09Z');
});

test('each failure stands alone: its time and its words are its own', () => {
  const failed = line('wait', { state: 'failed', domain: 'a.example.com', words: 'Connection refused' });
  assert.deepEqual(
    groupProgress([failed, failed, line('wait', { domain: 'a.example.com' })]).map(({ state }) => state),
    ['failed', 'failed', 'done'],
  );
});
