import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecretText } from '../runtime/secret-text.ts';
import { keyOfCredential, openText, sealText } from './credential-seal.ts';
import { SealError } from './envelope.ts';

const credential = new SecretText('wxa_credential');
const key = keyOfCredential(credential, 'order-1', 'test');
const text = '{"token":"秘密"}';
/** Made by the former code, with a nonce of sevens. */
const earlier = '0707070707070707070707078db0767530dfbe2deca7bf0dd093799357e51241bf45cb838f920adad5cf9e6ff7f9';

test('a text that is sealed by a credential is opened by it alone', () => {
  const sealed = sealText(key, text);
  assert.ok(!sealed.toString('latin1').includes('token'));
  assert.equal(openText(keyOfCredential(credential, 'order-1', 'test'), sealed), text);
  for (const other of [
    keyOfCredential(new SecretText('another'), 'order-1', 'test'),
    keyOfCredential(credential, 'order-2', 'test'),
    keyOfCredential(credential, 'order-1', 'another use'),
  ]) {
    assert.throws(() => openText(other, sealed), SealError);
  }
});

test('an altered or shortened one is not opened', () => {
  const sealed = sealText(key, text);
  for (const at of [0, 12, 28, sealed.length - 1]) {
    const altered = Buffer.from(sealed);
    altered[at] = (altered[at] ?? 0) ^ 1;
    assert.throws(() => openText(key, altered), SealError, `byte ${at}`);
  }
  for (const length of [0, 12, 28]) assert.throws(() => openText(key, sealed.subarray(0, length)), SealError);
});

test('one that was sealed by an earlier version opens', () => {
  assert.equal(openText(key, Buffer.from(earlier, 'hex')), text);
  assert.equal(sealText(key, text, (size) => Buffer.alloc(size, 7)).toString('hex'), earlier);
});
