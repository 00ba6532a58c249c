import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeAgo } from './time-ago.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

const cases: readonly [at: string, english: string, chinese: string][] = [
  ['2026-03-01T12:00:00Z', '0 seconds ago', '0秒钟前'],
  ['2026-03-01T12:00:03Z', '0 seconds ago', '0秒钟前'],
  ['2026-03-01T11:59:01Z', '59 seconds ago', '59秒钟前'],
  ['2026-03-01T11:59:00Z', '1 minute ago', '1分钟前'],
  ['2026-03-01T10:00:01Z', '1 hour ago', '1小时前'],
  ['2026-02-28T13:00:00Z', '23 hours ago', '23小时前'],
  ['2026-02-28T12:00:00Z', '1 day ago', '1天前'],
  ['2025-03-01T12:00:00Z', '365 days ago', '365天前'],
];

for (const [at, english, chinese] of cases) {
  test(`${at} is ${english}`, () => {
    assert.equal(timeAgo(at, now, 'en'), english);
    assert.equal(timeAgo(at, now, 'zh-CN'), chinese);
  });
}
