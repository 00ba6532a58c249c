import { createDecipheriv, pbkdf2 as pbkdf2Callback, scrypt as scryptCallback } from 'node:crypto';
import { promisify } from 'node:util';
import { type DerElement, DerFields, tags } from '../der/der.ts';
import { objectIdentifier, octets, smallInteger } from '../der/der-values.ts';
import { damaged, Unreadable, unsupported } from '../der/unreadable.ts';
import type { ImportBudget } from '../import-budget.ts';
import { derivePbkdf1, derivePkcs12, pkcs12Password, pkcs12Purpose } from './pkcs12-kdf.ts';
import { oids } from './pkcs12-oids.ts';
import { decryptRc2Cbc } from './rc2.ts';

const pbkdf2 = promisify(pbkdf2Callback);
const scrypt = promisify(
  scryptCallback as (
    password: Buffer,
    salt: Buffer,
    length: number,
    options: { N: number; r: number; p: number; maxmem: number },
    done: (error: Error | null, key: Buffer) => void,
  ) => void,
);

/** A password in both forms that the schemes use. `pkcs12` differs for the empty password: see pkcs12.ts. */
export interface PasswordForms {
  readonly utf8: Buffer;
  readonly pkcs12: Buffer;
}

export function passwordForms(password: string): PasswordForms {
  return { utf8: Buffer.from(password, 'utf8'), pkcs12: pkcs12Password(password) };
}

const maxPbkdf2Iterations = 2_000_000;
const maxSaltOctets = 1024;
const maxScryptMemory = 64 * 1024 * 1024;

/** RFC 7292 appendix C: 3DES with three or two keys, RC2 of 128 or 40 bits, all with SHA-1. Key sizes in octets. */
const pkcs12Schemes: Record<string, { readonly cipher: '3des' | 'rc2'; readonly keySize: number }> = {
  '1.2.840.113549.1.12.1.3': { cipher: '3des', keySize: 24 },
  '1.2.840.113549.1.12.1.4': { cipher: '3des', keySize: 16 },
  '1.2.840.113549.1.12.1.5': { cipher: 'rc2', keySize: 16 },
  '1.2.840.113549.1.12.1.6': { cipher: 'rc2', keySize: 5 },
};

/** RFC 8018 §A.3: DES with PBKDF1, OpenSSL's default for PKCS#8 keys before 1.1. */
const pbes1Hashes: Readonly<Record<string, 'md5' | 'sha1'>> = {
  '1.2.840.113549.1.5.3': 'md5',
  '1.2.840.113549.1.5.10': 'sha1',
};

const scryptIdentifier = '1.3.6.1.4.1.11591.4.11';

const hmacHashes: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
};

const pbes2Ciphers: Record<string, { readonly name: string; readonly keySize: number; readonly ivSize: number }> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', keySize: 16, ivSize: 16 },
  '2.16.840.1.101.3.4.1.22': { name: 'aes-192-cbc', keySize: 24, ivSize: 16 },
  '2.16.840.1.101.3.4.1.42': { name: 'aes-256-cbc', keySize: 32, ivSize: 16 },
  '1.2.840.113549.3.7': { name: 'des-ede3-cbc', keySize: 24, ivSize: 8 },
};

/**
 * Decrypts by PBES2 or PBES1 (RFC 8018), or by the older PKCS#12 schemes.
 * @throws Unreadable `password_wrong` when the padding is wrong; `unsupported`, `damaged` or `too_costly`
 */
export async function decryptByPassword(
  algorithm: DerElement,
  ciphertext: Buffer,
  password: PasswordForms,
  budget: ImportBudget,
): Promise<Buffer> {
  const fields = new DerFields(algorithm);
  const scheme = objectIdentifier(fields.take());
  const parameters = fields.take(tags.sequence);
  fields.end();
  if (scheme === oids.pbes2) return decryptPbes2(parameters, ciphertext, password.utf8, budget);
  const pbes1Hash = pbes1Hashes[scheme];
  if (pbes1Hash !== undefined) return decryptPbes1(pbes1Hash, parameters, ciphertext, password.utf8, budget);
  const legacy = pkcs12Schemes[scheme];
  if (legacy === undefined) throw unsupported('encryption_unsupported', { algorithm: scheme });
  return decryptPkcs12Scheme(legacy, parameters, ciphertext, password.pkcs12, budget);
}

async function decryptPbes1(
  hash: 'md5' | 'sha1',
  parameters: DerElement,
  ciphertext: Buffer,
  password: Buffer,
  budget: ImportBudget,
): Promise<Buffer> {
  const { salt, iterations } = saltAndIterations(parameters);
  const derived = await derivePbkdf1(hash, password, salt, iterations, budget);
  const key = derived.subarray(0, 8);
  // DES is 3DES with three equal keys. The OpenSSL inside Node has only 3DES.
  return decipher('des-ede3-cbc', Buffer.concat([key, key, key]), derived.subarray(8), ciphertext);
}

async function decryptPkcs12Scheme(
  scheme: { readonly cipher: '3des' | 'rc2'; readonly keySize: number },
  parameters: DerElement,
  ciphertext: Buffer,
  password: Buffer,
  budget: ImportBudget,
): Promise<Buffer> {
  const { salt, iterations } = saltAndIterations(parameters);
  const common = { hash: 'sha1', password, salt, iterations } as const;
  const key = await derivePkcs12({ ...common, purpose: pkcs12Purpose.key, length: scheme.keySize }, budget);
  const iv = await derivePkcs12({ ...common, purpose: pkcs12Purpose.iv, length: 8 }, budget);
  if (scheme.cipher === '3des') return decipher('des-ede3-cbc', threeKeys(key), iv, ciphertext);
  try {
    return decryptRc2Cbc(key, key.length * 8, iv, ciphertext);
  } catch {
    throw wrongPassword();
  }
}

/** Two-key 3DES is three-key 3DES whose third key is the first. */
function threeKeys(key: Buffer): Buffer {
  return key.length === 24 ? key : Buffer.concat([key, key.subarray(0, 8)]);
}

async function decryptPbes2(
  parameters: DerElement,
  ciphertext: Buffer,
  password: Buffer,
  budget: ImportBudget,
): Promise<Buffer> {
  const fields = new DerFields(parameters);
  const derivation = fields.take(tags.sequence);
  const scheme = new DerFields(fields.take(tags.sequence));
  fields.end();
  const identifier = objectIdentifier(scheme.take());
  const cipher = pbes2Ciphers[identifier];
  if (cipher === undefined) throw unsupported('encryption_unsupported', { algorithm: identifier });
  const iv = octets(scheme.take());
  scheme.end();
  if (iv.length !== cipher.ivSize) throw damaged('encryption_initial_vector');
  return decipher(cipher.name, await derive(derivation, cipher.keySize, password, budget), iv, ciphertext);
}

function derive(algorithm: DerElement, keySize: number, password: Buffer, budget: ImportBudget): Promise<Buffer> {
  const fields = new DerFields(algorithm);
  const identifier = objectIdentifier(fields.take());
  const parameters = fields.take(tags.sequence);
  fields.end();
  if (identifier === oids.pbkdf2) return derivePbkdf2(parameters, keySize, password, budget);
  if (identifier === scryptIdentifier) return deriveScrypt(parameters, keySize, password, budget);
  throw unsupported('derivation_unsupported', { algorithm: identifier });
}

/** PBKDF2-params of RFC 8018 §A.2. A stated key length must be the wanted one. Runs off the event loop. */
export async function derivePbkdf2(
  parameters: DerElement,
  keySize: number,
  password: Buffer,
  budget: ImportBudget,
): Promise<Buffer> {
  const fields = new DerFields(parameters);
  const salt = saltOf(fields.take());
  const iterations = iterationsOf(fields.take());
  const stated = fields.optional(tags.integer);
  const prf = fields.optional(tags.sequence);
  fields.end();
  if (stated !== undefined && smallInteger(stated) !== keySize) throw damaged('encryption_key_length');
  const hash = prf === undefined ? 'sha1' : hmacHash(prf);
  budget.spend(iterations, maxPbkdf2Iterations);
  return pbkdf2(password, salt, iterations, keySize, hash);
}

/** The digest of an hmacWith… AlgorithmIdentifier. */
export function hmacHash(algorithm: DerElement): string {
  const identifier = objectIdentifier(new DerFields(algorithm).take());
  const hash = hmacHashes[identifier];
  if (hash === undefined) throw unsupported('derivation_unsupported', { algorithm: identifier });
  return hash;
}

/** scrypt-params of RFC 7914 §7. One unit of N·r·p costs about as much as one PBKDF2 iteration. */
async function deriveScrypt(
  parameters: DerElement,
  keySize: number,
  password: Buffer,
  budget: ImportBudget,
): Promise<Buffer> {
  const fields = new DerFields(parameters);
  const salt = saltOf(fields.take());
  const N = iterationsOf(fields.take());
  const r = iterationsOf(fields.take());
  const p = iterationsOf(fields.take());
  if (fields.peek() === tags.integer && smallInteger(fields.take()) !== keySize) {
    throw damaged('encryption_key_length');
  }
  fields.end();
  budget.spend(N * r * p, maxPbkdf2Iterations);
  try {
    return await scrypt(password, salt, keySize, { N, r, p, maxmem: maxScryptMemory });
  } catch {
    throw unsupported('scrypt_parameters');
  }
}

/** PBEParameter (RFC 8018 §A.3) and pkcs-12PbeParams (RFC 7292 appendix C) have the same form. */
function saltAndIterations(parameters: DerElement): { readonly salt: Buffer; readonly iterations: number } {
  const fields = new DerFields(parameters);
  const salt = saltOf(fields.take());
  const iterations = iterationsOf(fields.take());
  fields.end();
  return { salt, iterations };
}

function saltOf(element: DerElement): Buffer {
  const salt = octets(element);
  if (salt.length > maxSaltOctets) throw damaged('encryption_salt');
  return salt;
}

function iterationsOf(element: DerElement): number {
  const count = smallInteger(element);
  if (count < 1) throw damaged('encryption_no_iterations');
  return count;
}

export function decipher(cipher: string, key: Buffer, iv: Buffer, ciphertext: Buffer): Buffer {
  const decipher = createDecipheriv(cipher, key, iv);
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    throw wrongPassword();
  }
}

export const wrongPassword = (): Unreadable => new Unreadable('password_wrong', 'password_wrong');
