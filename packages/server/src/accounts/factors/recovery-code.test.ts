import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRecoveryCode, recoveryCodeHash } from './recovery-code.ts';

test('a code has four groups of four letters that nobody takes for one another', () => {
  for (let n = 0; n < 100; n++) assert.match(newRecoveryCode(), /^[A-Z2-7]{4}(?:-[A-Z2-7]{4}){3}$/);
  assert.equal(
    newRecoveryCode((size) => new Uint8Array(size)),
    'AAAA-AAAA-AAAA-AAAA',
  );
});

test('how it is typed does not matter', () => {
  const hash = recoveryCodeHash('ABOI-EFGH-IJKL-MNOP');
  assert.match(hash ?? '', /^[0-9a-f]{64}$/);
  for (const typed of ['aboi-efgh-ijkl-mnop', 'ABOIEFGHIJKLMNOP', ' abo1 efgh ijkl mn0p ']) {
    assert.equal(recoveryCodeHash(typed), hash, typed);
  }
  assert.notEqual(recoveryCodeHash('ABOI-EFGH-IJKL-MNOQ'), hash);
});

test('what cannot be a code has no hash', () => {
  for (const typed of ['', 'ABCD', 'ABCD-EFGH-IJKL-MNO8', 'ABCD-EFGH-IJKL-MNOPQ', '密码密码密码密码密码密码密码密码']) {
    assert.equal(recoveryCodeHash(typed), undefined, typed);
  }
});
