import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decryptRc2Cbc } from './rc2.ts';

const longKey = '88bca90e90875a7f0f79c384627bafb216f80a6f85920584c42fceb0be255daf1e';

// RFC 2268 §5: key, effective bits, plaintext, ciphertext.
const vectors = [
  ['0000000000000000', 63, '0000000000000000', 'ebb773f993278eff'],
  ['ffffffffffffffff', 64, 'ffffffffffffffff', '278b27e42e2f0d49'],
  ['3000000000000000', 64, '1000000000000001', '30649edf9be7d2c2'],
  ['88', 64, '0000000000000000', '61a8a244adacccf0'],
  ['88bca90e90875a', 64, '0000000000000000', '6ccf4308974c267f'],
  [longKey.slice(0, 32), 64, '0000000000000000', '1a807d272bbe5db1'],
  [longKey.slice(0, 32), 128, '0000000000000000', '2269552ab0f85ca6'],
  [longKey, 129, '0000000000000000', '5b78d3a43dfff1f1'],
] as const;

test('RC2 decrypts the vectors of RFC 2268', () => {
  for (const [key, bits, plain, cipher] of vectors) {
    // The vectors are single blocks. This initial vector turns their plaintext into pure padding.
    const iv = Buffer.from(plain, 'hex').map((octet) => octet ^ 8);
    const decrypted = decryptRc2Cbc(Buffer.from(key, 'hex'), bits, Buffer.from(iv), Buffer.from(cipher, 'hex'));
    assert.equal(decrypted.length, 0, `${key} with ${bits} bits`);
  }
});

test('RC2 refuses a wrong key by the padding, and half a block', () => {
  const iv = Buffer.alloc(8, 8);
  const cipher = Buffer.from('6ccf4308974c267f', 'hex');
  assert.throws(() => decryptRc2Cbc(Buffer.from('99bca90e90875a', 'hex'), 64, iv, cipher), { reason: 'damaged' });
  assert.throws(() => decryptRc2Cbc(Buffer.from('88bca90e90875a', 'hex'), 64, iv, cipher.subarray(1)), {
    reason: 'damaged',
  });
});
