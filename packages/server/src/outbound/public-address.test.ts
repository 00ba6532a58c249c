import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { type IpAddress, networkSet, parseAddress } from '../http/request/ip-address.ts';
import { type AddressScope, isPublicAddress, scopeOf } from './public-address.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 2_000, seed: 20_260_202 };

const examples: Readonly<Record<AddressScope, readonly string[]>> = {
  public: [
    ...['1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    ...['128.0.0.0', '168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255'],
    ...['172.32.0.0', '192.0.1.0', '192.0.3.0', '192.88.98.255', '192.167.255.255', '192.169.0.0', '198.17.255.255'],
    ...['198.20.0.0', '198.51.99.255', '203.0.114.0', '223.255.255.255', '::ffff:8.8.8.8'],
    ...['2000::1', '2001:200::1', '2001:4860:4860::8888', '2606:4700::1111', '2a00:1450::1', '3ffd::1', '3fff:1000::'],
    // Behind a network's gateway to IPv4, and ISATAP, as public as the address inside.
    ...['64:ff9b::8.8.8.8', '2a00:1450::5efe:8.8.8.8', '2a00:1450::200:5efe:8.8.8.8'],
  ],
  unspecified: ['0.0.0.0', '::', '::ffff:0.0.0.0', '64:ff9b::0.0.0.0'],
  loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1', '64:ff9b::127.0.0.1'],
  private: [
    ...['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    ...['fc00::', 'fdff:ffff::1', 'fd00:ec2::254', 'fec0::1', '::ffff:10.0.0.1', '64:ff9b::a00:1'],
    ...['2a00:1450::5efe:10.0.0.1', '2a00:1450::200:5efe:192.168.0.1'],
  ],
  'link-local': ['169.254.0.0', '169.254.169.254', 'fe80::1', 'febf:ffff::1', '::ffff:169.254.169.254'],
  shared: ['100.64.0.0', '100.100.100.200', '100.127.255.255', '::ffff:100.64.0.1', '64:ff9b::6440:1'],
  multicast: ['224.0.0.0', '239.255.255.255', 'ff00::', 'ff02::1', '::ffff:224.0.0.1'],
  broadcast: ['255.255.255.255', '::ffff:255.255.255.255'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '3fff:fff::'],
  benchmarking: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  reserved: [
    ...['0.0.0.1', '0.255.255.255', '192.0.0.0', '192.0.0.192', '240.0.0.0', '255.255.255.254'],
    // IPv4-compatible, local NAT64, discard, protocols, segment routing, the 6bone, and what nobody has been given.
    ...['::8.8.8.8', '::127.0.0.1', '::2', '64:ff9b:1::8.8.8.8', '64:ff9b:1::10.0.0.1', '64:ff9b:0:1::', '100::1'],
    ...['2001:1::1', '2001:20::1', '2001:1ff:ffff::', '3ffe::1', '4000::1', '5f00::1', 'fbff::1', '::ffff:0:7f00:1'],
  ],
  tunnel: ['192.88.99.1', '2002:7f00:1::', '2002:808:808::1', '2001:0:4136:e378:8000:63bf:80ff:fffe', '2001::1'],
  platform: ['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::a83f:8110'],
};

test('every address has its scope, at the edges of each range', () => {
  for (const [scope, addresses] of Object.entries(examples)) {
    for (const text of addresses) assert.equal(scopeOf(address(text)), scope, text);
  }
});

test('only public unicast is public', () => {
  for (const [scope, addresses] of Object.entries(examples)) {
    for (const text of addresses) assert.equal(isPublicAddress(address(text)), scope === 'public', text);
  }
});

test('a named network admits its own addresses and no others', () => {
  const allowed = networkSet(['10.1.0.0/16', '127.0.0.2', 'fd00::/8', '64:ff9b:1::/48']);
  for (const text of ['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.2', 'fd12::1', '64:ff9b:1::10.0.0.1']) {
    assert.ok(isPublicAddress(address(text), allowed), text);
  }
  for (const text of ['10.2.0.1', '127.0.0.1', '127.0.0.3', '64:ff9b::10.1.2.3', '2002:a01:203::', '::10.1.2.3']) {
    assert.ok(!isPublicAddress(address(text), allowed), text);
  }
});

test('no named network admits what has no single machine at its other end', () => {
  const everything = networkSet(['0.0.0.0/1', '128.0.0.0/1', '::/1', '8000::/1']);
  for (const text of ['0.0.0.0', '::', '224.0.0.1', 'ff02::1', '255.255.255.255']) {
    assert.ok(!isPublicAddress(address(text), everything), text);
  }
});

test('what ipaddr.js does not call unicast is never public', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const parsed = address(text);
      const known = ipaddr.parse(parsed.text);
      const range = known.range();
      // It counts NAT64 by its prefix alone, where the address inside decides here.
      if (range === 'unicast' || range === 'rfc6052') return;
      // AMT and AS112 are special, but reachable from everywhere (the registry says so).
      if (range === 'amt' || range === 'as112' || range === 'as112v6') return;
      assert.ok(!isPublicAddress(parsed), `${text} is ${range}`);
    }),
    runs,
  );
});

test('an IPv4 address is as public as its IPv4-mapped and NAT64 forms', () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      const scope = scopeOf(address(text));
      assert.equal(scopeOf(address(`::ffff:${text}`)), scope);
      assert.equal(scopeOf(address(`64:ff9b::${text}`)), scope);
      for (const hiding of [`::${text}`, `64:ff9b:1::${text}`]) assert.ok(!isPublicAddress(address(hiding)), hiding);
    }),
    runs,
  );
});

function address(text: string): IpAddress {
  const parsed = parseAddress(text);
  assert.ok(parsed !== undefined, text);
  return parsed;
}
