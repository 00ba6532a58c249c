import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLinks } from './check-links.ts';

const other = '# Other page\n\n## A `cron` job, for nginx!\n\n## Twice\n\n## Twice\n\n```sh\n# no heading\n```\n';

/** The findings in a page beside docs/other.md and docs/figure.png. */
function findIn(text: string): readonly string[] {
  const pages = new Map([
    ['docs/page.md', text],
    ['docs/other.md', other],
  ]);
  const exists = (path: string) => pages.has(path) || path === 'docs/figure.png' || path === 'docs';
  return checkLinks(pages, exists).map(({ path, line, message }) => `${path}:${line}: ${message}`);
}

const alive = [
  '[other](other.md)',
  '[other](../docs/other.md "with a title") and [again](other.md)',
  '[heading](other.md#a-cron-job-for-nginx)',
  '[second of the name](other.md#twice-1)',
  '[here](#own)\n\n## Own',
  '![figure](figure.png)',
  '[folder](.)',
  '[outside](https://example.com/missing.md) [mail](mailto:a@example.com)',
  'In code it is no link: `[x](missing.md)`',
  '```sh\n[x](missing.md)\n```',
];
for (const text of alive) {
  test(`nothing is wrong with ${JSON.stringify(text)}`, () => assert.deepEqual(findIn(text), []));
}

const dead: readonly [text: string, found: string][] = [
  ['[x](missing.md)', 'docs/page.md:1: missing.md: there is no docs/missing.md'],
  ['text\n\n[x](../README.md)', 'docs/page.md:3: ../README.md: there is no README.md'],
  ['[a](other.md) [b](gone.md)', 'docs/page.md:1: gone.md: there is no docs/gone.md'],
  ['[x]: missing.md', 'docs/page.md:1: missing.md: there is no docs/missing.md'],
  ['![x](missing.png)', 'docs/page.md:1: missing.png: there is no docs/missing.png'],
  ['[x](other.md#no-heading)', 'docs/page.md:1: other.md#no-heading: docs/other.md has no heading for #no-heading'],
  ['[x](#elsewhere)', 'docs/page.md:1: #elsewhere: docs/page.md has no heading for #elsewhere'],
  ['```\ncode\n```\n[x](missing.md)', 'docs/page.md:4: missing.md: there is no docs/missing.md'],
];
for (const [text, found] of dead) {
  test(`${JSON.stringify(text)} is found dead`, () => assert.deepEqual(findIn(text), [found]));
}
