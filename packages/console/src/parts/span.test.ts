import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatSpan, spanBetween } from './span.ts';

const spans: readonly [ms: number, english: string, chinese: string][] = [
  [-5, '0ms', '0ms'],
  [0, '0ms', '0ms'],
  [850.4, '850ms', '850ms'],
  [1_000, '1s', '1秒'],
  [1_240, '1.2s', '1.2秒'],
  [59_400, '59.4s', '59.4秒'],
  [60_000, '1m', '1分钟'],
  [185_000, '3m 5s', '3分钟 5秒'],
  [3_600_000, '1h', '1小时'],
  [187_200_000, '2d 4h', '2天 4小时'],
];

for (const [ms, english, chinese] of spans) {
  test(`${ms} ms read ${english}`, () => {
    assert.equal(formatSpan(ms, 'en'), english);
    assert.equal(formatSpan(ms, 'zh-CN'), chinese);
  });
}

test('the length between two times', () => {
  assert.equal(spanBetween('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.500Z', 'en'), '1.5s');
});
