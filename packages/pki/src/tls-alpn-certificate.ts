import { createPublicKey, type KeyObject } from 'node:crypto';
import { generalName } from './alternative-names.ts';
import {
  boolean,
  constructed,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  time,
  utf8String,
} from './der/der-writer.ts';
import { signatureAlgorithm, signedStructure } from './signed-structure.ts';

const day = 86_400_000;

/**
 * The certificate that answers TLS-ALPN-01 (RFC 8737 §3), in DER: signed by its own key, for the name to prove alone.
 * @param proof.digest SHA-256 of the key authorization
 * @param now epoch milliseconds
 */
export function tlsAlpnCertificate(
  proof: { readonly name: string; readonly digest: Uint8Array },
  key: KeyObject,
  now: number,
): Promise<Buffer> {
  const subject = sequence(setOf(sequence(objectIdentifier('2.5.4.3'), utf8String('ACME challenge'))));
  const extensions = sequence(
    extension('2.5.29.17', false, sequence(generalName(proof.name))),
    extension('1.3.6.1.5.5.7.1.31', true, octetString(proof.digest)),
  );
  const content = sequence(
    constructed(0, integer(2)),
    integer(1),
    signatureAlgorithm(key).identifier,
    subject,
    sequence(time(now - day), time(now + 7 * day)),
    subject,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    constructed(3, extensions),
  );
  return signedStructure(content, key);
}

function extension(oid: string, critical: boolean, value: Buffer): Buffer {
  return sequence(objectIdentifier(oid), ...(critical ? [boolean(true)] : []), octetString(value));
}
