import { type CertificateFault, certificateFault } from './certificate-fault.ts';
import type { Chain } from './chain.ts';
import { namesOtherKey } from './issuer-hints.ts';
import type { KnownAuthorities, KnownAuthority } from './known-authorities.ts';
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
  const { faults: lasting, warnings } = judgeServedLeaf(leaf);
  const faults = [...validityFaults(leaf, now), ...lasting, ...sizeFaults(leaf)];
  const { domains, malformed } = leaf.alternativeNames;
  if (malformed.length > 0) {
    const names = malformed.slice(0, maxNamesShown).join(', ');
    faults.push(certificateFault('certificate', 'malformed_names', { ...named(leaf), names }));
  } else if (domains.length === 0) {
    faults.push(certificateFault('certificate', 'no_names', named(leaf)));
  }
  return { faults, warnings };
}

/** Remarks on a leaf that time does not change. Its expiry is shown by its date. */
export function judgeServedLeaf(leaf: X509): Judgement {
  const purpose = leaf.servesTls ? [] : [certificateFault('certificate', 'not_for_servers', named(leaf))];
  const warnings = [...purpose, ...exponentWarnings(leaf)];
  return { faults: [...keyFaults(leaf), ...signatureFaults(leaf)], warnings };
}

/** Faults refuse an import, and are remarks on what is stored. A missing intermediate is among the warnings. */
export function judgeChain(chain: Chain, known: KnownAuthorities, now: number): Judgement {
  const [leaf, ...intermediates] = chain.certificates;
  const faults = intermediates.flatMap((certificate, at) => [
    ...validityFaults(certificate, now),
    ...keyFaults(certificate),
    ...signatureFaults(certificate),
    ...issuerFaults(certificate, intermediates.slice(0, at)),
  ]);
  const warnings = intermediates
    .filter((certificate) => leaf !== undefined && certificate.notAfter < leaf.notAfter && certificate.notAfter >= now)
    .map((certificate) =>
      certificateFault('certificate', 'ends_before_leaf', {
        ...named(certificate),
        date: dateText(certificate.notAfter),
      }),
    );
  warnings.push(...intermediates.flatMap(exponentWarnings));
  const root = rootAbove(chain);
  if (root !== undefined) {
    faults.push(...issuerFaults(root.certificate, intermediates.slice(0, root.above)));
    // The root is not served. Its age and key matter only to the clients that trust it.
    warnings.push(...rootValidityFaults(root.certificate, now), ...keyFaults(root.certificate));
  }
  for (const { certificate, issuer } of chain.broken) faults.push(brokenLink(certificate, issuer));
  if (chain.tooMany) faults.push(certificateFault('certificate', 'same_names'));
  if (chain.open !== undefined) warnings.push(openEnd(chain.open, known));
  return { faults, warnings };
}

/** The root that clients check the chain against, given or known, unless it is served itself. */
function rootAbove({ certificates, root, anchor }: Chain): { certificate: X509; above: number } | undefined {
  if (root !== undefined) {
    return certificates.includes(root) ? undefined : { certificate: root, above: certificates.length - 1 };
  }
  if (anchor === undefined || certificates.includes(anchor.root)) return undefined;
  return { certificate: anchor.root, above: anchor.above };
}

/** Where proof exists that an intermediate is missing, that is said. Else the chain ends at an authority that nobody knows. */
function openEnd(open: X509, known: KnownAuthorities): CertificateFault {
  const parameters = { ...named(open), issuer: shown(open.issuer.text) };
  return certificateFault(
    'certificate',
    lacksIntermediate(open, known) ? 'missing_intermediate' : 'issuer_unknown',
    parameters,
  );
}

/** @param open the certificate at which a chain ends: its issuer was neither given nor is known as a root */
export function lacksIntermediate(open: X509, known: KnownAuthorities): boolean {
  if (open.issuerUrls.length > 0) return true;
  const isIssuer = ({ certificate, isRoot }: KnownAuthority) =>
    !isRoot && !namesOtherKey(open, certificate) && open.isSignedBy(certificate);
  if (known.named(open.issuer.comparable).some(isIssuer)) return true;
  const { issuersIssuer } = open;
  const isIssuerItself = issuersIssuer === open.issuer.comparable;
  return issuersIssuer !== undefined && !isIssuerItself && known.named(issuersIssuer).some(({ isRoot }) => isRoot);
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

function rootValidityFaults(root: X509, now: number): CertificateFault[] {
  if (now <= root.notAfter) return validityFaults(root, now);
  const parameters = { ...named(root), date: dateText(root.notAfter) };
  return [certificateFault('certificate', 'expired_root', parameters)];
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

function exponentWarnings({ publicKey: { keyType, weakness, isSmallExponent }, ...certificate }: X509) {
  if (!isSmallExponent || weakness !== undefined) return [];
  return [certificateFault('certificate', 'small_exponent', { ...named(certificate), key: keyType })];
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

/** @param below the intermediates between it and the leaf */
function issuerFaults(certificate: X509, below: readonly X509[]): CertificateFault[] {
  if (!certificate.isCa) return [certificateFault('certificate', 'no_authority', named(certificate))];
  if (!certificate.maySign) return [certificateFault('certificate', 'may_not_sign', named(certificate))];
  if (certificate.pathLength !== undefined && certificate.pathLength < below.filter(isNotSelfIssued).length) {
    return [certificateFault('certificate', 'path_too_long', named(certificate))];
  }
  return [];
}

/** @param below the intermediates between it and the leaf */
export const standsAbove = (certificate: X509, below: readonly X509[]) => issuerFaults(certificate, below).length === 0;

/** RFC 5280 §4.2.1.9: what an authority issues to itself does not count. */
const isNotSelfIssued = ({ subject, issuer }: X509) => subject.comparable !== issuer.comparable;

/** A warning about files that name chain members in another order than leaf first. */
export const outOfOrder = (file: string) => certificateFault('certificate', 'wrong_order', { file });

export const givenTwice = (certificate: X509) => certificateFault('certificate', 'doubled', named(certificate));

/** A warning about a certificate outside the leaf's chain. */
export function unneeded(certificate: X509): CertificateFault {
  return certificateFault('certificate', 'not_in_chain', named(certificate));
}

export function named({ subject, serial }: Pick<X509, 'subject' | 'serial'>) {
  return { certificate: shown(subject.text), serial: shown(serial) };
}

/** Issuers choose the length of names and serial numbers. */
export const shown = (text: string) => (text.length <= 200 ? text : `${text.slice(0, 200)}…`);

const dateText = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
