/**
 * Seals a text by a credential that only its owner has, such as a token of which the database knows a hash: no master key
 * opens it, and no rotation has to wrap it anew. Byte layout: nonce (12 bytes), tag (16 bytes), ciphertext of AES-256-GCM.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SecretText } from '../runtime/secret-text.ts';
import { SealError } from './envelope.ts';
import { KEY_BYTES, type RandomSource } from './key-material.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const contentAt = nonceBytes + 16;
const options = { authTagLength: contentAt - nonceBytes };

/**
 * A key that only the holder of the credential can make. The credential must be random: nothing here slows a guess
 * down.
 * @param use the purpose of the key: the keys of two uses of a credential are unrelated
 */
export function keyOfCredential(credential: SecretText, salt: string, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', credential.reveal(), salt, use, KEY_BYTES));
}

export function sealText(key: Buffer, text: string, random: RandomSource = randomBytes): Buffer {
  const nonce = random(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, options);
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]);
}

/** @throws SealError `tampered` when the text was altered, or sealed by another key */
export function openText(key: Buffer, sealed: Uint8Array): string {
  try {
    const cipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), options);
    cipher.setAuthTag(sealed.subarray(nonceBytes, contentAt));
    return Buffer.concat([cipher.update(sealed.subarray(contentAt)), cipher.final()]).toString();
  } catch {
    throw new SealError('tampered');
  }
}
