import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { domainNames } from './dns-values.testing.ts';
import { checkName, formatName, isSameName, isWithin, parseName } from './domain-name.ts';

const runs = { seed: 1035, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500 };

test('every name survives being written and read', () => {
  fc.assert(
    fc.property(domainNames, (name) => {
      assert.deepEqual(parseName(formatName(name)), name);
      assert.deepEqual(parseName(`${formatName(name)}.`.replace(/^\.\.$/, '.')), name);
    }),
    runs,
  );
});

test('escapes are characters of a label', () => {
  assert.deepEqual(parseName('a\\.b.example'), ['a.b', 'example']);
  assert.deepEqual(parseName('a\\\\.\\000\\255.example.'), ['a\\', '\0\xff', 'example']);
  assert.equal(formatName(['a b', 'c;d']), 'a\\032b.c\\;d');
});

test('impossible names are refused', () => {
  for (const text of [
    '',
    '..',
    'a..b',
    '.a',
    'a\\',
    'a\\25',
    '\\256',
    'ä.example',
    'x'.repeat(64),
    `${'x.'.repeat(127)}xx`,
  ]) {
    assert.throws(() => parseName(text), { code: 'name' }, text);
  }
  assert.equal(parseName(`${'x.'.repeat(126)}x`).length, 127);
  assert.throws(() => checkName(['']), { code: 'name' });
});

test('the case of ASCII letters alone does not matter', () => {
  assert.ok(isSameName(parseName('WWW.Example'), parseName('www.eXAMPLE')));
  assert.ok(!isSameName(['\xc4'], ['\xe4']));
  assert.ok(!isSameName(['a.b'], ['a', 'b']));
});

test('a name is within its own zone and those above', () => {
  const name = parseName('_acme-challenge.www.Example.com');
  for (const zone of ['.', 'com', 'example.COM', 'www.example.com', '_acme-challenge.www.example.com']) {
    assert.ok(isWithin(name, parseName(zone)), zone);
  }
  for (const zone of ['ample.com', 'x._acme-challenge.www.example.com', 'example.net']) {
    assert.ok(!isWithin(name, parseName(zone)), zone);
  }
});
