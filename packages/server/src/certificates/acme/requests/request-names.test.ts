import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../../runtime/problem.ts';
import { checkRequestedNames } from './request-names.ts';

const rules = { field: 'domains', addresses: false };
const refusal = (given: readonly string[], more = {}): string => {
  try {
    return JSON.stringify(checkRequestedNames(given, { ...rules, ...more }));
  } catch (error) {
    assert.ok(error instanceof Problem && error.field === 'domains', String(error));
    return error.message;
  }
};

test('names are normalised, and doubles merged', () => {
  const given = ['WWW.Example.COM.', 'www.example.com', ' *.example.com', 'bücher.example', 'xn--bcher-kva.example'];
  assert.deepEqual(checkRequestedNames(given, rules), ['www.example.com', '*.example.com', 'xn--bcher-kva.example']);
});

test('addresses need the profile for them', () => {
  assert.match(refusal(['192.0.2.1']), /--profile ip/);
  const given = ['192.0.2.1', '2001:DB8:0::1'];
  assert.deepEqual(checkRequestedNames(given, { ...rules, addresses: true }), ['192.0.2.1', '2001:db8::1']);
});

for (const [text, words] of [
  ['localhost', /one label/],
  ['*.com', /one label/],
  ['a_b.example.com', /underscore/],
  ['_acme-challenge.example.com', /underscore/],
  ['xn--zzzzzzzzzzz-.example', /not a domain name/],
  ['xn--a.example', /not a domain name/],
  ['ab--cd.example', /not a domain name/],
  ['example.com:443', /leave out scheme, port and path/],
  ['https://example.com', /leave out scheme/],
  ['example.com/path', /leave out/],
  ['a.*.example.com', /wildcard/],
  ['*.*.example.com', /wildcard/],
  ['-a.example.com', /not a domain name/],
  ['a..example.com', /not a domain name/],
  ['', /./],
  [`${'a'.repeat(64)}.example.com`, /not a domain name/],
  [`${'a.'.repeat(126)}example`, /not a domain name/],
  ['1.2.3', /ends like an address/],
  ['0x7f.1', /./],
] as const) {
  test(`${text.slice(0, 40)} is refused`, () => assert.match(refusal([text]), words));
}

test('a name that leaves no room for the record of its proof is refused for DNS alone', () => {
  const most = `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(38)}.example`;
  const longest = `_acme-challenge.${most}`;
  assert.equal(longest.length, 254);
  assert.match(refusal([most], { byDns: true }), /too long for a proof by DNS.*253 characters.*http-01/);
  assert.deepEqual(checkRequestedNames([most], rules), [most]);
  const fits = most.slice(1);
  assert.deepEqual(checkRequestedNames([fits, `*.${fits}`], { ...rules, byDns: true }), [fits, `*.${fits}`]);
});

test('a certificate has at most 100 names', () => {
  const names = Array.from({ length: 101 }, (_, index) => `n${index}.example.com`);
  assert.match(refusal(names), /at most 100/);
  assert.equal(checkRequestedNames([...names.slice(1), 'N1.example.com'], rules).length, 100);
});
