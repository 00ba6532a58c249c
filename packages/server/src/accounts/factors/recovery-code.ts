import { hash, randomBytes } from 'node:crypto';
import type { RandomSource } from '../../secrets/key-material.ts';
import { base32 } from './totp.ts';

/** How many a person gets at once. */
export const recoveryCodes = 10;
const bytesPerCode = 10;

/** A code of 80 random bits, as four groups of four letters: `ABCD-EFGH-IJKL-MNOP`. */
export function newRecoveryCode(random: RandomSource = randomBytes): string {
  return base32(random(bytesPerCode)).replace(/(.{4})(?=.)/g, '$1-');
}

/**
 * The stored form of a code: SHA-256, hex. 80 random bits leave nothing to guess, so the hash needs no stretching.
 * @param code as typed: groups, spaces and letter case do not matter, nor a zero or one for the letters alike
 * @returns undefined when it cannot be a code
 */
export function recoveryCodeHash(code: string): string | undefined {
  const plain = code.toUpperCase().replace(/[\s-]/g, '').replaceAll('0', 'O').replaceAll('1', 'I');
  return /^[A-Z2-7]{16}$/.test(plain) ? hash('sha256', plain, 'hex') : undefined;
}
