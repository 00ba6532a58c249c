import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes } from './format-bytes.ts';

test('a size is written with its unit', () => {
  const sizes: readonly [number, string][] = [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [150 * 1024, '150 KiB'],
    [1.5 * 1024 ** 3, '1.5 GiB'],
    [2_000 * 1024 ** 4, '2000 TiB'],
  ];
  for (const [bytes, text] of sizes) assert.equal(formatBytes(bytes), text);
});
