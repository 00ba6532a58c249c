import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationBetween, formatDuration } from './duration.ts';

const spans: readonly [ms: number, english: string, chinese: string][] = [
  [-5, '0 ms', '0 毫秒'],
  [0, '0 ms', '0 毫秒'],
  [850.4, '850 ms', '850 毫秒'],
  [1_000, '1 s', '1 秒'],
  [1_240, '1.2 s', '1.2 秒'],
  [59_400, '59.4 s', '59.4 秒'],
  [60_000, '1 m', '1 分钟'],
  [185_000, '3 m 5 s', '3 分钟 5 秒'],
  [3_600_000, '1 h', '1 小时'],
  [187_200_000, '2 d 4 h', '2 天 4 小时'],
];

for (const [ms, english, chinese] of spans) {
  test(`${ms} ms read ${english}`, () => {
    assert.equal(formatDuration(ms, 'en'), english);
    assert.equal(formatDuration(ms, 'zh-CN'), chinese);
  });
}

test('the length between two times', () => {
  assert.equal(durationBetween('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.500Z', 'en'), '1.5 s');
});
