import type { Fault } from '../runtime/problem.ts';
import type { Chain } from './chain.ts';
import type { DistinguishedName } from './distinguished-name.ts';
import type { X509 } from './x509.ts';

/** Judgements of certificates and chains: facts in, faults (refused) and warnings (told) out. Times are epoch milliseconds. */
export interface Judgement {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

const maxNamesShown = 5;

/** Whether a certificate may stand above another one, now. */
export function fitsAsIssuer(certificate: X509, now: number): boolean {
  const current = certificate.notBefore <= now && now <= certificate.notAfter;
  // Nobody checks the signature that a certificate put on itself.
  const isSelfIssued = certificate.subject.comparable === certificate.issuer.comparable;
  const strong =
    certificate.publicKey.weakness === undefined && (isSelfIssued || certificate.signatureWeakness === undefined);
  return current && strong && certificate.isCa && certificate.maySign;
}

/** A certificate that is to be served itself. */
export function judgeLeaf(leaf: X509, now: number): Judgement {
  const faults = [...validityFaults(leaf, now), ...keyFaults(leaf), ...signatureFaults(leaf)];
  const { domains, malformed } = leaf.alternativeNames;
  if (malformed.length > 0) {
    const names = malformed.slice(0, maxNamesShown).join(', ');
    faults.push(
      about(
        leaf,
        `has malformed alternative names: ${names}; names go in A-label form (xn--…), addresses as addresses`,
      ),
    );
  } else if (domains.length === 0) {
    faults.push(
      about(
        leaf,
        'names no domain or address (subject alternative name), so no client accepts it; issue it anew with one',
      ),
    );
  }
  const warnings = leaf.servesTls ? [] : [about(leaf, 'is not meant for TLS servers by its extended key usage')];
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
      about(certificate, `expires on ${dateText(certificate.notAfter)}, before the certificate it vouches for`),
    );
  if (chain.root !== undefined && chain.root !== leaf) {
    faults.push(...issuerFaults(chain.root, intermediates.length));
    // The root is not served: what is wrong with its age or key is between it and those who trust it.
    warnings.push(...validityFaults(chain.root, now), ...keyFaults(chain.root));
  }
  for (const { certificate, issuer } of chain.broken) faults.push(brokenLink(certificate, issuer));
  if (chain.tooMany)
    faults.push({ field: 'certificate', message: 'Too many certificates share a name; give only the chain.' });
  if (chain.open !== undefined) {
    warnings.push(
      about(
        chain.open,
        `was issued by ${shown(chain.open.issuer)}, which was not given; clients must know that issuer`,
      ),
    );
  }
  return { faults, warnings };
}

function brokenLink(certificate: X509, issuer: X509): Fault {
  const claim =
    certificate === issuer
      ? 'names itself as its issuer, yet its signature does not verify'
      : `names ${shown(issuer.subject)} as its issuer, yet that certificate did not sign it`;
  return about(certificate, `${claim}; give the certificates as the authority delivered them`);
}

function validityFaults(certificate: X509, now: number): Fault[] {
  if (now > certificate.notAfter)
    return [about(certificate, `expired on ${dateText(certificate.notAfter)}; give a renewed one`)];
  if (now < certificate.notBefore) {
    return [about(certificate, `is not valid before ${dateText(certificate.notBefore)}; wait, or correct the clock`)];
  }
  return [];
}

function keyFaults({ publicKey, ...certificate }: X509): Fault[] {
  if (publicKey.weakness === undefined) return [];
  return [about(certificate, `has a key (${publicKey.keyType}) that ${publicKey.weakness}`)];
}

function signatureFaults(certificate: X509): Fault[] {
  const weakness = certificate.signatureWeakness;
  if (weakness === undefined) return [];
  return [
    about(
      certificate,
      `carries a signature made with ${weakness}, which is not accepted; have it issued with SHA-256 or better`,
    ),
  ];
}

/** @param below how many intermediates stand between it and the leaf. */
function issuerFaults(certificate: X509, below: number): Fault[] {
  if (!certificate.isCa)
    return [about(certificate, 'is not a certification authority (basic constraints), yet stands above another one')];
  if (!certificate.maySign)
    return [about(certificate, 'may not sign certificates (key usage), yet stands above another one')];
  if (certificate.pathLength !== undefined && certificate.pathLength < below) {
    return [about(certificate, 'stands above more authorities than its path length allows')];
  }
  return [];
}

/** A warning about a certificate that is in no chain of the leaf's. */
export function unneeded(certificate: X509): Fault {
  return about(certificate, 'does not belong to the chain and was left out');
}

function about(certificate: Pick<X509, 'subject' | 'serial'>, claim: string): Fault {
  const name = certificate.subject.text === '' ? `with serial ${certificate.serial}` : shown(certificate.subject);
  return { field: 'certificate', message: `The certificate ${name} ${claim}.` };
}

/** Names are as long as their makers like. */
const shown = (name: DistinguishedName) => (name.text.length <= 200 ? name.text : `${name.text.slice(0, 200)}…`);

const dateText = (epochMs: number) => `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
