import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { type AlternativeNames, readAlternativeNames } from './alternative-names.ts';
import { context, contextPrimitive, type DerElement, DerFields, readDer, tags } from './der/der.ts';
import { booleanValue, namedBits, objectIdentifier, octets, smallInteger, timeValue } from './der/der-values.ts';
import { readPem, writePem } from './der/pem.ts';
import { damaged } from './der/unreadable.ts';
import { type DistinguishedName, readName } from './distinguished-name.ts';
import { type IssuerHints, issuerHints } from './issuer-hints.ts';
import { type PublicKeyFacts, publicKeyFacts, signatureWeakness } from './public-key.ts';

/** A certificate (RFC 5280 §4.1), parsed. */
export interface X509 extends IssuerHints {
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
  const extensionField = tbs.optional(context(3));
  const extensions = extensionField === undefined ? new Map<string, Buffer>() : readExtensions(extensionField);
  tbs.end();
  if (extensionField !== undefined && version < 3) throw damaged('certificate_unknown_extensions');
  const parsed = openSslCertificate(der);
  const publicKey = publicKeyFacts(publicInfo);
  const facts = extensionFacts(extensions, version);
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
    ...issuerHints(extensions),
    // OpenSSL's opinion counts, too: it knows more extensions, and most clients use it.
    isCa: facts.isCa && (version < 3 ? subject.comparable === issuer.comparable : parsed.ca),
    keyObject,
    isSignedBy: (by) => by.keyObject !== undefined && verifies(parsed, by.keyObject),
  };
}

/** PEM, LF only, one newline at the end. */
export function certificatesPem(certificates: readonly X509[]): string {
  return certificates.map(({ der }) => writePem('CERTIFICATE', der)).join('');
}

/** The certificates of a PEM text of ours. @throws Unreadable for one that is damaged */
export function readCertificates(pem: string): X509[] {
  const { blocks, faults } = readPem(pem, Number.POSITIVE_INFINITY);
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  return blocks.filter(({ label }) => label === 'CERTIFICATE').map(({ bytes }) => readX509(bytes));
}

/** The comparable name of a certificate's subject, without the work of reading the rest. @throws Unreadable */
export function subjectOf(der: Buffer): string {
  const tbs = new DerFields(new DerFields(readDer(der)).take(tags.sequence));
  tbs.optional(context(0));
  // Serial number, algorithm, issuer, validity.
  for (let before = 0; before < 4; before++) tbs.take();
  return readName(tbs.take()).comparable;
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

/** The values of the extensions by identifier, their octets unread. */
function readExtensions(element: DerElement): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  const outer = new DerFields(element, context(3));
  const list = new DerFields(outer.take(tags.sequence)).rest();
  outer.end();
  for (const extension of list) {
    const fields = new DerFields(extension);
    const identifier = objectIdentifier(fields.take());
    fields.optional(tags.boolean);
    const value = octets(fields.take());
    fields.end();
    if (found.has(identifier)) throw damaged('certificate_extension_twice');
    found.set(identifier, value);
  }
  return found;
}

type ExtensionFacts = Pick<X509, 'alternativeNames' | 'isCa' | 'pathLength' | 'maySign' | 'servesTls'>;

const keyCertSign = 0b0000_0100;
const serverAuth = '1.3.6.1.5.5.7.3.1';
const anyExtendedKeyUsage = '2.5.29.37.0';

function extensionFacts(extensions: ReadonlyMap<string, Buffer>, version: number): ExtensionFacts {
  const read = (identifier: string) => {
    const value = extensions.get(identifier);
    return value === undefined ? undefined : readDer(value);
  };
  const names = read(extensionOids.alternativeNames);
  const usage = read(extensionOids.keyUsage);
  const extended = read(extensionOids.extendedKeyUsage);
  const purposes = extended === undefined ? [] : new DerFields(extended).rest().map(objectIdentifier);
  return {
    alternativeNames: names === undefined ? { domains: [], malformed: [] } : readAlternativeNames(names),
    ...basicConstraints(read(extensionOids.basicConstraints), version),
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
