import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { type AlternativeNames, readAlternativeNames } from './alternative-names.ts';
import { context, contextPrimitive, type DerElement, DerFields, readDer, tags } from './der/der.ts';
import { booleanValue, namedBits, objectIdentifier, octets, smallInteger, timeValue } from './der/der-values.ts';
import { damaged } from './der/unreadable.ts';
import { type DistinguishedName, readName } from './distinguished-name.ts';
import { type PublicKeyFacts, publicKeyFacts, signatureWeakness } from './public-key.ts';

/** A certificate (RFC 5280 §4.1), parsed. */
export interface X509 {
  readonly der: Buffer;
  /** SHA-256 over `der`, lower-case hex. */
  readonly fingerprint: string;
  /** Upper-case hex, as `openssl x509 -serial` prints it. */
  readonly serial: string;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** Epoch milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly publicKey: PublicKeyFacts;
  /** The digest or algorithm that makes its signature unacceptable, if any. */
  readonly signatureWeakness: string | undefined;
  readonly alternativeNames: AlternativeNames;
  readonly isCa: boolean;
  /** How many CA certificates may follow below it. Undefined: no limit. */
  readonly pathLength: number | undefined;
  /** Whether its key usage lets it sign certificates. */
  readonly maySign: boolean;
  /** Whether its extended key usage, if present, includes TLS servers. */
  readonly servesTls: boolean;
  /** Costs one signature verification. */
  isSignedBy(issuer: X509): boolean;
  /** For OpenSSL's own checks. Undefined for a key that OpenSSL must not get. */
  readonly keyObject: KeyObject | undefined;
}

/** @throws Unreadable */
export function readX509(der: Buffer): X509 {
  const certificate = new DerFields(readDer(der));
  const tbs = new DerFields(certificate.take(tags.sequence));
  const outerAlgorithm = certificate.take(tags.sequence);
  certificate.take(tags.bitString);
  certificate.end();
  const version = readVersion(tbs.optional(context(0)));
  tbs.take(tags.integer);
  const algorithm = tbs.take(tags.sequence);
  if (!algorithm.encoded.equals(outerAlgorithm.encoded)) throw damaged('certificate_two_algorithms');
  const issuer = readName(tbs.take());
  const validity = new DerFields(tbs.take(tags.sequence));
  const notBefore = timeValue(validity.take());
  const notAfter = timeValue(validity.take());
  validity.end();
  const subject = readName(tbs.take());
  const publicInfo = tbs.take(tags.sequence);
  tbs.optional(contextPrimitive(1));
  tbs.optional(contextPrimitive(2));
  const extensions = readExtensions(tbs.optional(context(3)));
  tbs.end();
  if (extensions !== undefined && version < 3) throw damaged('certificate_unknown_extensions');
  const parsed = openSslCertificate(der);
  const publicKey = publicKeyFacts(publicInfo);
  const facts = extensionFacts(extensions ?? new Map(), version);
  const keyObject = publicKey.usable ? keyObjectOf(parsed) : undefined;
  return {
    der,
    fingerprint: createHash('sha256').update(der).digest('hex'),
    serial: parsed.serialNumber,
    subject,
    issuer,
    notBefore,
    notAfter,
    publicKey,
    signatureWeakness: signatureWeakness(algorithm),
    ...facts,
    // OpenSSL's opinion counts, too: it knows more extensions, and most clients use it.
    isCa: facts.isCa && (version < 3 ? subject.comparable === issuer.comparable : parsed.ca),
    keyObject,
    isSignedBy: (by) => by.keyObject !== undefined && verifies(parsed, by.keyObject),
  };
}

function openSslCertificate(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch {
    throw damaged('certificate_damaged');
  }
}

function keyObjectOf(certificate: X509Certificate): KeyObject {
  try {
    return certificate.publicKey;
  } catch {
    throw damaged('certificate_public_key');
  }
}

function verifies(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.verify(key);
  } catch {
    // The key is of another kind than the signature needs.
    return false;
  }
}

function readVersion(element: DerElement | undefined): number {
  if (element === undefined) return 1;
  const fields = new DerFields(element, context(0));
  const version = smallInteger(fields.take()) + 1;
  fields.end();
  if (version > 3) throw damaged('certificate_version');
  return version;
}

const extensionOids = {
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
} as const;

function readExtensions(element: DerElement | undefined): ReadonlyMap<string, DerElement> | undefined {
  if (element === undefined) return undefined;
  const found = new Map<string, DerElement>();
  const outer = new DerFields(element, context(3));
  const list = new DerFields(outer.take(tags.sequence)).rest();
  outer.end();
  const wanted: ReadonlySet<string> = new Set(Object.values(extensionOids));
  const seen = new Set<string>();
  for (const extension of list) {
    const fields = new DerFields(extension);
    const identifier = objectIdentifier(fields.take());
    fields.optional(tags.boolean);
    const value = octets(fields.take());
    fields.end();
    if (seen.has(identifier)) throw damaged('certificate_extension_twice');
    seen.add(identifier);
    if (wanted.has(identifier)) found.set(identifier, readDer(value));
  }
  return found;
}

type ExtensionFacts = Pick<X509, 'alternativeNames' | 'isCa' | 'pathLength' | 'maySign' | 'servesTls'>;

const keyCertSign = 0b0000_0100;
const serverAuth = '1.3.6.1.5.5.7.3.1';
const anyExtendedKeyUsage = '2.5.29.37.0';

function extensionFacts(extensions: ReadonlyMap<string, DerElement>, version: number): ExtensionFacts {
  const names = extensions.get(extensionOids.alternativeNames);
  const usage = extensions.get(extensionOids.keyUsage);
  const extended = extensions.get(extensionOids.extendedKeyUsage);
  const purposes = extended === undefined ? [] : new DerFields(extended).rest().map(objectIdentifier);
  return {
    alternativeNames: names === undefined ? { domains: [], malformed: [] } : readAlternativeNames(names),
    ...basicConstraints(extensions.get(extensionOids.basicConstraints), version),
    maySign: usage === undefined || (namedBits(usage) & keyCertSign) !== 0,
    servesTls: extended === undefined || purposes.some((oid) => oid === serverAuth || oid === anyExtendedKeyUsage),
  };
}

/**
 * RFC 5280 §4.2.1.9. Certificates before version 3 have no extensions to mark a CA. Only old roots are left of them.
 */
function basicConstraints(element: DerElement | undefined, version: number): Pick<X509, 'isCa' | 'pathLength'> {
  if (element === undefined) return { isCa: version < 3, pathLength: undefined };
  const fields = new DerFields(element);
  const ca = fields.optional(tags.boolean);
  const pathLength = fields.optional(tags.integer);
  fields.end();
  return {
    isCa: ca !== undefined && booleanValue(ca),
    pathLength: pathLength === undefined ? undefined : smallInteger(pathLength),
  };
}
