import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provedName } from './alpn-name.ts';

const cases: readonly [sni: string, name: string][] = [
  ['Shop.Example.com', 'shop.example.com'],
  ['7.2.0.192.in-addr.arpa', '192.0.2.7'],
  ['7.2.0.IN-ADDR.ARPA', '7.2.0.in-addr.arpa'],
  ['a.7.2.0.192.in-addr.arpa', 'a.7.2.0.192.in-addr.arpa'],
  ['1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.B.D.0.1.0.0.2.ip6.arpa', '2001:db8::1'],
  ['8.b.d.0.1.0.0.2.ip6.arpa', '8.b.d.0.1.0.0.2.ip6.arpa'],
  ['example.arpa', 'example.arpa'],
];

for (const [sni, name] of cases) {
  test(`a handshake that names ${sni} wants a proof for ${name}`, () => assert.equal(provedName(sni), name));
}
