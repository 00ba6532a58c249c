import { hash, randomBytes } from 'node:crypto';
import { SecretText } from '../../runtime/secret-text.ts';
import type { RandomSource } from '../../secrets/key-material.ts';

/** A value that a browser or a link carries and the database knows by its hash alone. */
export interface SecretValue {
  readonly clear: SecretText;
  readonly hash: string;
}

const bytes = 32;
const form = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits, base64url. */
export function newSecretValue(random: RandomSource = randomBytes): SecretValue {
  const clear = Buffer.from(random(bytes)).toString('base64url');
  return { clear: new SecretText(clear), hash: hash('sha256', clear, 'hex') };
}

/** SHA-256, hex; undefined for what never was such a value. */
export function hashOfSecretValue(text: string): string | undefined {
  return form.test(text) ? hash('sha256', text, 'hex') : undefined;
}
