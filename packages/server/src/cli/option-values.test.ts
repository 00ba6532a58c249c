import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from './arguments.ts';
import { type Arguments, Usage } from './command.ts';
import { oldestFirst } from './list-pages.ts';
import {
  allowOf,
  either,
  expiry,
  mapped,
  moment,
  numberOrOff,
  oneOf,
  onOff,
  present,
  since,
  span,
  wholeNumber,
} from './option-values.ts';

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

test('since a day is from its beginning, until a day is to its end, and never is no end', () => {
  assert.equal(new Date(since('since', '2030-01-31')).toISOString(), '2030-01-31T00:00:00.000Z');
  assert.equal(since('since', '2030-01-31T12:00:00Z'), moment('expires', '2030-01-31T12:00:00Z'));
  assert.throws(() => since('since', '2030-02-30'), /--since must be a day/);
  assert.deepEqual([expiry('expires', 'never'), expiry('expires', '2030-01-31')], [null, moment('', '2030-01-31')]);
});

test('a word is one of those there are, and the refusal names them all', () => {
  assert.equal(oneOf('kind', 'uplink', ['status', 'uplink']), 'uplink');
  assert.throws(() => oneOf('state', 'up', ['a', 'b', 'c']), /--state must be a, b or c\./);
  assert.throws(() => oneOf('kind', 'Status', ['status', 'uplink']), /--kind must be status or uplink\./);
});

/** What a command with these options would be given. */
function given(...argv: string[]): Arguments {
  const form = {
    name: 'do',
    summary: 'Do it',
    options: {
      allow: { type: 'string', multiple: true, value: 'CIDR', help: 'h' },
      limit: { type: 'string', value: 'N', help: 'h' },
      on: { type: 'boolean', help: 'h' },
      off: { type: 'boolean', help: 'h' },
    },
  } as const;
  const line = parseCommandLine(['do', ...argv], [form]);
  assert.ok(line.kind === 'command');
  return line.args;
}

test('an allow-list comes with commas, several times or as the word none; left out it is not empty', () => {
  assert.deepEqual(allowOf(given('--allow', '::1, 10.0.0.0/8', '--allow', '1.2.3.4')), [
    '::1',
    '10.0.0.0/8',
    '1.2.3.4',
  ]);
  assert.deepEqual(allowOf(given('--allow', 'none')), []);
  assert.deepEqual(allowOf(given('--allow', 'none,::1')), ['none', '::1']);
  assert.equal(allowOf(given()), undefined);
});

test('what is not given leaves nothing in the input of a command', () => {
  const limit = (...argv: string[]) =>
    present(
      'limit',
      mapped(given(...argv), 'limit', (_, text) => Number(text)),
    );
  assert.deepEqual([limit('--limit', '5'), limit()], [{ limit: 5 }, {}]);
  assert.deepEqual([present('quota', null), present('quota', undefined)], [{ quota: null }, {}]);
  assert.deepEqual([numberOrOff('quota', 'off', 9), numberOrOff('quota', '9', 9)], [null, 9]);
  const flags = [given('--on'), given('--off'), given()].map((args) => either(args, 'on', 'off'));
  assert.deepEqual(flags, [true, false, undefined]);
  assert.throws(() => either(given('--on', '--off'), 'on', 'off'), /--on or --off, not both/);
});

test('only a full page says how to go on', () => {
  const rows = [{ id: 'a' }, { id: 'b' }];
  const next = (page: typeof rows, limit: string) => oldestFirst.next(page, given('--limit', limit));
  assert.deepEqual([next(rows, '2'), next(rows, '3'), next([], '2')], ['\n\nThere may be more: --after b', '', '']);
});
