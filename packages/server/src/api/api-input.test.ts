import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../runtime/problem.ts';
import { formatPageCursor, pageAt, parsePageCursor } from './page-cursor.ts';
import { sessionCookie } from './session-cookie.ts';
import { requireTag, settingsTag } from './settings-tag.ts';
import { canonicalJson, isInUtf8, isPlain, repeatedName } from './strict-json.ts';
import { typedQuery } from './typed-query.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 500, seed: 20_260_402 };
const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

test('a query becomes what its schema says, and stays a text where it cannot', () => {
  const properties = {
    limit: { type: 'integer' },
    on: { type: 'boolean' },
    state: { type: 'array', items: { type: 'string' } },
    name: { type: 'string' },
  };
  const read = (query: string) => typedQuery(`/x?${query}`, properties);
  assert.deepEqual(read('limit=7&on=true&state=a&state=b&name=12'), {
    limit: 7,
    on: true,
    state: ['a', 'b'],
    name: '12',
  });
  assert.deepEqual(read('limit=1e3&on=1&state=a'), { limit: '1e3', on: '1', state: ['a'] });
  assert.deepEqual(read('limit=&on='), { limit: '', on: '' });
  assert.deepEqual(Object.keys(read('__proto__=x')), ['__proto__']);
  assert.throws(() => read('name=a&name=b'), refused('invalid_parameter'));
  assert.throws(() => read('name=%ff'), refused('invalid_request'));
});

test('a cursor leads back to its position in its own list, whatever the position holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (position) => {
      const text = position.replaceAll('\0', '');
      const cursor = formatPageCursor('listThings', text);
      assert.equal(parsePageCursor('listThings', cursor), text);
      assert.throws(() => parsePageCursor('listOthers', cursor), refused('invalid_parameter'));
    }),
    runs,
  );
});

test('a page shows its limit, and another follows when there was one item more', () => {
  const page = pageAt('l', 2, undefined);
  assert.deepEqual([page.take, page.after], [3, undefined]);
  assert.deepEqual(page.of([], String), { items: [], next_cursor: null });
  assert.deepEqual(page.of([1, 2], String), { items: [1, 2], next_cursor: null });
  const { items, next_cursor } = page.of([1, 2, 3], (item) => [item, 'b']);
  assert.deepEqual(items, [1, 2]);
  const next = pageAt('l', 2, next_cursor ?? '');
  assert.deepEqual(next.afterParts(2), ['2', 'b']);
  assert.throws(() => next.afterParts(3), refused('invalid_parameter'));
  assert.throws(() => next.afterNumbers(2), refused('invalid_parameter'));
});

test('the tag of settings is that of its fields alone, and If-Match names it or not', () => {
  const tag = settingsTag({ a: 1, b: 'x', seen: 5 }, ['a', 'b']);
  assert.equal(settingsTag({ b: 'x', a: 1, seen: 6 }, ['a', 'b']), tag);
  assert.notEqual(settingsTag({ a: 2, b: 'x' }, ['a', 'b']), tag);
  for (const header of [tag, `"other", ${tag}`, '*', ` ${tag} `]) requireTag(header, tag);
  for (const header of [`W/${tag}`, '"other"', 'nonsense', tag.slice(1, -1)]) {
    assert.throws(() => requireTag(header, tag), refused('precondition_failed'));
  }
  for (const header of [undefined, '', ' ']) {
    assert.throws(() => requireTag(header, tag), refused('precondition_required'));
  }
});

test('the session cookie is bound to the host over HTTPS', () => {
  const secure = sessionCookie('https://waxwing.example');
  assert.equal(secure.give('v', 60.9), '__Host-waxwing=v; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60');
  assert.equal(secure.take(), '__Host-waxwing=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0');
  const plain = sessionCookie('http://localhost:8080');
  assert.equal(plain.give('v'), 'waxwing=v; Path=/; HttpOnly; SameSite=Lax');
  const read = (...lines: string[]) => plain.read(lines.flatMap((line) => ['Cookie', line]));
  assert.equal(read('a=1; waxwing=v;b=2'), 'v');
  assert.equal(read('a=1', 'waxwing=v'), 'v');
  assert.equal(read('waxwing=v; waxwing=w'), undefined);
  assert.equal(read('waxwing=', 'xwaxwing=v', '__Host-waxwing=v'), undefined);
});

test('two texts of the same JSON are one', () => {
  assert.equal(canonicalJson({ b: [{ y: 1, x: 2 }], a: null }), '{"a":null,"b":[{"x":2,"y":1}]}');
  assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]));
});

test('a body is in UTF-8 unless its type says otherwise', () => {
  const types = [
    '',
    ' ; charset=utf-8',
    ';charset=UTF-8',
    '; Charset="utf-8"',
    '; charset=utf8',
    '; a="; charset=GBK"',
  ];
  for (const each of types) assert.ok(isInUtf8(`application/json${each}`), each);
  const others = ['GBK', ' GBK', '"gbk"', 'utf-16', 'UTF-8; charset=GBK', 'utf-8x', '', '""'];
  for (const each of others) {
    assert.equal(isInUtf8(`application/json; charset=${each}`), false, each);
    assert.equal(isInUtf8(`application/json; a="\\"b";CHARSET=${each}; q=1`), false, each);
  }
});

test('a body is plain when no coding is named, or the one that changes nothing', () => {
  for (const each of ['', 'identity', 'Identity']) assert.ok(isPlain(each), each);
  for (const each of ['gzip', 'br', 'identity, gzip', 'gzip, identity', 'aes128gcm', ',']) {
    assert.equal(isPlain(each), false, each);
  }
});

test('a name that comes twice in an object is found, however it is written and whatever stands between', () => {
  const texts: readonly (readonly [string, string | undefined])[] = [
    ['{"a":1,"a":1}', 'a'],
    ['{"a" \n: 1, "b":[{"a":1},"a"], "\\u0061":2}', 'a'],
    ['{"\\"":1,"b":"\\\\","\\u0022":2}', '"'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a":"a","b":"\\",\\"a\\":1","c":{"a":1,"a":2},"A":1}', undefined],
    ['[{"a":1},{"a":1}]', undefined],
    ['"a"', undefined],
  ];
  for (const [text, name] of texts) assert.equal(repeatedName(text), name, text);
  const plain = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { minKeys: 1 });
  fc.assert(
    fc.property(plain, fc.nat(), (object, at) => {
      const text = JSON.stringify(object, null, at % 3);
      assert.equal(repeatedName(text), undefined);
      const names = Object.keys(object);
      const name = names[at % names.length];
      assert.equal(repeatedName(`${text.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(object)}}`), name);
    }),
    runs,
  );
});
