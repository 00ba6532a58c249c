import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

/** What an authenticator or a browser may do wrong. */
export interface Deviations {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  /** Whether the person was asked for a fingerprint or PIN. */
  readonly verified?: boolean;
  readonly present?: boolean;
  readonly counter?: number;
  /** Signs something else than it sends. */
  readonly forged?: boolean;
  /** Says this of its make, asked or not. */
  readonly attestation?: { readonly format: string; readonly statement: ReadonlyMap<string, unknown> };
}

/** A passkey in an authenticator that exists in this process alone (WebAuthn Level 3 §6). */
export interface VirtualAuthenticator {
  readonly credentialId: string;
  create(options: PublicKeyCredentialCreationOptionsJSON, deviations?: Deviations): RegistrationResponseJSON;
  get(options: PublicKeyCredentialRequestOptionsJSON, deviations?: Deviations): AuthenticationResponseJSON;
}

export type PasskeyAlgorithm = 'ES256' | 'EdDSA';

const flag = { present: 0x01, verified: 0x04, attested: 0x40 } as const;

/** @param counts whether it counts its uses, as security keys do and synchronized passkeys do not */
export function createAuthenticator(
  origin: string,
  algorithm: PasskeyAlgorithm = 'ES256',
  counts = true,
): VirtualAuthenticator {
  const id = randomBytes(32);
  const credentialId = id.toString('base64url');
  const { publicKey, privateKey } =
    algorithm === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  let counter = 0;

  function authenticatorData(rpId: string, deviations: Deviations, attested?: Uint8Array): Buffer {
    const { verified = true, present = true } = deviations;
    if (counts) counter = deviations.counter ?? counter + 1;
    const flags =
      (present ? flag.present : 0) | (verified ? flag.verified : 0) | (attested === undefined ? 0 : flag.attested);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const hash = createHash('sha256')
      .update(deviations.rpId ?? rpId)
      .digest();
    return Buffer.concat([hash, Buffer.of(flags), count, attested ?? Buffer.alloc(0)]);
  }

  function clientData(type: string, challenge: string, deviations: Deviations): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: deviations.type ?? type,
        challenge: deviations.challenge ?? challenge,
        origin: deviations.origin ?? origin,
        crossOrigin: false,
      }),
    );
  }

  return {
    credentialId,
    create(options, deviations = {}) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey, algorithm)]);
      const data = authenticatorData(options.rp.id ?? '', deviations, attested);
      const { format, statement } = deviations.attestation ?? { format: 'none', statement: new Map() };
      // {"fmt": "none", "attStmt": {}, "authData": bytes}, keys in the order of CTAP2.
      const attestation = cbor(
        new Map<unknown, unknown>([
          ['fmt', format],
          ['attStmt', statement],
          ['authData', data],
        ]),
      );
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, deviations).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get(options, deviations = {}) {
      const data = authenticatorData(options.rpId ?? '', deviations);
      const client = clientData('webauthn.get', options.challenge, deviations);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      if (deviations.forged) signed.writeUInt8(signed.readUInt8(0) ^ 1);
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign(algorithm === 'ES256' ? 'sha256' : null, signed, privateKey).toString('base64url'),
        },
      };
    },
  };
}

/** RFC 9053 §7: key type, algorithm, curve, coordinates. */
function coseKey(publicKey: KeyObject, algorithm: PasskeyAlgorithm): Buffer {
  const jwk = publicKey.export({ format: 'jwk' });
  const x = Buffer.from(jwk.x ?? '', 'base64url');
  if (algorithm === 'EdDSA') {
    return cbor(
      new Map<unknown, unknown>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, x],
      ]),
    );
  }
  return cbor(
    new Map<unknown, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, x],
      [-3, Buffer.from(jwk.y ?? '', 'base64url')],
    ]),
  );
}

/** RFC 8949, as much of it as authenticators need: integers, byte and text strings, arrays, maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
  throw new TypeError(`no authenticator sends ${typeof value}`);
}

function head(major: number, argument: number): Buffer {
  const type = major << 5;
  if (argument < 24) return Buffer.of(type | argument);
  if (argument < 256) return Buffer.of(type | 24, argument);
  return Buffer.of(type | 25, argument >> 8, argument & 0xff);
}
