import { createPublicKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { generalName } from './alternative-names.ts';
import { constructed, integer, objectIdentifier, octetString, sequence, setOf, utf8String } from './der/der-writer.ts';
import { signedStructure } from './signed-structure.ts';

/** The limit of a common name (RFC 5280 appendix A.1, `ub-common-name`). */
const longestCommonName = 64;

/**
 * A request for a certificate (PKCS#10, RFC 2986) in DER.
 * @param key EC P-256, EC P-384 or RSA
 * @param names DNS names (A-labels) and IP addresses, at least one
 */
export function certificateRequest(key: KeyObject, names: readonly string[]): Promise<Buffer> {
  const alternativeNames = sequence(
    objectIdentifier('2.5.29.17'),
    octetString(sequence(...names.map((name) => generalName(name)))),
  );
  const extensionRequest = sequence(objectIdentifier('1.2.840.113549.1.9.14'), setOf(sequence(alternativeNames)));
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return signedStructure(
    sequence(integer(0), subject(names[0] ?? ''), publicKey, constructed(0, extensionRequest)),
    key,
  );
}

/** Only the alternative names count. Some private authorities still want a common name; an address is none. */
function subject(name: string): Buffer {
  if (name.length > longestCommonName || isIP(name) !== 0) return sequence();
  return sequence(setOf(sequence(objectIdentifier('2.5.4.3'), utf8String(name))));
}
