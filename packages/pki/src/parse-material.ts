import { children, context, type DerElement, DerFields, inner, leadingElement, readDer, tags } from './der/der.ts';
import { objectIdentifier } from './der/der-values.ts';
import { type PemBlock, readPem } from './der/pem.ts';
import { damaged, Unreadable, unsupported } from './der/unreadable.ts';
import type { ImportBudget } from './import-budget.ts';
import { openEncryptedKey, openPkcs12 } from './pkcs12/pkcs12.ts';
import { oids } from './pkcs12/pkcs12-oids.ts';
import { type KeyForm, keyFormOf, openLegacyPem, type PrivateKey, readPrivateKey } from './private-key.ts';
import { readX509, type X509 } from './x509.ts';

interface FoundMaterial {
  readonly certificates: readonly X509[];
  readonly keys: readonly FoundKey[];
  readonly problems: readonly Unreadable[];
  /** Whether servers would send its certificates in this order. PKCS#7 and PKCS#12 have sets, and say no order. */
  readonly isOrdered: boolean;
}

export interface FoundKey extends PrivateKey {
  /** PEM or DER as given. Stored as PEM of the same form. */
  readonly form: KeyForm;
}

/** PEM: PKCS#8, or PKCS#1 or SEC1 when the key came as such. One newline at the end. Secret. */
export function privateKeyPem({ key, form }: FoundKey): string {
  return key.export({ type: form, format: 'pem' }).toString();
}

interface Gathering {
  readonly password: string | undefined;
  readonly budget: ImportBudget;
  readonly certificates: X509[];
  readonly keys: FoundKey[];
  readonly problems: Unreadable[];
  isOrdered: boolean;
}

/** More than any real chain. A hostile file could hold thousands, each with its work. */
const maxCertificatesPerFile = 64;
const maxKeysPerFile = 8;

/** Finds certificates and private keys in a file of any known form. Never throws for the file's content. */
export async function parseMaterial(
  bytes: Uint8Array,
  password: string | undefined,
  budget: ImportBudget,
): Promise<FoundMaterial> {
  const gathering: Gathering = { password, budget, certificates: [], keys: [], problems: [], isOrdered: true };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const element = wholeElement(buffer);
  if (element === undefined) await gatherPem(textOf(buffer), gathering);
  else await attempt(gathering, () => gatherDer(element, gathering));
  const { certificates, keys, problems, isOrdered } = gathering;
  if (certificates.length + keys.length + problems.length === 0) {
    problems.push(damaged('nothing_found'));
  }
  return { certificates, keys, problems, isOrdered };
}

/** A binary file is one SEQUENCE from its first octet to its last. */
function wholeElement(bytes: Buffer): DerElement | undefined {
  const element = leadingElement(bytes);
  return element?.tag === tags.sequence && element.encoded.length === bytes.length ? element : undefined;
}

/** Windows editors save text as UTF-16 with a byte order mark. Everything else in PEM is ASCII. */
function textOf(bytes: Buffer): string {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString('utf16le') : bytes.toString('latin1');
}

async function attempt(gathering: Gathering, read: () => Promise<void> | void): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    gathering.problems.push(error);
  }
}

async function gatherPem(text: string, gathering: Gathering): Promise<void> {
  const { blocks, faults } = readPem(text);
  gathering.problems.push(...faults);
  const others: string[] = [];
  for (const block of blocks) {
    await attempt(gathering, async () => {
      if (!(await gatherBlock(block, gathering))) others.push(block.label);
    });
  }
  const found = gathering.certificates.length + gathering.keys.length + gathering.problems.length > 0;
  if (!found && others.length > 0) {
    gathering.problems.push(damaged('only_other_blocks', { labels: [...new Set(others)].join(', ') }));
  }
}

/** Whether the block is of a known kind. */
async function gatherBlock(block: PemBlock, gathering: Gathering): Promise<boolean> {
  switch (block.label) {
    case 'CERTIFICATE':
    case 'X509 CERTIFICATE':
      addCertificate(gathering, block.bytes);
      return true;
    case 'TRUSTED CERTIFICATE':
      // OpenSSL's own form: the certificate, followed by trust settings that do not matter here.
      addCertificate(gathering, leadingElement(block.bytes)?.encoded ?? block.bytes);
      return true;
    case 'PRIVATE KEY':
      addKey(gathering, block.bytes, 'pkcs8');
      return true;
    case 'RSA PRIVATE KEY':
      gatherNamedKey(block, 'pkcs1', gathering);
      return true;
    case 'EC PRIVATE KEY':
      gatherNamedKey(block, 'sec1', gathering);
      return true;
    case 'ENCRYPTED PRIVATE KEY': {
      const plain = await openEncryptedKey(readDer(block.bytes), gathering.password, gathering.budget);
      addKey(gathering, plain, 'pkcs8');
      return true;
    }
    case 'PKCS7':
    case 'CMS':
      gatherPkcs7(readDer(block.bytes, 'ber'), gathering);
      return true;
    case 'DSA PRIVATE KEY':
    case 'OPENSSH PRIVATE KEY':
      throw unsupported('block_cannot_serve', { label: block.label });
    default:
      return false;
  }
}

function gatherNamedKey(block: PemBlock, form: KeyForm, gathering: Gathering): void {
  const encrypted = block.headers.has('DEK-Info') || /ENCRYPTED/.test(block.headers.get('Proc-Type') ?? '');
  addKey(gathering, encrypted ? openLegacyPem(block, gathering.password) : block.bytes, form);
}

/** Tells the binary forms apart by their first fields. */
async function gatherDer(element: DerElement, gathering: Gathering): Promise<void> {
  const form = keyFormOf(element);
  const [first, second] = children(element);
  if (first?.tag === tags.integer && first.content.equals(Buffer.of(3))) {
    gathering.isOrdered = false;
    const { certificates, keys } = await openPkcs12(element, gathering.password, gathering.budget);
    for (const certificate of certificates) await attempt(gathering, () => addCertificate(gathering, certificate));
    for (const key of keys) await attempt(gathering, () => addKey(gathering, key, 'pkcs8'));
  } else if (form !== undefined) {
    addKey(gathering, element.encoded, form);
  } else if (first?.tag === tags.objectIdentifier) {
    gatherPkcs7(element, gathering);
  } else if (second?.tag === tags.octetString) {
    addKey(gathering, await openEncryptedKey(element, gathering.password, gathering.budget), 'pkcs8');
  } else {
    addCertificate(gathering, element.encoded);
  }
}

/** The certificates of a PKCS#7 SignedData (RFC 2315 §9.1). Its signatures do not matter here. */
function gatherPkcs7(element: DerElement, gathering: Gathering): void {
  gathering.isOrdered = false;
  const contentInfo = new DerFields(element);
  if (objectIdentifier(contentInfo.take()) !== oids.signedData) throw damaged('pkcs7_without_certificates');
  const signedData = new DerFields(inner(contentInfo.take(context(0))));
  signedData.take(tags.integer);
  signedData.take(tags.set);
  signedData.take(tags.sequence);
  const certificates = signedData.optional(context(0));
  if (certificates === undefined) throw damaged('pkcs7_without_certificates');
  for (const certificate of children(certificates)) addCertificate(gathering, certificate.encoded);
}

function addCertificate(gathering: Gathering, der: Buffer): void {
  if (gathering.certificates.length >= maxCertificatesPerFile) {
    throw damaged('too_many_certificates_in_file', { most: maxCertificatesPerFile });
  }
  gathering.certificates.push(readX509(der));
}

function addKey(gathering: Gathering, der: Buffer, form: KeyForm): void {
  if (gathering.keys.length >= maxKeysPerFile) throw damaged('too_many_keys_in_file', { most: maxKeysPerFile });
  gathering.keys.push({ ...readPrivateKey(der, form), form });
}
