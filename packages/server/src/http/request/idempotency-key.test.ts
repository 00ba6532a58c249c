import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../runtime/problem.ts';
import { readIdempotencyKey } from './idempotency-key.ts';

const rawHeaders = (lines: readonly string[]) => lines.flatMap((line) => ['Idempotency-Key', line]);

test('a key is 1 to 255 visible ASCII characters, given once', () => {
  assert.equal(readIdempotencyKey([]), undefined);
  for (const key of ['a', '!~', 'x'.repeat(255), '8f14e45f-ceea-467f-a8c2-0b2a9e3b6f5d']) {
    assert.equal(readIdempotencyKey(rawHeaders([key])), key);
  }
  for (const lines of [[''], ['x'.repeat(256)], ['a b'], ['é'], ['a\u007f'], ['a', 'a'], ['a', 'b'], ['a\n']]) {
    assert.throws(
      () => readIdempotencyKey(rawHeaders(lines)),
      (error) => error instanceof Problem && error.code === 'invalid_parameter' && error.field === 'Idempotency-Key',
      JSON.stringify(lines),
    );
  }
});
