import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { context, type DerElement, DerFields, expectTag, inner, readDer, tags } from './der/der.ts';
import { bitLength, objectIdentifier, octets, smallInteger, unsignedInteger } from './der/der-values.ts';
import type { PemBlock } from './der/pem.ts';
import { damaged, Unreadable, unsupported } from './der/unreadable.ts';
import { decipher, wrongPassword } from './pkcs12/pbes.ts';
import { algorithmOids, maxRsaBits } from './public-key.ts';

export type KeyForm = 'pkcs8' | 'pkcs1' | 'sec1';

export interface PrivateKey {
  readonly key: KeyObject;
  readonly publicKey: KeyObject;
}

/** Checks a key before OpenSSL gets it: RSA, EC on a named curve and EdDSA, of limited size. @throws Unreadable */
export function readPrivateKey(der: Buffer, form: KeyForm): PrivateKey {
  const element = readDer(der);
  if (form === 'pkcs8') checkPkcs8(element);
  else if (form === 'pkcs1') checkPkcs1(element);
  else checkSec1(element, false);
  try {
    const key = createPrivateKey({ key: der, format: 'der', type: form });
    return { key, publicKey: createPublicKey(key) };
  } catch {
    throw damagedKey();
  }
}

/** PrivateKeyInfo, OneAsymmetricKey (RFC 5958 §2). */
function checkPkcs8(element: DerElement): void {
  const fields = new DerFields(element);
  if (smallInteger(fields.take()) > 1) throw damaged('key_version');
  const algorithm = new DerFields(fields.take(tags.sequence));
  const identifier = objectIdentifier(algorithm.take());
  const content = octets(fields.take());
  switch (identifier) {
    case algorithmOids.rsa:
    case algorithmOids.rsaPss:
      checkPkcs1(readDer(content));
      return;
    case algorithmOids.ec:
      objectIdentifier(algorithm.take());
      checkSec1(readDer(content), true);
      return;
    case algorithmOids.ed25519:
    case algorithmOids.ed448:
      return;
    default:
      throw unsupported('key_kind', { algorithm: identifier });
  }
}

/** RSAPrivateKey (RFC 8017 §A.1.2) with two primes. */
function checkPkcs1(element: DerElement): void {
  const fields = new DerFields(element);
  if (smallInteger(fields.take()) !== 0) throw unsupported('key_many_primes');
  const numbers = Array.from({ length: 8 }, () => unsignedInteger(fields.take()));
  fields.end();
  if (numbers.some((number) => bitLength(number) > maxRsaBits)) {
    throw unsupported('key_too_large', { most: maxRsaBits });
  }
  if (!isConsistentRsa(numbers.map((number) => BigInt(`0x${number.toString('hex')}`)))) throw damagedKey();
}

/** RFC 8017 §3.2. OpenSSL signs even with wrong primes, but other TLS servers refuse such a key. */
function isConsistentRsa([
  n = 0n,
  e = 0n,
  d = 0n,
  p = 0n,
  q = 0n,
  dP = 0n,
  dQ = 0n,
  qInv = 0n,
]: readonly bigint[]): boolean {
  if (p < 3n || q < 3n || p * q !== n) return false;
  const exponents = (e * d) % (p - 1n) === 1n && (e * d) % (q - 1n) === 1n;
  return exponents && dP === d % (p - 1n) && dQ === d % (q - 1n) && (qInv * q) % p === 1n;
}

const damagedKey = () => damaged('key_damaged');

/** ECPrivateKey (RFC 5915 §3). PKCS#8 names the curve outside of it. */
function checkSec1(element: DerElement, curveNamedOutside: boolean): void {
  const fields = new DerFields(element);
  if (smallInteger(fields.take()) !== 1) throw damaged('key_version');
  octets(fields.take());
  const parameters = fields.optional(context(0));
  fields.optional(context(1));
  fields.end();
  if (parameters === undefined && !curveNamedOutside) throw damaged('key_curve_unnamed');
  if (parameters !== undefined) expectTag(inner(parameters), tags.objectIdentifier);
}

/** The form of an unencrypted key, by its first fields, or undefined. */
export function keyFormOf(element: DerElement): KeyForm | undefined {
  try {
    const fields = new DerFields(element);
    smallInteger(fields.take());
    switch (fields.peek()) {
      case tags.sequence:
        return 'pkcs8';
      case tags.integer:
        return 'pkcs1';
      case tags.octetString:
        return 'sec1';
    }
  } catch {
    // Not a key. The caller tries other forms.
  }
  return undefined;
}

const pemCiphers: Record<string, { readonly name: string; readonly keySize: number }> = {
  'AES-128-CBC': { name: 'aes-128-cbc', keySize: 16 },
  'AES-192-CBC': { name: 'aes-192-cbc', keySize: 24 },
  'AES-256-CBC': { name: 'aes-256-cbc', keySize: 32 },
  'DES-EDE3-CBC': { name: 'des-ede3-cbc', keySize: 24 },
};

/** Opens a PEM key encrypted the old way (RFC 1421 headers, OpenSSL's `EVP_BytesToKey` with MD5). @throws Unreadable */
export function openLegacyPem(block: PemBlock, password: string | undefined): Buffer {
  if (!password) throw new Unreadable('password_missing', 'password_missing');
  const [name = '', ivHex = ''] = (block.headers.get('DEK-Info') ?? '').split(',').map((part) => part.trim());
  const cipher = pemCiphers[name.toUpperCase()];
  if (cipher === undefined) throw unsupported('dek_encryption_unsupported');
  const iv = Buffer.from(ivHex, 'hex');
  if (iv.length !== (cipher.name === 'des-ede3-cbc' ? 8 : 16)) throw damaged('dek_header');
  const plain = decipher(cipher.name, bytesToKey(password, iv.subarray(0, 8), cipher.keySize), iv, block.bytes);
  try {
    return readDer(plain).encoded;
  } catch {
    throw wrongPassword();
  }
}

function bytesToKey(password: string, salt: Buffer, length: number): Buffer {
  let derived = Buffer.alloc(0);
  let digest = Buffer.alloc(0);
  while (derived.length < length) {
    digest = createHash('md5').update(digest).update(password, 'utf8').update(salt).digest();
    derived = Buffer.concat([derived, digest]);
  }
  return derived.subarray(0, length);
}

/** Whether the key's signatures fit the public key: a forged file may carry the right public half. Off the loop. */
export async function signsFor(key: KeyObject, publicKey: KeyObject): Promise<boolean> {
  const message = Buffer.from('does this private key belong to that certificate?');
  const edwards = key.asymmetricKeyType === 'ed25519' || key.asymmetricKeyType === 'ed448';
  const digest = edwards ? null : (key.asymmetricKeyDetails?.hashAlgorithm ?? 'sha256');
  return new Promise((resolve) => {
    sign(digest, message, key, (error, signature) => {
      resolve(!error && verify(digest, message, publicKey, signature));
    });
  });
}
