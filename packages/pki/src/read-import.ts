import { type CertificateFault, certificateFault } from './certificate-fault.ts';
import { buildChain } from './chain.ts';
import { writePem } from './der/pem.ts';
import type { Unreadable } from './der/unreadable.ts';
import { ImportBudget } from './import-budget.ts';
import { chooseLeaf, type LeafChoice } from './leaf-choice.ts';
import { fitsAsIssuer, type Judgement, judgeChain, judgeLeaf, unneeded } from './material-faults.ts';
import { type FoundKey, parseMaterial } from './parse-material.ts';
import type { X509 } from './x509.ts';

export interface ImportFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A certificate with its chain and key, checked and ready to serve. */
export interface CertificateMaterial {
  /** PEM, leaf first, LF only, 64 columns, one newline at the end. Without the root unless that is the leaf. */
  readonly chain: string;
  /** It prints no key material; `privateKeyPem` writes it. */
  readonly privateKey: FoundKey;
  /** In the order of the leaf's alternative names: A-labels in lower case, addresses in canonical form. */
  readonly domains: readonly string[];
  /** Epoch milliseconds. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Upper-case hex, as `openssl x509 -serial` prints it. */
  readonly serial: string;
  /** Lower-case hex. */
  readonly fingerprintSha256: string;
  /** RFC 4514 text. */
  readonly issuer: string;
  readonly subject: string;
  /** `RSA 2048`, `EC P-256`, `Ed25519` … */
  readonly keyType: string;
  readonly selfSigned: boolean;
}

type ImportVerdict =
  | { readonly material: CertificateMaterial; readonly warnings: readonly CertificateFault[] }
  | { readonly faults: readonly CertificateFault[] };

export interface ImportInput {
  readonly files: readonly ImportFile[];
  /** For every encrypted file. */
  readonly password?: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  /** All files together. */
  readonly maxBytes?: number;
}

export const maxImportBytes = 256 * 1024;
const maxFiles = 64;
const maxCertificates = 64;
const maxKeys = 16;
const maxPasswordLength = 1024;

/**
 * Reads and judges certificates and a private key in files of any known form. The result is the material or all faults;
 * a fault's field is the file's name, `password`, `certificate` or `key`. It never throws for the content of files.
 */
export async function readImport({
  files,
  password,
  now,
  maxBytes = maxImportBytes,
}: ImportInput): Promise<ImportVerdict> {
  const excess = sizeFaults(files, password, maxBytes);
  if (excess.length > 0) return { faults: excess };
  const faults: CertificateFault[] = [];
  const certificates = new Map<string, X509>();
  const keys = new Map<string, FoundKey>();
  const budget = new ImportBudget();
  let locked = false;
  for (const { name, bytes } of files) {
    const found = await parseMaterial(bytes, password, budget);
    for (const certificate of found.certificates) certificates.set(certificate.fingerprint, certificate);
    for (const key of found.keys) {
      const id = key.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
      if (!keys.has(id)) keys.set(id, key);
    }
    faults.push(...found.problems.map((problem) => fileFault(name, problem)));
    locked ||= found.problems.some(({ reason }) => reason === 'password_missing' || reason === 'password_wrong');
  }
  if (certificates.size > maxCertificates || keys.size > maxKeys) {
    faults.push(certificateFault('certificate', 'too_much_material'));
    return { faults: distinct(faults) };
  }
  const all = [...certificates.values()];
  return judge(all, await chooseLeaf(all, [...keys.values()], locked), faults, now);
}

function sizeFaults(files: readonly ImportFile[], password: string | undefined, maxBytes: number): CertificateFault[] {
  const faults: CertificateFault[] = [];
  const total = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const [only, ...others] = files;
  if (total > maxBytes) {
    const field = only !== undefined && others.length === 0 ? only.name : 'certificate';
    faults.push(certificateFault(field, 'too_many_bytes', { bytes: total, most: maxBytes / 1024 }));
  }
  if (only === undefined) faults.push(certificateFault('certificate', 'nothing_given'));
  if (files.length > maxFiles) faults.push(certificateFault('certificate', 'too_many_files', { most: maxFiles }));
  if ((password?.length ?? 0) > maxPasswordLength) {
    faults.push(certificateFault('password', 'password_too_long', { most: maxPasswordLength }));
  }
  return faults;
}

function fileFault(name: string, { reason, code, message, parameters }: Unreadable): CertificateFault {
  const fault = { code, parameters, file: name };
  if (reason !== 'password_missing' && reason !== 'password_wrong') return { field: name, message, ...fault };
  const clause = `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  return { field: 'password', message: `${name}: ${clause}`, ...fault };
}

function distinct(faults: readonly CertificateFault[]): CertificateFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify([fault.field, fault.message]), fault])).values()];
}

async function judge(
  certificates: readonly X509[],
  choice: LeafChoice,
  readFaults: readonly CertificateFault[],
  now: number,
): Promise<ImportVerdict> {
  const judgements: Judgement[] = [{ faults: readFaults, warnings: [] }, choice];
  const { leaf, key } = choice;
  const chain = leaf && (await buildChain(leaf, certificates, (issuer) => fitsAsIssuer(issuer, now)));
  if (leaf !== undefined && chain !== undefined) {
    const used = new Set([...chain.certificates, chain.root]);
    const warnings = certificates.filter((other) => !used.has(other)).map(unneeded);
    judgements.push(judgeLeaf(leaf, now), judgeChain(chain, now), { faults: [], warnings });
  }
  const faults = distinct(judgements.flatMap((judgement) => judgement.faults));
  if (faults.length > 0 || leaf === undefined || chain === undefined || key === undefined) return { faults };
  const warnings = distinct(judgements.flatMap((judgement) => judgement.warnings));
  return { material: toMaterial(leaf, chain.certificates, key, chain.root === leaf), warnings };
}

function toMaterial(leaf: X509, chain: readonly X509[], key: FoundKey, selfSigned: boolean): CertificateMaterial {
  return {
    chain: chain.map((certificate) => writePem('CERTIFICATE', certificate.der)).join(''),
    privateKey: key,
    domains: leaf.alternativeNames.domains,
    notBefore: leaf.notBefore,
    notAfter: leaf.notAfter,
    serial: leaf.serial,
    fingerprintSha256: leaf.fingerprint,
    issuer: leaf.issuer.text,
    subject: leaf.subject.text,
    keyType: leaf.publicKey.keyType,
    selfSigned,
  };
}
