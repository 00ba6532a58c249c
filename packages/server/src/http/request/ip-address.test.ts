import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { type AddressRange, addressSet, countedAddress, parseAddress, parseRange } from './ip-address.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 1_000, seed: 20_260_101 };

test('the forms of one address are one address', () => {
  const forms = [
    ['192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201', '0:0:0:0:0:ffff:192.0.2.1', '::ffff:192.0.2.1%1'],
    ['2001:db8::1', '2001:DB8:0:0:0:0:0:1', '2001:0db8::0.0.0.1', '2001:db8::1%eth0'],
    ['::', '0:0:0:0:0:0:0:0', '::0'],
    ['::1', '0::1'],
    ['1:0:0:2::3', '1:0:0:2:0:0:0:3'],
    ['1::2:0:0:3:4', '1:0:0:2:0:0:3:4'],
    ['1:2:3:4:5:6:7:0', '1:2:3:4:5:6:7::'],
    ['::c000:201', '::192.0.2.1'],
    ['fe80::1', 'fe80::1%25', 'fe80::1%a-b.c'],
  ];
  for (const [canonical = '', ...others] of forms) {
    const expected = parseAddress(canonical);
    assert.equal(expected?.text, canonical);
    for (const other of others) assert.deepEqual(parseAddress(other), expected, other);
  }
});

test('what is no address is refused, however close', () => {
  const texts = [
    '',
    ' ',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '1.2.3.04',
    '1.2.3.256',
    '1.2.3.',
    '.1.2.3',
    '1..2.3',
    '1.2.3.4 ',
  ];
  texts.push('0x1.2.3.4', '16909060', '1.2.3.4%eth0', '1.2.3.4:80', '١.2.3.4', '-1.2.3.4', '+1.2.3.4', '1.2.3.4/32');
  texts.push(
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::',
    '[::1]',
  );
  texts.push(
    '::1%',
    '::1/128',
    '::ffff:1.2.3',
    '::ffff:01.2.3.4',
    '::ffff:1.2.3.4.5',
    '::1.2.3.4:5',
    ' ::1',
    'localhost',
  );
  for (const text of texts) assert.equal(parseAddress(text), undefined, JSON.stringify(text));
});

test('ranges have one canonical text', () => {
  const ranges = {
    '10.0.0.0/8': '10.0.0.0/8',
    '0.0.0.0/0': '0.0.0.0/0',
    '192.0.2.7/32': '192.0.2.7',
    '192.0.2.7': '192.0.2.7',
    '2001:DB8:0::/32': '2001:db8::/32',
    '2001:db8::1/128': '2001:db8::1',
    '::/0': '::/0',
    '::ffff:10.0.0.0/104': '10.0.0.0/8',
    '::ffff:0:0/96': '0.0.0.0/0',
    '::ffff:10.1.2.3': '10.1.2.3',
    'fe80::1%eth0': 'fe80::1',
  };
  for (const [text, canonical] of Object.entries(ranges)) {
    const parsed = parseRange(text);
    assert.equal('range' in parsed && parsed.range.text, canonical, text);
  }
});

test('what is no range is refused for the right reason', () => {
  const fault = (text: string) => {
    const parsed = parseRange(text);
    return 'fault' in parsed ? parsed.fault : undefined;
  };
  for (const text of ['', '/', '/8', 'example.com', '10.0.0/8', '10.*', 'fe80::1%eth0/64', '10.0.0.1:80/8']) {
    assert.equal(fault(text), 'not-an-address', text);
  }
  for (const text of [
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/8 ',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/8/8',
  ]) {
    assert.equal(fault(text), 'bad-prefix', text);
  }
  assert.equal(fault('::/129'), 'bad-prefix');
  assert.equal(fault('::ffff:0:0/95'), 'bad-prefix');
  assert.deepEqual(parseRange('10.0.0.1/8'), { fault: 'host-bits', network: '10.0.0.0/8', address: '10.0.0.1' });
  assert.deepEqual(parseRange('2001:db8::1/64'), {
    fault: 'host-bits',
    network: '2001:db8::/64',
    address: '2001:db8::1',
  });
  assert.deepEqual(parseRange('1.2.3.4/0'), { fault: 'host-bits', network: '0.0.0.0/0', address: '1.2.3.4' });
});

test('the families stay apart', () => {
  const has = (range: string, address: string) => setOf([range]).has(address4or6(address));
  assert.equal(has('::/0', '1.2.3.4'), false);
  assert.equal(has('0.0.0.0/0', '::1'), false);
  assert.equal(has('0.0.0.0/0', '::ffff:1.2.3.4'), true);
  assert.equal(has('::1.2.3.4', '1.2.3.4'), false);
});

test('an empty set holds nothing', () => {
  assert.equal(setOf([]).isEmpty, true);
  assert.equal(setOf([]).has(address4or6('127.0.0.1')), false);
  assert.equal(setOf(['::/0']).isEmpty, false);
});

test('addresses read as WHATWG URL and ipaddr.js read them', () => {
  fc.assert(
    fc.property(ipv6Text(), (text) => {
      const parsed = address4or6(text);
      const expected = oracle(text);
      assert.equal(parsed.family, expected.kind() === 'ipv4' ? 4 : 6);
      assert.equal(BigInt(parsed.value).toString(16), BigInt(`0x${hexOf(expected)}`).toString(16));
      if (parsed.family === 6) assert.equal(`[${parsed.text}]`, new URL(`http://[${text}]`).hostname);
      assert.deepEqual(parseAddress(parsed.text), parsed);
    }),
    runs,
  );
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      assert.equal(address4or6(text).value, Number(`0x${hexOf(ipaddr.parse(text))}`));
    }),
    runs,
  );
});

test('any text is either refused or an address whose canonical text reads the same', () => {
  const alphabet = fc.constantFrom(...'0123456789abcdef:.%/[] gx'.split(''));
  fc.assert(
    fc.property(fc.string({ unit: alphabet, maxLength: 24 }), (text) => {
      const parsed = parseAddress(text);
      if (parsed === undefined) assert.equal(ipaddr.IPv4.isValidFourPartDecimal(text), false);
      else assert.deepEqual(parseAddress(parsed.text), parsed);
    }),
    runs,
  );
});

test('membership is what comparing the leading bits says', () => {
  const member = fc.oneof(fc.ipV4(), ipv6Text());
  const range = fc.tuple(member, fc.nat({ max: 128 })).map(([text, prefix]) => networkText(text, prefix));
  // Neighbours of a network differ from it in one bit, which random addresses hardly ever do.
  const near = (network: string, bit: number) => flipBit(network, bit);
  fc.assert(
    fc.property(fc.array(range, { maxLength: 5 }), member, fc.nat({ max: 127 }), (networks, stranger, bit) => {
      const set = setOf(networks);
      for (const text of [stranger, ...networks.map((network) => near(network, bit))]) {
        const expected = networks.some((network) => naivelyIn(text, network));
        assert.equal(set.has(address4or6(text)), expected, `${text} in ${networks.join(' ')}`);
      }
    }),
    runs,
  );
});

/** IPv6 in all its spellings: upper case, leading zeros, `::`, a dotted tail, IPv4-mapped. */
function ipv6Text(): fc.Arbitrary<string> {
  const words = fc.array(fc.oneof(fc.constant(0), fc.nat({ max: 0xffff })), { minLength: 6, maxLength: 6 });
  const mapped = fc.ipV4().map((text) => `::ffff:${text}`);
  const dotted = fc
    .tuple(words, fc.ipV4())
    .map(([groups, tail]) => `${groups.map((word) => word.toString(16)).join(':')}:${tail}`);
  return fc.oneof(
    fc.ipV6(),
    fc.ipV6().map((text) => text.toUpperCase()),
    dotted,
    mapped,
  );
}

function address4or6(text: string) {
  const parsed = parseAddress(text);
  assert.ok(parsed !== undefined, text);
  return parsed;
}

function setOf(texts: readonly string[]) {
  return addressSet(texts.map(rangeOf));
}

function rangeOf(text: string): AddressRange {
  const parsed = parseRange(text);
  assert.ok('range' in parsed, text);
  return parsed.range;
}

/**
 * The oracle's side. WHATWG URL rewrites IPv6 to hexadecimal groups first: ipaddr.js takes any address with a dotted
 * tail, such as `::192.0.2.1`, for an IPv4-mapped one.
 */
function oracle(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.process(text.includes(':') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text);
}

/** An address as a string of bits. */
function bitsOf(text: string): string {
  const bytes = oracle(text).toByteArray();
  return bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
}

function hexOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  return Buffer.from(address.toByteArray()).toString('hex');
}

function textOf(bits: string): string {
  const bytes = bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [];
  return ipaddr.fromByteArray(bytes).toString();
}

function networkText(text: string, wanted: number): string {
  const bits = bitsOf(text);
  const prefix = Math.min(wanted, bits.length);
  const network = textOf(bits.slice(0, prefix).padEnd(bits.length, '0'));
  // Zeroing bits can make an address IPv4-mapped, whose prefix then counts differently.
  return oracle(network).kind() === ipaddr.parse(network).kind() ? `${network}/${prefix}` : network;
}

function flipBit(network: string, bit: number): string {
  const bits = bitsOf(network.split('/')[0] ?? '');
  const at = bit % bits.length;
  return textOf(bits.slice(0, at) + (bits[at] === '0' ? '1' : '0') + bits.slice(at + 1));
}

function naivelyIn(text: string, network: string): boolean {
  const [base = '', prefix] = network.split('/');
  const [bits, networkBits] = [bitsOf(text), bitsOf(base)];
  if (bits.length !== networkBits.length) return false;
  const length = Number(prefix ?? bits.length);
  return bits.slice(0, length) === networkBits.slice(0, length);
}

test('of IPv6 a whole /64 counts as one address', () => {
  const counted = (text: string) => countedAddress(parseAddress(text));
  assert.equal(counted('2001:db8:1:2::1'), counted('2001:db8:1:2:ffff::9'));
  assert.notEqual(counted('2001:db8:1:2::1'), counted('2001:db8:1:3::1'));
  assert.equal(counted('203.0.113.7'), '203.0.113.7');
  assert.equal(countedAddress(undefined), 'unknown');
});
