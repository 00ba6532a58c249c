import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCarrierAddress } from './carrier-address.ts';
import { spanMs } from './link-span.ts';

const addresses: readonly (readonly [text: string, host: string | undefined, port?: number])[] = [
  ['smpp.example.com:2775', 'smpp.example.com', 2775],
  ['192.0.2.7:1', '192.0.2.7', 1],
  ['localhost:65535', 'localhost', 65_535],
  ['[2001:db8::1]:7890', '2001:db8::1', 7890],
  ['smpp_gw.example.com:2775', 'smpp_gw.example.com', 2775],
  ['2001:db8::1:7890', undefined],
  ['[smpp.example.com]:7890', undefined],
  ['smpp.example.com', undefined],
  ['smpp.example.com:', undefined],
  ['smpp.example.com:0', undefined],
  ['smpp.example.com:65536', undefined],
  [':2775', undefined],
  ['a b:2775', undefined],
  ['-a:2775', undefined],
  ['smpp://a:2775', undefined],
  ['user@a:2775', undefined],
];

for (const [text, host, port] of addresses) {
  test(`the address ${text} is ${host === undefined ? 'none' : `port ${port} of ${host}`}`, () => {
    assert.deepEqual(readCarrierAddress(text), host === undefined ? undefined : { host, port });
  });
}

test('no text makes the reading of addresses slow or fail', () => {
  fc.assert(fc.property(fc.string(), (text) => void readCarrierAddress(text)));
  const began = performance.now();
  readCarrierAddress(`${'a.'.repeat(100_000)}:1`);
  readCarrierAddress(`${'a'.repeat(200_000)}:1`);
  assert.ok(performance.now() - began < 1_000);
});

test('spans are milliseconds', () => {
  assert.deepEqual(['500ms', '10s', '5m'].map(spanMs), [500, 10_000, 300_000]);
  assert.throws(() => spanMs('10'), RangeError);
});
