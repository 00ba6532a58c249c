import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Usage } from './command.ts';
import { moment, onOff, span, wholeNumber } from './option-values.ts';

const moments: readonly [text: string, expected: string][] = [
  ['2030-01-31', '2030-01-31T23:59:59.999Z'],
  ['2028-02-29', '2028-02-29T23:59:59.999Z'],
  ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
  ['2030-01-31t12:00:00.5z', '2030-01-31T12:00:00.500Z'],
  ['2030-01-31T12:00:00+08:00', '2030-01-31T04:00:00.000Z'],
];
for (const [text, expected] of moments) {
  test(`${text} is the moment ${expected}`, () => {
    assert.equal(new Date(moment('expires', text)).toISOString(), expected);
  });
}

for (const text of [
  '',
  'tomorrow',
  '2030',
  '2030-1-31',
  '31.01.2030',
  '2030-02-30',
  '2029-02-29T00:00:00Z',
  '2030-01-31T12:00',
  '2030-01-31T12:00:00',
  '2030-01-31T25:00:00Z',
  '2030-13-01',
  '1767225600',
]) {
  test(`"${text}" is no moment`, () => {
    assert.throws(() => moment('expires', text), Usage);
  });
}

test('a span is read in milliseconds, and 0 needs no unit', () => {
  assert.equal(span('overlap', '24h', '30d'), 86_400_000);
  assert.equal(span('overlap', '30m', '30d'), 1_800_000);
  assert.equal(span('overlap', '0', '30d'), 0);
  for (const text of ['5', '31d', '-1h', '1w', '1.5h']) assert.throws(() => span('overlap', text, '30d'), Usage);
});

test('numbers and switches are read strictly', () => {
  assert.equal(wholeNumber('limit', '1000', 1, 1000), 1000);
  for (const text of ['0', '1001', '1e2', '+5', ' 5', '0x10']) {
    assert.throws(() => wholeNumber('limit', text, 1, 1000), /--limit must be a whole number from 1 to 1000/);
  }
  assert.deepEqual([onOff('query-token', 'on'), onOff('query-token', 'off')], [true, false]);
  assert.throws(() => onOff('query-token', 'yes'), Usage);
});
