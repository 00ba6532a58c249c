import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linksOf } from './answer-headers.ts';

test('targets of a relation are found in one header and in several, and made absolute', () => {
  const base = 'https://ca.example/cert/1';
  const table: readonly (readonly [string | readonly string[] | undefined, readonly string[]])[] = [
    [undefined, []],
    ['<https://ca.example/dir>;rel="index"', []],
    [
      '</cert/1/1>;rel="alternate", <https://b.example/2>; title="a, b"; rel=alternate',
      ['https://ca.example/cert/1/1', 'https://b.example/2'],
    ],
    [['<https://ca.example/dir>;rel="index"', '<2>;REL="up Alternate"'], ['https://ca.example/cert/2']],
    ['<https://a.example/1>;title="rel=alternate"', []],
    ['<http://[bad>;rel="alternate"', []],
    ['nonsense', []],
  ];
  for (const [header, urls] of table) assert.deepEqual(linksOf(header, 'alternate', base), urls, `${header}`);
});
