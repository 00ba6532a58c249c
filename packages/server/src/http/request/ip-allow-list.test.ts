import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../runtime/problem.ts';
import { parseAddress } from './ip-address.ts';
import { compileAllowList, isNoWider, parseAllowList } from './ip-allow-list.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500, seed: 20_260_104 };

function allows(entries: readonly string[], address: string): boolean {
  const parsed = parseAddress(address);
  assert.ok(parsed !== undefined, address);
  return compileAllowList(entries).allows(parsed);
}

function problemOf(entries: readonly string[]): Problem {
  try {
    parseAllowList(entries);
  } catch (error) {
    if (error instanceof Problem) return error;
  }
  assert.fail('no problem was thrown');
}

test('entries are kept in order, in canonical text, each once', () => {
  const entries = [' 192.0.2.7/32', '10.0.0.0/8\n', '2001:DB8:0::/32', '::ffff:192.0.2.7', '::1/128', '0.0.0.0/0'];
  assert.deepEqual(parseAllowList(entries), ['192.0.2.7', '10.0.0.0/8', '2001:db8::/32', '::1', '0.0.0.0/0']);
  assert.deepEqual(parseAllowList([]), []);
});

test('an empty list admits nobody, nor does any list admit an address that could not be determined', () => {
  assert.equal(allows([], '127.0.0.1'), false);
  assert.equal(compileAllowList([]).allows(undefined), false);
  assert.equal(compileAllowList(['0.0.0.0/0', '::/0']).allows(undefined), false);
});

test('addresses and networks of either family are admitted, and their neighbours are not', () => {
  const list = ['192.0.2.7', '10.0.0.0/8', '198.51.100.128/25', '2001:db8:1::/48', '2001:db8:2::1'];
  const inside = ['192.0.2.7', '10.0.0.0', '10.255.255.255', '198.51.100.128', '198.51.100.255', '::ffff:10.1.2.3'];
  inside.push('2001:db8:1::', '2001:db8:1:ffff:ffff:ffff:ffff:ffff', '2001:db8:2::1', '2001:db8:2::1%eth0');
  for (const address of inside) assert.equal(allows(list, address), true, address);
  const outside = ['192.0.2.6', '192.0.2.8', '9.255.255.255', '11.0.0.0', '198.51.100.127', '198.51.101.128'];
  outside.push('2001:db8:0:ffff::', '2001:db8:2::', '2001:db8:2::2', '::10.0.0.1', '::', '0.0.0.0');
  for (const address of outside) assert.equal(allows(list, address), false, address);
});

test('every bad entry is named with its place and a remedy', () => {
  const problem = problemOf(['10.0.0.1/8', '192.0.2.1', 'example.com', '10.0.0.0/33', '', '2001:db8::1/64']);
  assert.equal(problem.code, 'invalid_parameter');
  assert.equal(problem.field, 'allow');
  assert.deepEqual(
    problem.faults.map(({ field }) => field),
    ['allow[0]', 'allow[2]', 'allow[3]', 'allow[4]', 'allow[5]'],
  );
  assert.match(problem.faults[0]?.message ?? '', /write 10\.0\.0\.0\/8 for the network or 10\.0\.0\.1 for the one/);
  assert.match(problem.faults[1]?.message ?? '', /"example\.com" is neither .* names are not accepted/);
  assert.match(problem.faults[2]?.message ?? '', /0 to 32/);
  assert.match(problem.faults[4]?.message ?? '', /write 2001:db8::\/64 for the network/);
  assert.equal(problem.message, 'The allow-list was not accepted.', 'each fault is told once');
});

test('a list is bounded', () => {
  const entries = Array.from({ length: 1_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
  assert.equal(parseAllowList(entries).length, 1_000);
  assert.match(problemOf([...entries, '10.1.0.0']).faults[0]?.message ?? '', /at most 1000 entries, not 1001/);
});

test('canonical entries are their own canonical text', () => {
  const entry = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.tuple(fc.nat({ max: 255 }), fc.nat({ max: 8 })).map(([octet]) => `${octet}.0.0.0/8`),
    fc.nat({ max: 0xffff }).map((word) => `${word.toString(16)}::/16`),
  );
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const canonical = parseAllowList(entries);
      assert.deepEqual(parseAllowList(canonical), canonical);
    }),
    runs,
  );
});

const widths: readonly [allow: readonly string[], other: readonly string[], noWider: boolean][] = [
  [[], [], true],
  [[], ['192.0.2.1'], true],
  [['192.0.2.1'], [], false],
  [['192.0.2.1'], ['192.0.2.1'], true],
  [['192.0.2.1'], ['192.0.2.2'], false],
  [['192.0.2.0/25'], ['192.0.2.0/24'], true],
  [['192.0.2.0/24'], ['192.0.2.0/25'], false],
  [['192.0.2.0/24'], ['192.0.2.0/25', '192.0.2.128/25'], true],
  [['192.0.2.0/24'], ['192.0.2.0/25', '192.0.2.129'], false],
  [['192.0.2.0/25', '203.0.113.7'], ['192.0.2.0/24', '198.51.100.1'], false],
  [['0.0.0.0/0'], ['0.0.0.0/0'], true],
  [['0.0.0.0/0'], ['0.0.0.0/1', '128.0.0.0/1'], true],
  [['0.0.0.0/0'], ['::/0'], false],
  [['::/0'], ['0.0.0.0/0'], false],
  [['::ffff:192.0.2.1'], ['192.0.2.0/24'], true],
  [['2001:db8:1::/48', '192.0.2.1'], ['192.0.2.1', '2001:db8::/32'], true],
  [['2001:db8::/32'], ['2001:db8::/33'], false],
  [['ffff::/16'], ['8000::/1'], true],
  [['255.255.255.255'], ['255.0.0.0/8'], true],
];

for (const [allow, other, noWider] of widths) {
  test(`[${allow.join(' ')}] is ${noWider ? 'no wider than' : 'wider than'} [${other.join(' ')}]`, () => {
    assert.equal(isNoWider(allow, other), noWider);
  });
}
