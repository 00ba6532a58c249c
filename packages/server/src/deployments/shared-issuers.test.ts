import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedIssuers, type SharedChain } from './shared-issuers.ts';

const pem = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;
const text = ({ leaf, issuers }: SharedChain) => leaf + issuers.text;

test('chains of the same issuers hold their bytes once, and each is whole', () => {
  const share = createSharedIssuers();
  const issuers = pem('intermediate') + pem('root');
  const [one, other, third] = [pem('one') + issuers, pem('two') + issuers, pem('three') + pem('intermediate')];
  const [first, second, last] = [share(one), share(other), share(third)];
  assert.deepEqual([first, second, last].map(text), [one, other, third]);
  assert.equal(first.leaf, pem('one'));
  assert.equal(first.issuers, second.issuers);
  assert.notEqual(first.issuers, last.issuers);
  assert.equal(`${JSON.stringify(first.leaf).slice(0, -1)}${first.issuers.json.toString()}`, JSON.stringify(one));
});

test('a leaf alone, and a chain that ends otherwise, stay as they are', () => {
  const share = createSharedIssuers();
  for (const chain of [pem('alone'), pem('alone').trimEnd(), `${pem('one')}${pem('two').trimEnd()}`, '']) {
    assert.equal(text(share(chain)), chain);
  }
});

test('no more bytes of issuers are kept for others than may be', () => {
  const issuer = pem('i'.repeat(100));
  const share = createSharedIssuers(1_000, 4.2 * issuer.length);
  const chain = (name: string) => pem('leaf') + pem(name.repeat(100));
  const first = share(chain('a'));
  for (const name of ['b', 'c']) share(chain(name));
  assert.notEqual(share(chain('a')).issuers, first.issuers);
  const large = pem('leaf') + issuer + issuer + issuer;
  assert.equal(text(share(large)), large);
  assert.notEqual(share(large).issuers, share(large).issuers, 'what is larger than all is not shared');
});

test('issuers that others have made room for are held by their chains alone', () => {
  const share = createSharedIssuers(2);
  const chain = (issuer: string) => pem('leaf') + pem(issuer);
  const first = share(chain('a'));
  for (const issuer of ['b', 'c', 'd']) share(chain(issuer));
  assert.notEqual(share(chain('a')).issuers, first.issuers);
  assert.equal(text(first), chain('a'));
});
