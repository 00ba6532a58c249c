import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

export const keyKinds = ['ec256', 'ec384', 'rsa2048', 'rsa3072', 'rsa4096'] as const;
export type KeyKind = (typeof keyKinds)[number];

const generate = promisify(generateKeyPair);

/** A new private key. Off the main thread: RSA with 4096 bits takes a second, at times several. */
export async function generateKey(kind: KeyKind): Promise<KeyObject> {
  const size = Number(kind.replace(/^\D+/, ''));
  const pair = kind.startsWith('ec')
    ? await generate('ec', { namedCurve: `P-${size}` })
    : await generate('rsa', { modulusLength: size });
  return pair.privateKey;
}
