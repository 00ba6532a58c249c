import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authenticatedAt, grantsOf, isAllowedDomain, parseSsoRule, type SsoRule } from './sso-rules.ts';

const rules = ['ops=operator', 'devs=o1/developer', 'cn=leads,dc=x=o1/admin', 'leads=o2/viewer']
  .map(parseSsoRule)
  .filter((rule): rule is SsoRule => rule !== undefined);

test('a rule names a value and what it gives; the value may hold an equals sign', () => {
  assert.equal(rules.length, 4);
  assert.deepEqual(rules[2], {
    value: 'cn=leads,dc=x',
    grant: { kind: 'member', organizationId: 'o1', role: 'admin' },
  });
  for (const text of ['', 'ops', 'ops=', '=operator', 'ops=boss', 'ops=o1/boss', 'ops=o1', 'ops=o 1/admin']) {
    assert.equal(parseSsoRule(text), undefined, text);
  }
});

for (const [name, claim, operator, roles] of [
  ['nothing without the claim', undefined, false, {}],
  ['nothing for a claim of another kind', { ops: true }, false, {}],
  ['nothing for values nobody named', ['x', 7, null], false, {}],
  ['a role for a single text', 'devs', false, { o1: 'developer' }],
  ['the highest role of several', ['devs', 'cn=leads,dc=x'], false, { o1: 'admin' }],
  ['the highest role in any order', ['cn=leads,dc=x', 'devs'], false, { o1: 'admin' }],
  ['roles in several organizations', ['devs', 'leads', 'ops'], true, { o1: 'developer', o2: 'viewer' }],
  ['nothing for a value in other letters', ['OPS'], false, {}],
] as const) {
  test(`a person gets ${name}`, () => {
    const grants = grantsOf(claim, rules);
    assert.deepEqual({ operator: grants.operator, roles: Object.fromEntries(grants.roles) }, { operator, roles });
  });
}

test('a domain is allowed exactly, and in any letters', () => {
  assert.equal(isAllowedDomain('a@Example.com', ['example.COM']), true);
  for (const email of [
    'a@sub.example.com',
    'a@example.com.evil.test',
    'a@notexample.com',
    'a@example.com@evil.test',
    'a',
  ]) {
    assert.equal(isAllowedDomain(email, ['example.com']), false, email);
  }
});

test('a sign-in at the provider is as old as it says, never of the future, and unknown where it does not say', () => {
  const now = Date.UTC(2026, 0, 1);
  for (const [claim, expected] of [
    [now / 1000 - 60, now - 60_000],
    [now / 1000 - 0.0005, now - 1],
    [now / 1000 + 60, now],
    [1e300, now],
    [0, 0],
    [-1, 0],
    [Number.NaN, 0],
    [undefined, 0],
    [String(now / 1000), 0],
    [null, 0],
  ] as const) {
    assert.equal(authenticatedAt(claim, now), expected, String(claim));
  }
});
