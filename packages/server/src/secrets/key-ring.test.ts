import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { KeyMaterial, keyCheck } from './key-material.ts';
import {
  formatKeyRing,
  type KeyRing,
  keyById,
  newMasterKey,
  parseKeyRing,
  withCurrentKey,
  withKeysOnly,
} from './key-ring.ts';

const keyHex = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const entry = { id: '0011223344556677', created_at: '2026-01-02T03:04:05.678Z', key: keyHex };
const file = { format: 'waxwing-master-keys', version: 1, current: entry.id, keys: [entry] };

function ringOf(count: number): KeyRing {
  const first = newMasterKey(0, randomBytes);
  let ring: KeyRing = { current: first, keys: [first] };
  for (let i = 1; i < count; i++) ring = withCurrentKey(ring, newMasterKey(i, randomBytes));
  return ring;
}

function ringFrom(text: string): KeyRing {
  const parsed = parseKeyRing(text);
  assert.ok('ring' in parsed, 'fault' in parsed ? parsed.fault : '');
  return parsed.ring;
}

test('a key file of version 1 stays readable', () => {
  const ring = ringFrom(JSON.stringify({ about: 'any text', ...file }));
  assert.equal(ring.current.id, entry.id);
  assert.equal(ring.current.createdAt, Date.UTC(2026, 0, 2, 3, 4, 5, 678));
  assert.equal(ring.current.key.reveal().toString('hex'), keyHex);
});

test('a ring written and read again is the same ring, and its file says what it is', () => {
  const ring = ringOf(3);
  const text = formatKeyRing(ring);
  assert.equal(formatKeyRing(ringFrom(text)), text);
  assert.equal(ringFrom(text).current.id, ring.current.id);
  assert.match(text, /Master keys of Waxwing/);
});

test('a new master key has a random id and 32 random bytes', () => {
  const one = newMasterKey(7, randomBytes);
  const other = newMasterKey(7, randomBytes);
  assert.match(one.id, /^[0-9a-f]{16}$/);
  assert.equal(one.createdAt, 7);
  assert.notEqual(one.id, other.id);
  assert.notDeepEqual(one.key.reveal(), other.key.reveal());
});

const faults: readonly [name: string, text: string, fault: RegExp][] = [
  ['an empty file', '', /not a Waxwing master key file/],
  ['half a file', JSON.stringify(file).slice(0, 150), /not a Waxwing master key file/],
  ['a list', '[]', /not a Waxwing master key file/],
  ['another format', JSON.stringify({ ...file, format: 'other' }), /not a Waxwing master key file/],
  ['a later version', JSON.stringify({ ...file, version: 2 }), /format version/],
  ['no keys', JSON.stringify({ ...file, keys: undefined }), /no list of keys/],
  ['an empty list of keys', JSON.stringify({ ...file, keys: [] }), /current key that is not in its list/],
  ['an unknown current key', JSON.stringify({ ...file, current: 'ffffffffffffffff' }), /current key that is not/],
  ['a duplicate id', JSON.stringify({ ...file, keys: [entry, entry] }), /0011223344556677 twice/],
  ['a short id', JSON.stringify({ ...file, keys: [{ ...entry, id: '0011' }] }), /keys\[0\]: id is not 16/],
  ['a short key', JSON.stringify({ ...file, keys: [{ ...entry, key: keyHex.slice(2) }] }), /key is not 64/],
  ['a long key', JSON.stringify({ ...file, keys: [{ ...entry, key: `${keyHex}20` }] }), /key is not 64/],
  ['a bad time', JSON.stringify({ ...file, keys: [{ ...entry, created_at: 'soon' }] }), /created_at is not a time/],
  ['a bad second key', JSON.stringify({ ...file, keys: [entry, null] }), /keys\[1\]: not an object/],
];

for (const [name, text, fault] of faults) {
  test(`a key file with ${name} is refused without repeating a key`, () => {
    const parsed = parseKeyRing(text);
    assert.ok('fault' in parsed);
    assert.match(parsed.fault, fault);
    assert.ok(!parsed.fault.includes('0102030405'), parsed.fault);
  });
}

test('a key added becomes the current one and the former ones stay', () => {
  const ring = ringOf(2);
  const next = withCurrentKey(ring, newMasterKey(9, randomBytes));
  assert.deepEqual(next.keys.slice(0, 2), ring.keys);
  assert.equal(next.keys[2], next.current);
  for (const key of next.keys) assert.equal(keyById(next, key.id), key);
  assert.equal(keyById(next, 'ffffffffffffffff'), undefined);
});

test('retiring keeps the named keys, never drops the current one, and refuses ids it does not know', () => {
  const ring = ringOf(3);
  const [first, second, third] = ring.keys.map((key) => key.id) as [string, string, string];
  const kept = withKeysOnly(ring, [third, first]);
  assert.ok('ring' in kept);
  assert.deepEqual(
    kept.ring.keys.map((key) => key.id),
    [first, third],
  );
  assert.equal(kept.ring.current, ring.current);
  assert.deepEqual(withKeysOnly(ring, [first, second]), { fault: `the current master key ${third} cannot be retired` });
  assert.deepEqual(withKeysOnly(ring, [third, 'beef']), { fault: 'there is no master key beef' });
});

test('key material prints stars in every common way', () => {
  const ring = ringFrom(JSON.stringify(file));
  const { key } = ring.current;
  const shown = [
    String(key),
    JSON.stringify(ring),
    inspect(ring, { showHidden: true, depth: 9 }),
    inspect(key, { showHidden: true, customInspect: false, depth: 9 }),
  ];
  for (const text of shown) assert.doesNotMatch(text, /0102030405|01 02 03|1, ?2, ?3/, text);
  assert.match(JSON.stringify(ring), /"key":"\*\*\*"/);
});

test('key material keeps a copy of its own and takes 32 bytes only', () => {
  const bytes = Buffer.from(keyHex, 'hex');
  const key = new KeyMaterial(bytes);
  bytes.fill(0);
  assert.equal(key.reveal().toString('hex'), keyHex);
  for (const length of [0, 16, 31, 33]) assert.throws(() => new KeyMaterial(Buffer.alloc(length)), RangeError);
});

test('the check value of a key never changes and tells keys apart', () => {
  assert.equal(
    keyCheck(new KeyMaterial(Buffer.from(keyHex, 'hex'))),
    'cb11f7b415ad1976fdd12c3f3d33b093e5255cb81867f51044f9757cf20ba369',
  );
  assert.notEqual(keyCheck(new KeyMaterial(Buffer.alloc(32))), keyCheck(new KeyMaterial(Buffer.alloc(32, 1))));
});
