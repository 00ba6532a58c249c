import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupProgress, type IssuanceLine, linesLook, recordsToSet } from './progress-groups.ts';

const line = (step: string, more: Partial<IssuanceLine> = {}): IssuanceLine => ({
  ...{ step, state: 'done', at: '2026-01-01T00:00:00Z', domain: null, words: null },
  ...more,
});

test('the lines of one step are one group, with its last time', () => {
  const groups = groupProgress([
    line('place'),
    line('wait', { domain: 'a.example.com' }),
    line('wait', { domain: 'b.example.com', at: '2026-01-01T00:00:09Z' }),
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

const lookOf = (isUnderWay: boolean, ...lines: readonly IssuanceLine[]) =>
  groupProgress(lines).map((group) => linesLook(group, isUnderWay));
const five = (step: string, more: Partial<IssuanceLine> = {}) =>
  ['a', 'b', 'c', 'd', 'e'].map((name) => line(step, { domain: `${name}.example.com`, ...more }));

test('the words of a running step are to be read: for what it waits', () => {
  const waits = { state: 'running', words: 'ns1.example.com has no TXT record' } as const;
  assert.deepEqual(lookOf(true, line('check', waits)), ['plain']);
  assert.deepEqual(lookOf(true, ...five('check', waits)), ['plain']);
  assert.equal(groupProgress([line('check', waits)])[0]?.lines[0]?.words, waits.words);
});

test('records are to be read while the order is under way, however many they are', () => {
  const records = five('present', { words: 'Set the TXT record' });
  assert.deepEqual(lookOf(true, ...records), ['plain']);
  assert.deepEqual(lookOf(false, ...records), ['folded']);
});

test('many names without words are folded, few are not', () => {
  assert.deepEqual(lookOf(true, ...five('wait')), ['folded']);
  assert.deepEqual(lookOf(true, ...five('wait').slice(1)), ['quiet']);
});

test('a failure is to be read, also later', () => {
  assert.deepEqual(lookOf(false, line('wait', { state: 'failed', words: 'Connection refused' })), ['plain']);
});

test('records are to be set from the step that names them until they are seen', () => {
  const present = line('present', { domain: 'a.example.com', words: 'Set the TXT record' });
  const check = line('check', { state: 'running' });
  const asked = (...lines: readonly IssuanceLine[]) => recordsToSet(groupProgress(lines))?.lines.length;
  assert.equal(asked(line('place'), line('present', { state: 'running' })), undefined);
  assert.equal(asked(line('place'), present, check), 1);
  assert.equal(asked(present, { ...check, state: 'failed', words: 'SERVFAIL' }, check), 1);
  assert.equal(asked(present, { ...check, state: 'done' }, line('offer', { state: 'running' })), undefined);
  assert.equal(asked(present, line('clean', { state: 'running' })), undefined);
  assert.equal(asked(), undefined);
});
