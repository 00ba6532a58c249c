import assert from 'node:assert/strict';
import { createHash, randomBytes, webcrypto } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  open,
  rewrap,
  SEAL_OVERHEAD,
  type SealContext,
  SealError,
  type SealFault,
  seal,
  sealContextBytes,
  sealedKeyId,
} from './envelope.ts';
import type { RandomSource } from './key-material.ts';
import { type KeyRing, newMasterKey, withCurrentKey } from './key-ring.ts';

const scale = { seed: 20_260_101, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 5_000 : 200 };

const context: SealContext = { purpose: 'certificate-key', ids: ['organization-1', 'certificate-1', 'version-1'] };
const secret = Buffer.from('-----BEGIN PRIVATE KEY-----');

function newRing(random: RandomSource = randomBytes): KeyRing {
  const current = newMasterKey(0, random);
  return { current, keys: [current] };
}

/** Random-looking bytes, the same in every run. */
function fixedSource(seed: string): RandomSource {
  let draws = 0;
  return (size) => createHash('shake256', { outputLength: size }).update(`${seed} ${draws++}`).digest();
}

function refused(reason: SealFault): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof SealError, String(error));
    assert.equal(error.reason, reason);
    assert.ok(!error.message.includes(secret.toString()));
    assert.equal(error.cause, undefined);
    return true;
  };
}

const ring = newRing();
const contexts = fc.record({ purpose: fc.string(), ids: fc.array(fc.string(), { maxLength: 4 }) });
const plaintexts = fc.uint8Array({ maxLength: 3000 });

test('what is sealed opens under the same context, whatever it is', () => {
  fc.assert(
    fc.property(contexts, plaintexts, (bound, plaintext) => {
      const sealed = seal(ring, bound, plaintext);
      assert.equal(sealed.length, plaintext.length + SEAL_OVERHEAD);
      assert.deepEqual(open(ring, bound, sealed), Buffer.from(plaintext));
    }),
    scale,
  );
});

test('sealed bytes open as a view into a larger buffer, as databases hand them out', () => {
  const sealed = seal(ring, context, secret);
  const page = new Uint8Array(sealed.length + 20);
  page.set(sealed, 7);
  const view = page.subarray(7, 7 + sealed.length);
  assert.deepEqual(open(ring, context, view), secret);
  assert.equal(sealedKeyId(view), ring.current.id);
});

test('the same secret sealed twice has nothing in common but the header', () => {
  const one = seal(ring, context, secret);
  const other = seal(ring, context, secret);
  assert.deepEqual(one.subarray(0, 9), other.subarray(0, 9));
  for (const [from, to] of [
    [9, 21],
    [21, 53],
    [69, 81],
    [81, 81 + secret.length],
  ] as const) {
    assert.notDeepEqual(one.subarray(from, to), other.subarray(from, to));
  }
  assert.ok(!one.includes(secret));
});

test('a flip of any single bit anywhere is noticed', () => {
  const sealed = seal(ring, context, secret);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const altered = Buffer.from(sealed);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.throws(
      () => open(ring, context, altered),
      refused(bit < 8 ? 'malformed' : bit < 72 ? 'unknown-key' : 'tampered'),
    );
  }
});

test('a header that names another key of the ring is noticed', () => {
  const both = withCurrentKey(ring, newMasterKey(0, randomBytes));
  const altered = seal(ring, context, secret);
  altered.set(Buffer.from(both.current.id, 'hex'), 1);
  assert.throws(() => open(both, context, altered), refused('tampered'));
});

test('bytes cut off, added or made up are noticed', () => {
  const sealed = seal(ring, context, secret);
  for (let length = 0; length < sealed.length; length++) {
    const fault = length < SEAL_OVERHEAD ? 'malformed' : 'tampered';
    assert.throws(() => open(ring, context, sealed.subarray(0, length)), refused(fault));
  }
  assert.throws(() => open(ring, context, Buffer.concat([sealed, Buffer.of(0)])), refused('tampered'));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (garbage) => {
      assert.throws(() => open(ring, context, garbage), SealError);
    }),
    scale,
  );
});

test('sealed bytes open under no other context, so rows cannot be swapped', () => {
  fc.assert(
    fc.property(contexts, contexts, plaintexts, (here, there, plaintext) => {
      fc.pre(JSON.stringify(here) !== JSON.stringify(there));
      const sealed = seal(ring, here, plaintext);
      assert.throws(() => open(ring, there, sealed), refused('tampered'));
      assert.throws(
        () => rewrap(withCurrentKey(ring, newMasterKey(0, randomBytes)), there, sealed),
        refused('tampered'),
      );
    }),
    scale,
  );
});

test('neither layer alone can be moved to another row', () => {
  const here = seal(ring, context, secret);
  const elsewhere = { ...context, ids: ['organization-1', 'certificate-1', 'version-2'] };
  const there = seal(ring, elsewhere, secret);
  const wrapOfHere = Buffer.concat([here.subarray(0, 69), there.subarray(69)]);
  const contentOfHere = Buffer.concat([there.subarray(0, 69), here.subarray(69)]);
  for (const mixed of [wrapOfHere, contentOfHere]) {
    for (const bound of [context, elsewhere]) assert.throws(() => open(ring, bound, mixed), refused('tampered'));
  }
});

test('contexts that differ never bind the same bytes, however their texts run together', () => {
  const lookalikes: SealContext[] = [
    { purpose: 'ab', ids: ['c'] },
    { purpose: 'a', ids: ['bc'] },
    { purpose: 'abc', ids: [] },
    { purpose: 'ab', ids: ['c', ''] },
    { purpose: 'ab', ids: ['', 'c'] },
    { purpose: '', ids: ['ab', 'c'] },
    { purpose: 'ab\0\0\0\x01c', ids: [] },
  ];
  const encoded = lookalikes.map((each) => sealContextBytes(each).toString('hex'));
  assert.equal(new Set(encoded).size, lookalikes.length);
  assert.equal(sealContextBytes({ purpose: 'ä', ids: ['x'] }).toString('hex'), '0100000002c3a40000000178');
  assert.throws(() => sealContextBytes({ purpose: 'a', ids: ['\ud800'] }), TypeError);
});

test('re-wrapping moves a secret to the current key and touches nothing but the first 69 bytes', () => {
  fc.assert(
    fc.property(contexts, plaintexts, (bound, plaintext) => {
      const before = seal(ring, bound, plaintext);
      const rotated = withCurrentKey(ring, newMasterKey(0, randomBytes));
      assert.deepEqual(open(rotated, bound, before), Buffer.from(plaintext));
      const after = rewrap(rotated, bound, before);
      assert.ok(after !== undefined);
      assert.equal(sealedKeyId(after), rotated.current.id);
      assert.deepEqual(after.subarray(69), before.subarray(69));
      assert.deepEqual(
        open({ current: rotated.current, keys: [rotated.current] }, bound, after),
        Buffer.from(plaintext),
      );
      assert.throws(() => open(ring, bound, after), refused('unknown-key'));
      assert.equal(rewrap(rotated, bound, after), undefined);
    }),
    scale,
  );
});

test('re-wrapping notices a wrong key, altered bytes and garbage', () => {
  const sealed = seal(ring, context, secret);
  const rotated = withCurrentKey(ring, newMasterKey(0, randomBytes));
  const altered = Buffer.from(sealed);
  altered[30] = (altered[30] ?? 0) ^ 1;
  assert.throws(() => rewrap(rotated, context, altered), refused('tampered'));
  assert.throws(() => rewrap(newRing(), context, sealed), refused('unknown-key'));
  assert.throws(() => rewrap(rotated, context, secret), refused('malformed'));
});

test('another key under the same id opens nothing', () => {
  const impostor = { ...newMasterKey(0, randomBytes), id: ring.current.id };
  const sealed = seal(ring, context, secret);
  assert.throws(() => open({ current: impostor, keys: [impostor] }, context, sealed), refused('tampered'));
});

test('the error of an unknown key names the key that is missing', () => {
  const sealed = seal(ring, context, secret);
  assert.throws(
    () => open(newRing(), context, sealed),
    (error: unknown) =>
      error instanceof SealError && error.keyId === ring.current.id && error.message.includes(ring.current.id),
  );
});

// Frozen: later versions must open these bytes.
const golden =
  '013737dbdee0973be85adf8d49fc89bd28cc95a235bbe8045676de1da44c96dd45324c89776fadc42d3a23b647190926c07b5b9bd3aa70ae331e9c88653add027f459aa1c511925a592273a4487f25c616a54c664a1431a203154afcf7ec6c008f6f5205fbda9474980090f1ee767879602cfb6e4550bba353dd9b46';

test('bytes sealed by version 1 of the format stay readable and are still written', () => {
  const random = fixedSource('golden');
  const goldenRing = newRing(random);
  assert.equal(seal(goldenRing, context, secret, random).toString('hex'), golden);
  assert.deepEqual(open(goldenRing, context, Buffer.from(golden, 'hex')), secret);
});

test('the byte layout is the documented one, as read by another implementation', async () => {
  const sealed = new Uint8Array(seal(ring, context, secret));
  const bound = new Uint8Array(sealContextBytes(context));
  const header = sealed.subarray(0, 9);
  const decrypt = async (
    key: Uint8Array<ArrayBuffer>,
    from: number,
    to: number,
    additionalData: Uint8Array<ArrayBuffer>,
  ) => {
    const imported = await webcrypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
    const algorithm = { name: 'AES-GCM', iv: sealed.subarray(from, from + 12), additionalData };
    return new Uint8Array(await webcrypto.subtle.decrypt(algorithm, imported, sealed.subarray(from + 12, to)));
  };
  const master = new Uint8Array(ring.current.key.reveal());
  const dataKey = await decrypt(master, 9, 69, new Uint8Array([...header, ...bound]));
  assert.deepEqual(Buffer.from(await decrypt(dataKey, 69, sealed.length, bound)), secret);
});
