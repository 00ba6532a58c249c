import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerpt, jsonText, textFacts, textTable } from './text-table.ts';

const columns = {
  NAME: (row: { name: string; count: number | null }) => row.name,
  COUNT: (row: { count: number | null }) => row.count,
};

test('columns line up below their titles, wide characters counted as two cells', () => {
  const rows = [
    { name: 'web', count: 1 },
    { name: '公司', count: null },
    { name: 'longer', count: 20 },
  ];
  assert.equal(textTable(rows, columns, 'none'), 'NAME    COUNT\nweb     1\n公司    -\nlonger  20');
});

test('a list without rows is a sentence', () => {
  assert.equal(textTable([], columns, 'There is none.'), 'There is none.');
});

test('control characters of a name never reach the terminal', () => {
  const shown = textFacts({ name: 'a\u001b[2Jb\u202ec\nd', on: true, off: false });
  assert.equal(shown, 'name  a\uFFFD[2Jb\uFFFDc\uFFFDd\non    yes\noff   no');
});

test('nor those of a value as JSON, which stays the same value', () => {
  const value = { text: 'a\u001b[2J\u009b31m\u007f\u202e\n"ä公😀' };
  for (const indent of [undefined, 2]) {
    const shown = jsonText(value, indent);
    assert.doesNotMatch(shown.replaceAll('\n', ''), /\p{Cc}|\u202e/u);
    assert.match(shown, /ä公😀/);
    assert.deepEqual(JSON.parse(shown), value);
  }
  assert.equal(jsonText({ a: 1 }, 2), '{\n  "a": 1\n}');
});

test('a long text shows its beginning, and no half of a character', () => {
  assert.deepEqual([excerpt('five5', 5), excerpt('sixsix', 5), excerpt('😀😀😀', 2)], ['five5', 'sixs…', '😀…']);
});
