import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvCell, csvLine } from './csv.ts';

const cells: readonly [value: string | number | null | undefined, cell: string][] = [
  ['plain', 'plain'],
  ['', ''],
  [null, ''],
  [undefined, ''],
  [-3, '-3'],
  ['-3', "'-3"],
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['+86 138', "'+86 138"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\r=1', `"'\r=1"`],
  ['\n=1', `"'\n=1"`],
  ['＝cmd', "'＝cmd"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM', "'＠SUM"],
  ['a=b', 'a=b'],
  ['one, two', '"one, two"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['中文', '中文'],
];

for (const [value, cell] of cells) {
  test(`the cell of ${JSON.stringify(value) ?? 'undefined'} is ${JSON.stringify(cell)}`, () => {
    assert.equal(csvCell(value), cell);
  });
}

test('a line ends as RFC 4180 says', () => {
  assert.equal(csvLine(['a', 1, null, '=x']), "a,1,,'=x\r\n");
});
