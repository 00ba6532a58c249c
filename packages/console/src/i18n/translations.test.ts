import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chinese, english } from './all-texts.ts';

type Tree = { readonly [key: string]: string | Tree };

function leaves(tree: Tree, path = ''): readonly (readonly [key: string, text: string])[] {
  return Object.entries(tree).flatMap(([name, node]) => {
    const key = path === '' ? name : `${path}.${name}`;
    return typeof node === 'string' ? [[key, node] as const] : leaves(node, key);
  });
}

const inEnglish = new Map(leaves(english));
const inChinese = new Map(leaves(chinese));
const withoutForm = (key: string) => key.replace(/_(?:one|other)$/, '');
const placeholders = (text: string) => [...new Set(text.match(/\{\{\w+\}\}/g))].sort();

test('both languages have the same keys; Chinese has no form for one thing', () => {
  const expected = [...inEnglish.keys()].filter((key) => !key.endsWith('_one'));
  assert.deepEqual([...inChinese.keys()].sort(), expected.sort());
});

test('a form for one thing has one for several beside it', () => {
  for (const key of inEnglish.keys())
    if (key.endsWith('_one')) assert.ok(inEnglish.has(key.replace(/_one$/, '_other')), key);
});

test('both languages fill in the same values', () => {
  for (const [key, text] of inChinese)
    assert.deepEqual(placeholders(text), placeholders(inEnglish.get(key) ?? ''), key);
});

test('no text is empty: its key would be shown in its place', () => {
  for (const [key, text] of [...inEnglish, ...inChinese]) assert.notEqual(text.trim(), '', key);
});

test('a problem has a title and a remedy, a failed push its outcome and its remedy', () => {
  for (const [code, texts] of Object.entries<string | Tree>(english.problem))
    if (typeof texts !== 'string') assert.deepEqual(Object.keys(texts).sort(), ['remedy', 'title'], code);
  const failures = Object.keys(english.push.outcomes);
  assert.deepEqual(Object.keys(english.push.outcomeHelp).sort(), failures.sort());
});

const folder = join(import.meta.dirname, '..');
const sources = globSync('**/*.{ts,tsx}', { cwd: folder })
  .filter((name) => !name.endsWith('.test.ts') && !name.includes('texts-'))
  .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);

/** Keys as written: `t('a.b')`, `t(x ? 'a.b' : 'c.d')`; parts that are filled in (`t(`a.${x}.b`)`) become `*`. */
function keysIn(source: string): readonly string[] {
  const calls = [...source.matchAll(/\bt\(((?:[^()`]|\([^()]*\)|`(?:[^`$]|\$\{[^}]*\})*`)*)\)/g)].map(
    ([, inside = '']) => inside,
  );
  return calls.flatMap((inside) =>
    [...inside.matchAll(/'([a-zA-Z]+(?:\.\w+)+)'|`([^`]+)`/g)].map(
      ([, plain, template = '']) => plain ?? template.replace(/\$\{[^}]*\}/g, '*'),
    ),
  );
}

const known = [...new Set([...inEnglish.keys()].map(withoutForm))];
const fits = (pattern: string, key: string) =>
  pattern === key ||
  (pattern.includes('*') && new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '\\w+')}$`).test(key));

test('every key that the code asks for exists', () => {
  const asked = sources.flatMap(([name, source]) => keysIn(source).map((key) => [name, key] as const));
  assert.ok(asked.length > 200, `only ${asked.length} keys were found in the sources`);
  const missing = asked.filter(([, key]) => !known.some((each) => fits(key, each)));
  assert.deepEqual(missing, []);
});

test('no text is left that nothing asks for', () => {
  const asked = sources.flatMap(([, source]) => keysIn(source));
  assert.deepEqual(
    known.filter((key) => !asked.some((pattern) => fits(pattern, key))),
    [],
  );
});
