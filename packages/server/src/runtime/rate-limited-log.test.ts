import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateLimitedLog } from './rate-limited-log.ts';

test('lines beyond the limit are left out and counted on the next minute’s first line', () => {
  let now = 0;
  const lines: unknown[] = [];
  const collect = (fields: unknown, message: unknown): void => {
    lines.push([message, fields]);
  };
  const log = rateLimitedLog({ info: collect, warn: collect, error: collect } as never, 2, {
    now: () => now,
    monotonic: () => now,
  });

  for (const message of ['a', 'b', 'c', 'd']) log.warn({ n: 1 }, message);
  now = 59_999;
  log.error({}, 'e');
  now = 60_000;
  log.info({ n: 2 }, 'f');
  log.info({ n: 3 }, 'g');

  assert.deepEqual(lines, [
    ['a', { n: 1 }],
    ['b', { n: 1 }],
    ['f', { n: 2, suppressed: 3 }],
    ['g', { n: 3 }],
  ]);
});
