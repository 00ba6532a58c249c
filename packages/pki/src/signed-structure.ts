import { type KeyObject, sign } from 'node:crypto';
import { bitString, nullValue, objectIdentifier, sequence } from './der/der-writer.ts';

export interface SignatureAlgorithm {
  readonly digest: string;
  /** AlgorithmIdentifier (RFC 5280 §4.1.1.2). */
  readonly identifier: Buffer;
}

/** How a key signs: RSA and EC P-256 with SHA-256, EC P-384 with SHA-384 (RFC 4055 §5, RFC 5758 §3.2). */
export function signatureAlgorithm(key: KeyObject): SignatureAlgorithm {
  if (key.asymmetricKeyType === 'rsa') {
    return { digest: 'sha256', identifier: sequence(objectIdentifier('1.2.840.113549.1.1.11'), nullValue()) };
  }
  switch (key.asymmetricKeyDetails?.namedCurve) {
    case 'prime256v1':
      return { digest: 'sha256', identifier: sequence(objectIdentifier('1.2.840.10045.4.3.2')) };
    case 'secp384r1':
      return { digest: 'sha384', identifier: sequence(objectIdentifier('1.2.840.10045.4.3.3')) };
    default:
      throw new TypeError(`no signature is made by a key of kind ${key.asymmetricKeyType}`);
  }
}

/** Content, algorithm and signature in one SEQUENCE, as certificates and requests for them are built. */
export async function signedStructure(content: Buffer, key: KeyObject): Promise<Buffer> {
  const { digest, identifier } = signatureAlgorithm(key);
  const signature = await new Promise<Buffer>((resolve, reject) => {
    sign(digest, content, key, (error, bytes) => (error ? reject(error) : resolve(bytes)));
  });
  return sequence(content, identifier, bitString(signature));
}
