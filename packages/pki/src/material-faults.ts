import { type CertificateFault, certificateFault } from './certificate-fault.ts';
import type { Chain } from './chain.ts';
import type { X509 } from './x509.ts';

/**
 * Judges certificates and chains: faults refuse the import, warnings are only reported. Times are epoch milliseconds.
 */
export interface Judgement {
  readonly faults: readonly CertificateFault[];
  readonly warnings: readonly CertificateFault[];
}

const maxNamesShown = 5;

/** Ten times what public authorities allow. More would hold up other requests: lists and searches read every name. */
const maxNames = 1_000;
/** Room for `maxNames` names of usual length. */
const maxNamesLength = 65_536;
/** Lists of versions show subject, issuer and serial number of each. */
const maxFactLength = 2_000;

/** Whether a certificate may issue another one at this time. */
export function fitsAsIssuer(certificate: X509, now: number): boolean {
  const current = certificate.notBefore <= now && now <= certificate.notAfter;
  // No client checks a certificate's signature on itself.
  const isSelfIssued = certificate.subject.comparable === certificate.issuer.comparable;
  const strong =
    certificate.publicKey.weakness === undefined && (isSelfIssued || certificate.signatureWeakness === undefined);
  return current && strong && certificate.isCa && certificate.maySign;
}

export function judgeLeaf(leaf: X509, now: number): Judgement {
  const faults = [...validityFaults(leaf, now), ...keyFaults(leaf), ...signatureFaults(leaf), ...sizeFaults(leaf)];
  const { domains, malformed } = leaf.alternativeNames;
  if (malformed.length > 0) {
    const names = malformed.slice(0, maxNamesShown).join(', ');
    faults.push(certificateFault('certificate', 'malformed_names', { ...named(leaf), names }));
  } else if (domains.length === 0) {
    faults.push(certificateFault('certificate', 'no_names', named(leaf)));
  }
  const warnings = leaf.servesTls ? [] : [certificateFault('certificate', 'not_for_servers', named(leaf))];
  const { keyType, weakness, isSmallExponent = false } = leaf.publicKey;
  if (isSmallExponent && weakness === undefined) {
    warnings.push(certificateFault('certificate', 'small_exponent', { ...named(leaf), key: keyType }));
  }
  return { faults, warnings };
}

export function judgeChain(chain: Chain, now: number): Judgement {
  const [leaf, ...intermediates] = chain.certificates;
  const faults = intermediates.flatMap((certificate, below) => [
    ...validityFaults(certificate, now),
    ...keyFaults(certificate),
    ...signatureFaults(certificate),
    ...issuerFaults(certificate, below),
  ]);
  const warnings = intermediates
    .filter((certificate) => leaf !== undefined && certificate.notAfter < leaf.notAfter && certificate.notAfter >= now)
    .map((certificate) =>
      certificateFault('certificate', 'ends_before_leaf', {
        ...named(certificate),
        date: dateText(certificate.notAfter),
      }),
    );
  if (chain.root !== undefined && chain.root !== leaf) {
    faults.push(...issuerFaults(chain.root, intermediates.length));
    // The root is not served. Its age and key matter only to the clients that trust it.
    warnings.push(...validityFaults(chain.root, now), ...keyFaults(chain.root));
  }
  for (const { certificate, issuer } of chain.broken) faults.push(brokenLink(certificate, issuer));
  if (chain.tooMany) faults.push(certificateFault('certificate', 'same_names'));
  if (chain.open !== undefined) {
    const issuer = shown(chain.open.issuer.text);
    warnings.push(certificateFault('certificate', 'issuer_not_given', { ...named(chain.open), issuer }));
  }
  return { faults, warnings };
}

function brokenLink(certificate: X509, issuer: X509): CertificateFault {
  if (certificate === issuer) return certificateFault('certificate', 'not_self_signed', named(certificate));
  return certificateFault('certificate', 'not_signed_by', {
    ...named(certificate),
    issuer: shown(issuer.subject.text),
  });
}

function validityFaults(certificate: X509, now: number): CertificateFault[] {
  const dated = (date: number) => ({ ...named(certificate), date: dateText(date) });
  if (now > certificate.notAfter) return [certificateFault('certificate', 'expired', dated(certificate.notAfter))];
  if (now < certificate.notBefore) {
    return [certificateFault('certificate', 'not_yet_valid', dated(certificate.notBefore))];
  }
  return [];
}

function keyFaults({ publicKey: { keyType, weakness }, ...certificate }: X509): CertificateFault[] {
  if (weakness === undefined) return [];
  const key = { ...named(certificate), key: keyType };
  switch (weakness.code) {
    case 'weak_key':
      return [certificateFault('certificate', weakness.code, { ...key, least: weakness.least })];
    case 'oversized_key':
      return [certificateFault('certificate', weakness.code, { ...key, most: weakness.most })];
    default:
      return [certificateFault('certificate', weakness.code, key)];
  }
}

function signatureFaults(certificate: X509): CertificateFault[] {
  const algorithm = certificate.signatureWeakness;
  if (algorithm === undefined) return [];
  return [certificateFault('certificate', 'weak_signature', { ...named(certificate), algorithm })];
}

function sizeFaults(leaf: X509): CertificateFault[] {
  const { domains } = leaf.alternativeNames;
  const characters = domains.reduce((sum, domain) => sum + domain.length, 0);
  const faults: CertificateFault[] = [];
  if (domains.length > maxNames) {
    const parameters = { ...named(leaf), names: domains.length, most: maxNames };
    faults.push(certificateFault('certificate', 'too_many_names', parameters));
  } else if (characters > maxNamesLength) {
    const parameters = { ...named(leaf), characters, most: maxNamesLength };
    faults.push(certificateFault('certificate', 'names_too_long', parameters));
  }
  if ([leaf.subject.text, leaf.issuer.text, leaf.serial].some(({ length }) => length > maxFactLength)) {
    faults.push(certificateFault('certificate', 'facts_too_long', { ...named(leaf), most: maxFactLength }));
  }
  return faults;
}

/** @param below how many intermediates stand between it and the leaf */
function issuerFaults(certificate: X509, below: number): CertificateFault[] {
  if (!certificate.isCa) return [certificateFault('certificate', 'no_authority', named(certificate))];
  if (!certificate.maySign) return [certificateFault('certificate', 'may_not_sign', named(certificate))];
  if (certificate.pathLength !== undefined && certificate.pathLength < below) {
    return [certificateFault('certificate', 'path_too_long', named(certificate))];
  }
  return [];
}

/** A warning about a certificate outside the leaf's chain. */
export function unneeded(certificate: X509): CertificateFault {
  return certificateFault('certificate', 'not_in_chain', named(certificate));
}

function named({ subject, serial }: Pick<X509, 'subject' | 'serial'>) {
  return { certificate: shown(subject.text), serial: shown(serial) };
}

/** Issuers choose the length of names and serial numbers. */
const shown = (text: string) => (text.length <= 200 ? text : `${text.slice(0, 200)}…`);

const dateText = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
