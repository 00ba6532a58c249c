import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedRegions } from './region-codes.ts';

test('every region has a name in both languages, and stands once', () => {
  for (const [language, china] of [
    ['en', 'China (CN)'],
    ['zh-CN', '中国 (CN)'],
  ] as const) {
    const regions = namedRegions(language);
    assert.equal(new Set(regions.map(({ value }) => value)).size, 245);
    assert.equal(regions.find(({ value }) => value === 'CN')?.label, china);
    for (const { value, label } of regions) assert.notEqual(label, `${value} (${value})`);
  }
});
