import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFlatSearch, stringifyFlatSearch } from './flat-search.ts';

const cases: readonly [values: Readonly<Record<string, unknown>>, search: string][] = [
  [{}, ''],
  [{ search: '9999' }, '?search=9999'],
  [{ search: '0012', expiring: 30 }, '?search=0012&expiring=30'],
  [{ number: '+8613800138000' }, '?number=%2B8613800138000'],
  [{ ended: true, gone: undefined }, '?ended=true'],
  [{ search: 'a&b=c 中文 "x"' }, '?search=a%26b%3Dc+%E4%B8%AD%E6%96%87+%22x%22'],
];

for (const [values, search] of cases) {
  test(`${JSON.stringify(values)} stands as ${search}`, () => {
    assert.equal(stringifyFlatSearch(values), search);
    const texts = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]]));
    assert.deepEqual(parseFlatSearch(search), Object.fromEntries(texts));
  });
}
