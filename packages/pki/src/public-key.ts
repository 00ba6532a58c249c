import { context, type DerElement, DerFields, readDer, tags } from './der/der.ts';
import { bitLength, bitStringOctets, objectIdentifier, unsignedInteger } from './der/der-values.ts';

export const algorithmOids = {
  rsa: '1.2.840.113549.1.1.1',
  rsaPss: '1.2.840.113549.1.1.10',
  ec: '1.2.840.10045.2.1',
  ed25519: '1.3.101.112',
  ed448: '1.3.101.113',
} as const;

/** A larger key costs a server tens of milliseconds a handshake, and costs this server as much to check. */
export const maxRsaBits = 8192;
const minRsaBits = 2048;
/** The bits of 65537. */
const usualExponentBits = 17;

/** Why a public key is not accepted: the code of the fault, and the bound that the key exceeds, if any. */
type KeyWeakness =
  | { readonly code: 'weak_key'; readonly least: number }
  | { readonly code: 'oversized_key'; readonly most: number }
  | { readonly code: 'bad_exponent' | 'unnamed_curve' | 'other_curve' | 'other_kind' };

/** A public key's kind, for people, and why it is not accepted, if so. */
export interface PublicKeyFacts {
  /** `RSA 2048`, `RSA-PSS 3072`, `EC P-256`, `Ed25519` … */
  readonly keyType: string;
  readonly weakness: KeyWeakness | undefined;
  /** For RSA: a public exponent below the usual one. Careless padding checks made such signatures forgeable. */
  readonly isSmallExponent?: boolean;
  /** Whether OpenSSL may get it: a known kind, of a size that costs no undue work. */
  readonly usable: boolean;
}

const curves: Readonly<Record<string, string>> = {
  '1.2.840.10045.3.1.7': 'P-256',
  '1.3.132.0.34': 'P-384',
  '1.3.132.0.35': 'P-521',
};

const otherCurves: Readonly<Record<string, string>> = {
  '1.2.840.10045.3.1.1': 'P-192',
  '1.3.132.0.33': 'P-224',
  '1.3.132.0.10': 'secp256k1',
  '1.3.36.3.3.2.8.1.1.7': 'brainpoolP256r1',
  '1.3.36.3.3.2.8.1.1.11': 'brainpoolP384r1',
  '1.3.36.3.3.2.8.1.1.13': 'brainpoolP512r1',
};

/** Facts of a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7). @throws Unreadable */
export function publicKeyFacts(info: DerElement): PublicKeyFacts {
  const fields = new DerFields(info);
  const algorithm = new DerFields(fields.take(tags.sequence));
  const key = bitStringOctets(fields.take());
  fields.end();
  const identifier = objectIdentifier(algorithm.take());
  switch (identifier) {
    case algorithmOids.rsa:
      return rsaFacts('RSA', key);
    case algorithmOids.rsaPss:
      return rsaFacts('RSA-PSS', key);
    case algorithmOids.ec:
      return curveFacts(algorithm.take());
    case algorithmOids.ed25519:
      return { keyType: 'Ed25519', weakness: undefined, usable: true };
    case algorithmOids.ed448:
      return { keyType: 'Ed448', weakness: undefined, usable: true };
    default:
      return refused(`kind ${identifier}`, { code: 'other_kind' });
  }
}

function rsaFacts(kind: string, key: Buffer): PublicKeyFacts {
  const fields = new DerFields(readDer(key));
  const bits = bitLength(unsignedInteger(fields.take()));
  const exponent = unsignedInteger(fields.take());
  fields.end();
  const keyType = `${kind} ${bits}`;
  if (bits > maxRsaBits) return refused(keyType, { code: 'oversized_key', most: maxRsaBits });
  const low = bitLength(exponent) < 2 || ((exponent.at(-1) ?? 0) & 1) === 0;
  if (low || bitLength(exponent) > 64) return refused(keyType, { code: 'bad_exponent' });
  const isWeak = bits < minRsaBits;
  const isSmallExponent = bitLength(exponent) < usualExponentBits;
  return {
    keyType,
    weakness: isWeak ? { code: 'weak_key', least: minRsaBits } : undefined,
    isSmallExponent,
    usable: true,
  };
}

function curveFacts(parameters: DerElement): PublicKeyFacts {
  if (parameters.tag !== tags.objectIdentifier) return refused('EC', { code: 'unnamed_curve' });
  const identifier = objectIdentifier(parameters);
  const accepted = curves[identifier];
  if (accepted !== undefined) return { keyType: `EC ${accepted}`, weakness: undefined, usable: true };
  const keyType = `EC ${otherCurves[identifier] ?? identifier}`;
  return { keyType, weakness: { code: 'other_curve' }, usable: true };
}

const refused = (keyType: string, weakness: KeyWeakness): PublicKeyFacts => ({ keyType, weakness, usable: false });

const sha1Weakness = 'SHA-1';

/** Signature algorithms that are accepted. */
const strongSignatures = new Set([
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  algorithmOids.ed25519,
  algorithmOids.ed448,
]);

const weakSignatures: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.2': 'MD2',
  '1.2.840.113549.1.1.3': 'MD4',
  '1.2.840.113549.1.1.4': 'MD5',
  '1.2.840.113549.1.1.5': sha1Weakness,
  '1.3.14.3.2.29': sha1Weakness,
  '1.2.840.10045.4.1': sha1Weakness,
};

const strongHashes = new Set(['2.16.840.1.101.3.4.2.1', '2.16.840.1.101.3.4.2.2', '2.16.840.1.101.3.4.2.3']);

/** Why a certificate's signature is not accepted: the digest's name or the identifier. Undefined when it is strong. */
export function signatureWeakness(algorithm: DerElement): string | undefined {
  const fields = new DerFields(algorithm);
  const identifier = objectIdentifier(fields.take());
  if (identifier === algorithmOids.rsaPss) return pssWeakness(fields.take(tags.sequence));
  return strongSignatures.has(identifier) ? undefined : (weakSignatures[identifier] ?? identifier);
}

/** RSASSA-PSS-params (RFC 4055 §3.1). An absent hash means SHA-1. */
function pssWeakness(parameters: DerElement): string | undefined {
  const hash = new DerFields(parameters).optional(context(0));
  if (hash === undefined) return sha1Weakness;
  const identifier = objectIdentifier(new DerFields(new DerFields(hash, context(0)).take(tags.sequence)).take());
  return strongHashes.has(identifier) ? undefined : identifier;
}
