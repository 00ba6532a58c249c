import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { generalName } from './alternative-names.ts';
import {
  bitString,
  boolean,
  constructed,
  integer,
  nullValue,
  objectIdentifier,
  octetString,
  primitive,
  sequence,
  setOf,
  time,
  utf8String,
} from './der/der-writer.ts';
import { writePem } from './der/pem.ts';

/** A trial certification authority, made in process: thousands of certificates take seconds. */

export type TrialKeyType =
  | 'ec-p256'
  | 'ec-p384'
  | 'ec-p521'
  | 'ec-p224'
  | 'rsa-1024'
  | 'rsa-2048'
  | 'rsa-3072'
  | 'ed25519'
  | 'ed448';

interface TrialOptions {
  /** Epoch milliseconds in whole seconds. Default: a day before, and 90 days (a CA: ten years) after the CA's `now`. */
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly commonName?: string;
  /** Default `ec-p256`. RSA keys take a tenth of a second each: pass `key` to reuse one. */
  readonly keyType?: TrialKeyType;
  readonly key?: KeyObject;
  readonly serial?: bigint;
  /** Digest of the signature on it; ignored under an Ed25519 or Ed448 issuer. Default `sha256`. */
  readonly hash?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  /** The bits of KeyUsage, most significant first (RFC 5280 §4.2.1.3). Default fits leaf or CA. */
  readonly keyUsage?: number;
  /** Omits the basic constraints, or states the wrong kind. */
  readonly basicConstraints?: 'ca' | 'leaf' | 'absent';
  /** Damages the signature. */
  readonly spoiled?: boolean;
  /** The URL of the list of revoked certificates. */
  readonly revocationList?: string;
  /** Where its issuer's certificate can be fetched (AIA). */
  readonly issuerUrls?: readonly string[];
  /** The common name of the authority above its issuer, for the authority key identifier. */
  readonly issuersIssuer?: string;
  /** How many CA certificates may follow below it. */
  readonly pathLength?: number;
  /** The name of its key (subject key identifier). Default: made from the key. */
  readonly keyId?: Buffer;
}

export interface TrialLeafOptions extends TrialOptions {
  /** Subject alternative names in order; IP addresses are recognized. Empty: no such extension. */
  readonly domains: readonly string[];
}

export interface TrialCertificate {
  readonly certificateDer: Buffer;
  /** 64 columns, LF, one newline at the end. */
  readonly certificatePem: string;
  readonly key: KeyObject;
  /** PKCS#8. */
  readonly keyPem: string;
  /** The certificate, then its intermediates, without the root. */
  readonly chainPem: string;
  /** Upper-case hex, as `openssl x509 -serial` prints it. */
  readonly serial: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface TrialCa extends TrialCertificate {
  issue(options: TrialLeafOptions): TrialCertificate;
  /** A CA below this one; with `key` and the same `commonName` also a cross-signed twin. */
  intermediate(options?: TrialOptions): TrialCa;
  /** A self-signed leaf, with the CA's defaults. */
  selfSigned(options: TrialLeafOptions): TrialCertificate;
}

const day = 86_400_000;
const keyCertSignAndCrlSign = 0b0000_0110;
const digitalSignature = 0b1000_0000;

/** A self-signed root and its certificates. Default dates count from `now`, epoch milliseconds. */
export function makeTrialCa(setting: { readonly now: number } & TrialOptions): TrialCa {
  return makeCa(undefined, setting, setting.now, { next: 1n });
}

interface Issuer {
  readonly name: Buffer;
  readonly key: KeyObject;
  readonly chainPem: string;
}

function makeCa(issuer: Issuer | undefined, options: TrialOptions, now: number, serials: { next: bigint }): TrialCa {
  const serial = options.serial ?? serials.next++;
  const commonName = options.commonName ?? (issuer === undefined ? 'Trial Root' : `Trial Intermediate ${serial}`);
  const caDefaults = { basicConstraints: 'ca', keyUsage: keyCertSignAndCrlSign, notAfter: now + 3650 * day } as const;
  const own = make(issuer, { ...caDefaults, ...options, commonName, serial, domains: [] }, now);
  const self: Issuer = {
    name: distinguishedName(commonName),
    key: own.key,
    chainPem: issuer === undefined ? '' : own.chainPem,
  };
  const leaf = (options: TrialLeafOptions) => ({ ...options, serial: options.serial ?? serials.next++ });
  return {
    ...own,
    issue: (options) => make(self, leaf(options), now),
    intermediate: (options = {}) => makeCa(self, options, now, serials),
    selfSigned: (options) => make(undefined, leaf(options), now),
  };
}

function make(
  issuer: Issuer | undefined,
  options: TrialLeafOptions & { serial: bigint },
  now: number,
): TrialCertificate {
  const notBefore = wholeSecond(options.notBefore ?? now - day);
  const notAfter = wholeSecond(options.notAfter ?? now + 90 * day);
  const key = options.key ?? makeTrialKey(options.keyType ?? 'ec-p256');
  const subject = distinguishedName(options.commonName ?? options.domains[0] ?? 'Trial');
  const signer = issuer?.key ?? key;
  const algorithm = signatureAlgorithm(signer, options.hash ?? 'sha256');
  const tbs = sequence(
    constructed(0, integer(2)),
    integer(options.serial),
    algorithm.identifier,
    issuer?.name ?? subject,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKeyInfo(key),
    constructed(3, sequence(...extensions(options, key, signer))),
  );
  const signature = sign(algorithm.digest, tbs, signer);
  if (options.spoiled) signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
  const certificateDer = sequence(tbs, algorithm.identifier, bitString(signature));
  const certificatePem = writePem('CERTIFICATE', certificateDer);
  const hex = options.serial.toString(16).toUpperCase();
  return {
    certificateDer,
    certificatePem,
    key,
    keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    chainPem: certificatePem + (issuer?.chainPem ?? ''),
    serial: hex.length % 2 === 0 ? hex : `0${hex}`,
    notBefore,
    notAfter,
  };
}

const wholeSecond = (epochMs: number) => Math.floor(epochMs / 1000) * 1000;

export function makeTrialKey(type: TrialKeyType): KeyObject {
  switch (type) {
    case 'ed25519':
      return generateKeyPairSync('ed25519').privateKey;
    case 'ed448':
      return generateKeyPairSync('ed448').privateKey;
    case 'rsa-1024':
    case 'rsa-2048':
    case 'rsa-3072':
      return generateKeyPairSync('rsa', { modulusLength: Number(type.slice(4)) }).privateKey;
    case 'ec-p224':
      return generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).privateKey;
    case 'ec-p256':
    case 'ec-p384':
    case 'ec-p521':
      return generateKeyPairSync('ec', { namedCurve: `P-${type.slice(4)}` }).privateKey;
  }
}

function publicKeyInfo(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

function distinguishedName(commonName: string): Buffer {
  const attribute = (oid: string, value: string) => setOf(sequence(objectIdentifier(oid), utf8String(value)));
  return sequence(attribute('2.5.4.10', 'Waxwing Trial'), attribute('2.5.4.3', commonName));
}

function signatureAlgorithm(key: KeyObject, hash: string): { identifier: Buffer; digest: string | null } {
  if (key.asymmetricKeyType === 'ed25519')
    return { identifier: sequence(objectIdentifier('1.3.101.112')), digest: null };
  if (key.asymmetricKeyType === 'ed448') return { identifier: sequence(objectIdentifier('1.3.101.113')), digest: null };
  const isRsa = key.asymmetricKeyType === 'rsa';
  const arcs: Record<string, readonly [rsa: string, ec: string]> = {
    sha1: ['1.2.840.113549.1.1.5', '1.2.840.10045.4.1'],
    sha256: ['1.2.840.113549.1.1.11', '1.2.840.10045.4.3.2'],
    sha384: ['1.2.840.113549.1.1.12', '1.2.840.10045.4.3.3'],
    sha512: ['1.2.840.113549.1.1.13', '1.2.840.10045.4.3.4'],
  };
  const [rsa = '', ec = ''] = arcs[hash] ?? [];
  return {
    identifier: isRsa ? sequence(objectIdentifier(rsa), nullValue()) : sequence(objectIdentifier(ec)),
    digest: hash,
  };
}

function extensions(options: TrialLeafOptions, key: KeyObject, signer: KeyObject): Buffer[] {
  const isCa = options.basicConstraints === 'ca';
  const list = [
    extension('2.5.29.15', true, namedBits(options.keyUsage ?? digitalSignature)),
    extension('2.5.29.14', false, octetString(options.keyId ?? keyIdentifier(key))),
    extension('2.5.29.35', false, sequence(primitive(0, keyIdentifier(signer)), ...above(options.issuersIssuer))),
  ];
  if (options.basicConstraints !== 'absent') {
    const pathLength = options.pathLength === undefined ? [] : [integer(options.pathLength)];
    list.push(extension('2.5.29.19', true, sequence(...(isCa ? [boolean(true), ...pathLength] : []))));
  }
  if (!isCa) list.push(extension('2.5.29.37', false, sequence(objectIdentifier('1.3.6.1.5.5.7.3.1'))));
  if (options.domains.length > 0)
    list.push(extension('2.5.29.17', false, sequence(...options.domains.map(generalName))));
  if (options.revocationList !== undefined) {
    const fullName = constructed(0, primitive(6, Buffer.from(options.revocationList)));
    list.push(extension('2.5.29.31', false, sequence(sequence(constructed(0, fullName)))));
  }
  if (options.issuerUrls !== undefined) {
    const access = options.issuerUrls.map((url) =>
      sequence(objectIdentifier('1.3.6.1.5.5.7.48.2'), primitive(6, Buffer.from(url))),
    );
    list.push(extension('1.3.6.1.5.5.7.1.1', false, sequence(...access)));
  }
  return list;
}

/** The fields authorityCertIssuer and authorityCertSerialNumber (RFC 5280 §4.2.1.1), which stand together. */
function above(commonName: string | undefined): Buffer[] {
  if (commonName === undefined) return [];
  return [constructed(1, constructed(4, distinguishedName(commonName))), primitive(2, Buffer.of(1))];
}

function extension(oid: string, critical: boolean, value: Buffer): Buffer {
  return sequence(objectIdentifier(oid), ...(critical ? [boolean(true)] : []), octetString(value));
}

/** DER drops the trailing zeros of a named bit list (X.690 §11.2.2). */
function namedBits(octet: number): Buffer {
  const trailingZeros = 31 - Math.clz32(octet & -octet);
  return bitString(Buffer.of(octet), trailingZeros);
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash('sha1').update(publicKeyInfo(key)).digest();
}
