import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRequestedName } from './requested-names.ts';

for (const [given, name] of [
  ['WWW.Example.COM.', 'www.example.com'],
  ['*.example.com', '*.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
] as const) {
  test(`${given} is the name ${name}`, () => assert.deepEqual(readRequestedName(given), { kind: 'name', name }));
}

for (const [given, address] of [
  ['192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
] as const) {
  test(`${given} is the address ${address}`, () =>
    assert.deepEqual(readRequestedName(given), { kind: 'address', address }));
}

for (const [given, fault, part] of [
  ['localhost', 'one_label', 'localhost'],
  ['*.com', 'one_label', 'com'],
  ['a_b.example.com', 'underscore', 'a_b.example.com'],
  ['https://example.com', 'not_bare', 'https://example.com'],
  ['example.com:443', 'not_bare', 'example.com:443'],
  ['a.*.example.com', 'wildcard_inside', 'a.*.example.com'],
  ['-a.example.com', 'not_a_name', '-a'],
  ['ab--cd.example', 'not_a_name', 'ab--cd'],
  ['a..example.com', 'not_a_name', ''],
  ['*', 'wildcard_inside', '*'],
  ['1.2.3', 'like_an_address', '1.2.3'],
  ['192.0.2.01', 'like_an_address', '192.0.2.01'],
  ['fe80::1%eth0', 'not_bare', 'fe80::1%eth0'],
] as const) {
  test(`${given} is refused as ${fault}`, () =>
    assert.deepEqual(readRequestedName(given), { kind: 'fault', fault, part }));
}

test('an A-label is asked about where that can be told', () => {
  assert.equal(readRequestedName('xn--a.example').kind, 'name');
  assert.equal(readRequestedName('xn--a.example', () => false).kind, 'fault');
});
