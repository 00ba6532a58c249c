import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { clientAddress } from './client-address.ts';
import { addressSet, parseRange } from './ip-address.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 1_000, seed: 20_260_102 };

const trusted = setOf('10.0.0.0/8', '127.0.0.1', '2001:db8:1::/48');

function setOf(...texts: string[]) {
  return addressSet(
    texts.map((text) => {
      const parsed = parseRange(text);
      assert.ok('range' in parsed);
      return parsed.range;
    }),
  );
}

function client(peer: string | undefined, ...forwardedFor: string[]): string | undefined {
  return clientAddress({ peer, forwardedFor }, trusted)?.text;
}

describe('the client address', () => {
  test('is the peer when that is no trusted proxy, whatever it claims', () => {
    assert.equal(client('192.0.2.1'), '192.0.2.1');
    assert.equal(client('192.0.2.1', '10.0.0.1'), '192.0.2.1');
    assert.equal(client('192.0.2.1', 'nonsense'), '192.0.2.1');
    assert.equal(clientAddress({ peer: '127.0.0.1', forwardedFor: ['192.0.2.9'] }, setOf())?.text, '127.0.0.1');
  });

  test('is the proxy itself when it forwards nothing', () => {
    assert.equal(client('10.0.0.1'), '10.0.0.1');
    assert.equal(client('::ffff:10.0.0.1'), '10.0.0.1');
  });

  test('is the first entry from the right outside the trusted proxies', () => {
    assert.equal(client('10.0.0.1', '192.0.2.1'), '192.0.2.1');
    assert.equal(client('10.0.0.1', '198.51.100.66, 192.0.2.1'), '192.0.2.1');
    assert.equal(client('10.0.0.1', '198.51.100.66, 192.0.2.1, 10.0.0.2,127.0.0.1'), '192.0.2.1');
    assert.equal(client('::ffff:10.0.0.1', '::ffff:192.0.2.1'), '192.0.2.1');
    assert.equal(client('2001:db8:1::1', '2001:db8:2::1%eth0, 2001:DB8:1::2'), '2001:db8:2::1');
  });

  test('is the leftmost entry when all are trusted proxies', () => {
    assert.equal(client('10.0.0.1', '10.0.0.4, 10.0.0.3', '10.0.0.2'), '10.0.0.4');
  });

  test('is found over several header lines, joined in order', () => {
    assert.equal(client('10.0.0.1', '198.51.100.66', '192.0.2.1', '10.0.0.2'), '192.0.2.1');
    assert.equal(client('10.0.0.1', '192.0.2.1, 10.0.0.3', '10.0.0.2'), '192.0.2.1');
  });

  test('may come with a port', () => {
    assert.equal(client('10.0.0.1', '192.0.2.1:4711'), '192.0.2.1');
    assert.equal(client('10.0.0.1', '[2001:db8::1]:4711'), '2001:db8::1');
    assert.equal(client('10.0.0.1', '[::ffff:192.0.2.1]:65535'), '192.0.2.1');
    assert.equal(client('10.0.0.1', '192.0.2.1, 10.0.0.2:80'), '192.0.2.1');
    assert.equal(client('10.0.0.1', ' \t192.0.2.1\t '), '192.0.2.1');
  });

  test('is undetermined when an entry that was reached does not parse; it is not skipped', () => {
    const bad = [
      '',
      ' ',
      'unknown',
      '_hidden',
      '192.0.2.1:',
      '192.0.2.1:65536',
      '192.0.2.1:x',
      '192.0.2',
      '"192.0.2.1"',
    ];
    bad.push('[2001:db8::1]', '[192.0.2.1]:80', '2001:db8::1]:80', 'for=192.0.2.1', '192.0.2.1 10.0.0.1', '１92.0.2.1');
    for (const entry of bad) {
      assert.equal(client('10.0.0.1', entry), undefined, entry);
      assert.equal(client('10.0.0.1', `192.0.2.1, ${entry}`), undefined, entry);
      assert.equal(client('10.0.0.1', `192.0.2.1, ${entry}, 10.0.0.2`), undefined, entry);
    }
    assert.equal(client('10.0.0.1', '192.0.2.1', ''), undefined);
  });

  test('does not depend on what stands left of it', () => {
    assert.equal(client('10.0.0.1', 'nonsense, 192.0.2.1'), '192.0.2.1');
    assert.equal(client('10.0.0.1', ',,,192.0.2.1, 10.0.0.2'), '192.0.2.1');
  });

  test('is undetermined when the socket is gone or no IP socket', () => {
    assert.equal(client(undefined, '192.0.2.1'), undefined);
    assert.equal(client('', '192.0.2.1'), undefined);
  });

  test('cannot be influenced by the client: only entries that trusted proxies wrote count', () => {
    const inside = fc.constantFrom('10.0.0.2', '10.255.0.1:80', '127.0.0.1', '[2001:db8:1::9]:1', '::ffff:10.1.1.1');
    const hop = fc.tuple(inside, fc.constantFrom(', ', ',', '\n'));
    fc.assert(
      fc.property(fc.string(), fc.array(hop, { maxLength: 6 }), (forged, hops) => {
        const chain = hops.reduce((text, [proxy, glue]) => text + glue + proxy, '192.0.2.1');
        const lines = `${forged.replaceAll('\n', ' ')},${chain}`.split('\n');
        assert.equal(client('10.0.0.1', ...lines), '192.0.2.1');
      }),
      runs,
    );
  });
});
