import { type CertificateFault, certificateFault } from './certificate-fault.ts';
import { buildChain, type Chain } from './chain.ts';
import type { Unreadable } from './der/unreadable.ts';
import { ImportBudget } from './import-budget.ts';
import { type KnownAuthorities, noKnownAuthorities } from './known-authorities.ts';
import { chooseLeaf, type LeafChoice } from './leaf-choice.ts';
import {
  fitsAsIssuer,
  givenTwice,
  type Judgement,
  judgeChain,
  judgeLeaf,
  outOfOrder,
  unneeded,
} from './material-faults.ts';
import { type FoundKey, parseMaterial } from './parse-material.ts';
import { certificatesPem, type X509 } from './x509.ts';

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
  /** PEM of the root that came with it: for this certificate it counts as known. */
  readonly givenRoot: string | undefined;
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
  /** Default: none. */
  readonly known?: KnownAuthorities;
  /** Makes a missing intermediate a warning. */
  readonly incompleteChain?: boolean;
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
  known = noKnownAuthorities,
  incompleteChain = false,
}: ImportInput): Promise<ImportVerdict> {
  const excess = sizeFaults(files, password, maxBytes);
  if (excess.length > 0) return { faults: excess };
  const faults: CertificateFault[] = [];
  const certificates = new Map<string, X509>();
  const warnings: CertificateFault[] = [];
  const orders: FileOrder[] = [];
  const keys = new Map<string, FoundKey>();
  const budget = new ImportBudget();
  let locked = false;
  for (const { name, bytes } of files) {
    const found = await parseMaterial(bytes, password, budget);
    for (const certificate of found.certificates) {
      if (!certificates.has(certificate.fingerprint)) certificates.set(certificate.fingerprint, certificate);
      else if (warnings.length === 0) warnings.push(givenTwice(certificate));
    }
    if (found.isOrdered) orders.push({ file: name, fingerprints: found.certificates.map((one) => one.fingerprint) });
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
  const choice = await chooseLeaf(all, [...keys.values()], locked);
  return judge({ certificates: all, orders, choice, known, incompleteChain, now }, { faults, warnings });
}

/** The certificates of a file of PEM, in its order. */
interface FileOrder {
  readonly file: string;
  readonly fingerprints: readonly string[];
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

interface Read {
  readonly certificates: readonly X509[];
  readonly orders: readonly FileOrder[];
  readonly choice: LeafChoice;
  readonly known: KnownAuthorities;
  readonly incompleteChain: boolean;
  readonly now: number;
}

async function judge(read: Read, reading: Judgement): Promise<ImportVerdict> {
  const { certificates, choice, known, now } = read;
  const judgements: Judgement[] = [reading, choice];
  const { leaf, key } = choice;
  const chain = leaf && (await buildChain(leaf, certificates, (issuer) => fitsAsIssuer(issuer, now), known));
  if (leaf !== undefined && chain !== undefined) {
    const used = new Set([...chain.certificates, chain.root]);
    const left = certificates.filter((other) => !used.has(other)).map(unneeded);
    const warnings = [...misplaced(chain, read.orders).map(outOfOrder), ...left];
    judgements.push(judgeLeaf(leaf, now), judgeChain(chain, known, now), { faults: [], warnings });
  }
  const warnings = distinct(judgements.flatMap((judgement) => judgement.warnings));
  const missing = warnings.filter(({ code }) => code === 'missing_intermediate' && !read.incompleteChain);
  const faults = distinct([...judgements.flatMap((judgement) => judgement.faults), ...missing]);
  if (faults.length > 0 || leaf === undefined || chain === undefined || key === undefined) return { faults };
  return { material: toMaterial(leaf, chain, key), warnings };
}

/** The files whose certificates do not stand in the order of the chain. A double counts where it stands first. */
function misplaced({ certificates, root }: Chain, orders: readonly FileOrder[]): string[] {
  const places = new Map(
    [...certificates, ...(root === undefined ? [] : [root])].map((one, at) => [one.fingerprint, at]),
  );
  const ascends = (fingerprints: readonly string[]) => {
    const found = [...new Set(fingerprints)].map((one) => places.get(one)).filter((place) => place !== undefined);
    return found.every((place, at) => at === 0 || place > (found[at - 1] ?? 0));
  };
  return orders.filter(({ fingerprints }) => !ascends(fingerprints)).map(({ file }) => file);
}

function toMaterial(leaf: X509, { certificates, root }: Chain, key: FoundKey): CertificateMaterial {
  return {
    chain: certificatesPem(certificates),
    privateKey: key,
    domains: leaf.alternativeNames.domains,
    notBefore: leaf.notBefore,
    notAfter: leaf.notAfter,
    serial: leaf.serial,
    fingerprintSha256: leaf.fingerprint,
    issuer: leaf.issuer.text,
    subject: leaf.subject.text,
    keyType: leaf.publicKey.keyType,
    selfSigned: root === leaf,
    givenRoot: root === undefined || root === leaf ? undefined : certificatesPem([root]),
  };
}
