import { type CertificateFault, certificateFault } from './certificate-fault.ts';
import type { FoundKey } from './parse-material.ts';
import { signsFor } from './private-key.ts';
import type { X509 } from './x509.ts';

export interface LeafChoice {
  /** Without a matching key: the certificate that looks like a leaf, so that its other faults are reported as well. */
  readonly leaf: X509 | undefined;
  readonly key: FoundKey | undefined;
  readonly faults: readonly CertificateFault[];
  readonly warnings: readonly CertificateFault[];
}

/** @param locked whether a file stayed closed for want of its password: a missing part is not reported then */
export async function chooseLeaf(
  certificates: readonly X509[],
  keys: readonly FoundKey[],
  locked: boolean,
): Promise<LeafChoice> {
  const pairs = keys.flatMap((key) => certificates.filter((one) => belongs(key, one)).map((leaf) => ({ leaf, key })));
  const [pair, ...others] = pairs;
  if (pair === undefined) {
    return {
      leaf: likelyLeaf(certificates),
      key: undefined,
      faults: pairless(certificates, keys, locked),
      warnings: [],
    };
  }
  const refused = (fault: CertificateFault) => ({ ...pair, faults: [fault], warnings: [] });
  if (others.length > 0) {
    return refused(certificateFault('certificate', 'several_pairs'));
  }
  if (pair.leaf.keyObject === undefined || !(await signsFor(pair.key.key, pair.leaf.keyObject))) {
    return refused(certificateFault('key', 'key_does_not_sign'));
  }
  return { ...pair, faults: [], warnings: keys.length > 1 ? [certificateFault('key', 'idle_key')] : [] };
}

function belongs({ publicKey }: FoundKey, certificate: X509): boolean {
  return certificate.keyObject?.equals(publicKey) ?? false;
}

function pairless(certificates: readonly X509[], keys: readonly FoundKey[], locked: boolean): CertificateFault[] {
  if (certificates.length > 0 && keys.length > 0) return [certificateFault('key', 'key_of_another')];
  if (locked) return [];
  const faults: CertificateFault[] = [];
  if (certificates.length === 0) faults.push(certificateFault('certificate', 'no_certificate'));
  if (keys.length === 0) faults.push(certificateFault('key', 'no_key'));
  return faults;
}

function likelyLeaf(certificates: readonly X509[]): X509 | undefined {
  const issuers = new Set(
    certificates.filter((one) => one.subject.comparable !== one.issuer.comparable).map((one) => one.issuer.comparable),
  );
  const ends = certificates.filter((one) => !issuers.has(one.subject.comparable));
  return ends.find((one) => !one.isCa) ?? ends[0] ?? certificates[0];
}
