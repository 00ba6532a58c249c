import type { Fault } from '../runtime/problem.ts';
import type { FoundKey } from './parse-material.ts';
import { signsFor } from './private-key.ts';
import type { X509 } from './x509.ts';

export interface LeafChoice {
  /** Without a matching key, the one that looks like a leaf, so that its other faults are found in the same go. */
  readonly leaf: X509 | undefined;
  readonly key: FoundKey | undefined;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/**
 * Which certificate is to be served: the one that a given private key belongs to.
 * @param locked whether a file could not be opened for want of its password: what is missing is then likely in there, and
 *   no fault of its own.
 */
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
  const refused = (field: string, message: string) => ({ ...pair, faults: [{ field, message }], warnings: [] });
  if (others.length > 0) {
    return refused('certificate', 'Several certificates with their keys were given; give only the one to be served.');
  }
  if (pair.leaf.keyObject === undefined || !(await signsFor(pair.key.key, pair.leaf.keyObject))) {
    return refused('key', 'The private key is damaged: it does not make signatures that fit the certificate.');
  }
  const idle = {
    field: 'key',
    message: 'Another private key was given that belongs to no certificate; it was left out.',
  };
  return { ...pair, faults: [], warnings: keys.length > 1 ? [idle] : [] };
}

function belongs({ publicKey }: FoundKey, certificate: X509): boolean {
  return certificate.keyObject?.equals(publicKey) ?? false;
}

function pairless(certificates: readonly X509[], keys: readonly FoundKey[], locked: boolean): Fault[] {
  if (certificates.length > 0 && keys.length > 0) {
    const message = 'The private key does not belong to the certificate; give the key it was requested with.';
    return [{ field: 'key', message }];
  }
  if (locked) return [];
  const faults: Fault[] = [];
  if (certificates.length === 0) faults.push({ field: 'certificate', message: 'No certificate was found; give one.' });
  if (keys.length === 0) {
    faults.push({
      field: 'key',
      message: 'No private key was found; give the key that the certificate was requested with.',
    });
  }
  return faults;
}

function likelyLeaf(certificates: readonly X509[]): X509 | undefined {
  const issuers = new Set(
    certificates.filter((one) => one.subject.comparable !== one.issuer.comparable).map((one) => one.issuer.comparable),
  );
  const ends = certificates.filter((one) => !issuers.has(one.subject.comparable));
  return ends.find((one) => !one.isCa) ?? ends[0] ?? certificates[0];
}
