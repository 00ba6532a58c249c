/**
 * Signed pushes in the form of Standard Webhooks (standardwebhooks.com, specification 1.0.0, "Signature scheme"): the
 * customer proves with the secret of the setting that a push came from us. A GET has no body, so its query is signed.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { SecretText } from '../runtime/secret-text.ts';

/** For how long a secret that was replaced still signs beside the new one. */
export const ROTATION_MS = 24 * 3_600_000;

/**
 * So many former secrets sign beside the current one at most, so that the header stays below 300 characters. One more
 * is refused: to drop the oldest instead would end without a word what was promised to receivers for a day.
 */
export const FORMER_SECRETS = 5;

export interface SigningSecrets {
  readonly current: KeyObject;
  /** Those before, the one replaced last first, and when (epoch ms) each was replaced. */
  readonly former: readonly { readonly key: KeyObject; readonly replacedAt: number }[];
}

export interface SignedParts {
  /** Stable for one push. Holds no dot. */
  readonly id: string;
  /** Of the attempt, Unix time in whole seconds. */
  readonly timestamp: number;
  /** The body; of a GET the whole raw query string as sent, without its `?`. */
  readonly signed: string;
}

const PREFIX = 'whsec_';
const KEY_BYTES = 32;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A new secret of 256 random bits, `whsec_` and base64. */
export function issueSigningSecret(random: (size: number) => Uint8Array = randomBytes): SecretText {
  return new SecretText(PREFIX + Buffer.from(random(KEY_BYTES)).toString('base64'));
}

/**
 * The key of a secret that a customer brings along or that we issued.
 * @returns undefined unless it is `whsec_` and the base64 of 24 to 64 bytes, as the specification asks
 */
export function parseSigningSecret(secret: SecretText): KeyObject | undefined {
  const text = secret.reveal();
  const encoded = text.slice(PREFIX.length);
  if (!text.startsWith(PREFIX) || !base64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.length >= 24 && bytes.length <= 64 ? createSecretKey(bytes) : undefined;
}

/** The value of `Webhook-Signature`: one signature, and behind it one of each secret replaced less than a day ago. */
export function signPush(secrets: SigningSecrets, parts: SignedParts, now: number): string {
  const content = `${parts.id}.${parts.timestamp}.${parts.signed}`;
  return keysSigning(secrets, now)
    .map((key) => signatureOf(key, content))
    .join(' ');
}

/** The current one first. */
export function keysSigning({ current, former }: SigningSecrets, now: number): readonly KeyObject[] {
  const signing = former.filter(({ replacedAt }) => now - replacedAt < ROTATION_MS);
  return [current, ...signing.map(({ key }) => key)];
}

function signatureOf(key: KeyObject, content: string): string {
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
