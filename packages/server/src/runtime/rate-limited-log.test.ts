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

test('one cause shows its stack once a minute, and leaves lines for others', () => {
  let now = 0;
  const lines: { message: string; fields: Record<string, unknown> }[] = [];
  const collect = (fields: Record<string, unknown>, message: string): void => {
    lines.push({ message, fields });
  };
  const clock = { now: () => now, monotonic: () => now };
  const log = rateLimitedLog({ info: collect, warn: collect, error: collect } as never, 60, clock);
  const flood = () => {
    for (let request = 0; request < 1_000; request += 1) {
      log.warn({ path: `/${request}`, err: new TypeError('disk full') }, 'request refused');
    }
  };

  flood();
  assert.equal(lines.length, 10);
  assert.ok(lines[0]?.fields.err instanceof TypeError);
  assert.deepEqual(
    lines.slice(1).map(({ fields }) => fields),
    Array.from({ length: 9 }, (_, index) => ({
      path: `/${index + 1}`,
      err: { type: 'TypeError', message: 'disk full' },
    })),
  );

  const other = new Error('another cause');
  log.error({ err: other }, 'request failed');
  assert.deepEqual(lines[10], { message: 'request failed', fields: { err: other, suppressed: 990 } });

  now = 60_000;
  flood();
  assert.ok(lines[11]?.fields.err instanceof TypeError, 'the next minute shows the stack again');
  assert.equal(lines.length, 21);
});
