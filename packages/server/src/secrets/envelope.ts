/**
 * The envelope in which secrets rest. Every sealed object has a data key of its own, which is wrapped by a master key;
 * both layers are AES-256-GCM with 16-byte tags. Byte layout of version 1, fixed for ever (n = length of the plaintext):
 *
 *     offset  length
 *          0       1  format version, 1          ┐ header
 *          1       8  id of the master key       ┘
 *          9      12  nonce of the wrapping
 *         21      32  data key, encrypted by the master key
 *         53      16  tag of the wrapping        (associated data: header, then context)
 *         69      12  nonce of the content
 *         81       n  plaintext, encrypted by the data key
 *       81+n      16  tag of the content         (associated data: context)
 *
 * The context says what the bytes are and where they belong, so that they open nowhere else. It is not stored: it is
 * the format version (1 byte), then the purpose and each id as UTF-8 behind its length (4 bytes, big-endian).
 * The content's tag leaves the master key's id out: re-wrapping for another master key replaces bytes 0 to 68 only.
 *
 * Nonces are random: the data key is used once, and the master key may wrap 2^32 times (NIST SP 800-38D §8.3).
 */
import { createCipheriv, createDecipheriv, type DecipherGCM, randomBytes } from 'node:crypto';
import { KEY_BYTES, type RandomSource } from './key-material.ts';
import { KEY_ID_BYTES, type KeyRing, keyById, type MasterKey } from './key-ring.ts';

/** What sealed bytes are and where they belong, e.g. `certificate-key` of [organization, certificate, version]. */
export interface SealContext {
  readonly purpose: string;
  readonly ids: readonly string[];
}

const sentences = {
  'unknown-key': 'The secret is sealed by a master key that this instance does not hold.',
  tampered: 'The sealed secret was altered, belongs elsewhere, or was sealed by another key with this id.',
  malformed: 'The bytes are not a sealed secret of a known version.',
} as const;

export type SealFault = keyof typeof sentences;

/** Why sealed bytes do not open. Tells nothing of their content. */
export class SealError extends Error {
  override readonly name = 'SealError';
  readonly reason: SealFault;
  /** For `unknown-key`: the id of the needed master key. */
  readonly keyId: string | undefined;

  constructor(reason: SealFault, keyId?: string) {
    super(keyId === undefined ? sentences[reason] : `${sentences[reason]} Its id is ${keyId}.`);
    this.reason = reason;
    this.keyId = keyId;
  }
}

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_END = 1 + KEY_ID_BYTES;
const WRAPPED_AT = HEADER_END + NONCE_BYTES;
const WRAP_TAG_AT = WRAPPED_AT + KEY_BYTES;
const WRAP_END = WRAP_TAG_AT + TAG_BYTES;
const CONTENT_AT = WRAP_END + NONCE_BYTES;
const options = { authTagLength: TAG_BYTES };

/** How many bytes sealing adds. */
export const SEAL_OVERHEAD = CONTENT_AT + TAG_BYTES;

/** Seals under the ring's current key. @throws TypeError when the context is not well-formed Unicode */
export function seal(
  ring: KeyRing,
  context: SealContext,
  plaintext: Uint8Array,
  random: RandomSource = randomBytes,
): Buffer {
  const bound = sealContextBytes(context);
  const dataKey = random(KEY_BYTES);
  try {
    const wrap = wrapDataKey(ring.current, bound, dataKey, random);
    const nonce = random(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, dataKey, nonce, options).setAAD(bound);
    const content = cipher.update(plaintext);
    cipher.final();
    return Buffer.concat([wrap, nonce, content, cipher.getAuthTag()]);
  } finally {
    dataKey.fill(0);
  }
}

/** The plaintext. @throws SealError `unknown-key`, `tampered` (or another context) or `malformed` */
export function open(ring: KeyRing, context: SealContext, sealed: Uint8Array): Buffer {
  const bound = sealContextBytes(context);
  const dataKey = unwrapDataKey(masterKeyOf(ring, sealed), bound, sealed);
  try {
    const nonce = sealed.subarray(WRAP_END, CONTENT_AT);
    const content = sealed.subarray(CONTENT_AT, sealed.length - TAG_BYTES);
    const tag = sealed.subarray(sealed.length - TAG_BYTES);
    return decrypt(createDecipheriv(ALGORITHM, dataKey, nonce, options).setAAD(bound), content, tag);
  } finally {
    dataKey.fill(0);
  }
}

/** Wraps the data key by the ring's current key. Undefined if it is so already. @throws SealError as `open` does */
export function rewrap(ring: KeyRing, context: SealContext, sealed: Uint8Array): Buffer | undefined {
  const key = masterKeyOf(ring, sealed);
  if (key.id === ring.current.id) return undefined;
  const bound = sealContextBytes(context);
  const dataKey = unwrapDataKey(key, bound, sealed);
  try {
    return Buffer.concat([wrapDataKey(ring.current, bound, dataKey, randomBytes), sealed.subarray(WRAP_END)]);
  } finally {
    dataKey.fill(0);
  }
}

/** The id of the needed master key. @throws SealError `malformed` */
export function sealedKeyId(sealed: Uint8Array): string {
  if (sealed.length < SEAL_OVERHEAD || sealed[0] !== VERSION) throw new SealError('malformed');
  return Buffer.from(sealed.buffer, sealed.byteOffset + 1, KEY_ID_BYTES).toString('hex');
}

/** The context in the form that both layers bind. Different contexts give different bytes. */
export function sealContextBytes(context: SealContext): Buffer {
  const parts = [context.purpose, ...context.ids];
  let length = 1;
  for (const part of parts) {
    // In UTF-8 all lone surrogates become the same character.
    if (!part.isWellFormed()) throw new TypeError('a seal context is not well-formed Unicode');
    length += 4 + Buffer.byteLength(part);
  }
  const bytes = Buffer.allocUnsafe(length);
  let end = bytes.writeUInt8(VERSION);
  for (const part of parts) {
    const written = bytes.write(part, end + 4);
    end = bytes.writeUInt32BE(written, end) + written;
  }
  return bytes;
}

/** The needed master key. @throws SealError `unknown-key` or `malformed` */
export function masterKeyOf(ring: KeyRing, sealed: Uint8Array): MasterKey {
  const id = sealedKeyId(sealed);
  const key = keyById(ring, id);
  if (key === undefined) throw new SealError('unknown-key', id);
  return key;
}

/** Bytes 0 to 68: header, nonce, wrapped data key and tag. */
function wrapDataKey(master: MasterKey, bound: Uint8Array, dataKey: Uint8Array, random: RandomSource): Buffer {
  const header = Buffer.concat([Buffer.of(VERSION), Buffer.from(master.id, 'hex')]);
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, master.key.keyObject, nonce, options).setAAD(header).setAAD(bound);
  const wrapped = cipher.update(dataKey);
  cipher.final();
  return Buffer.concat([header, nonce, wrapped, cipher.getAuthTag()]);
}

function unwrapDataKey(master: MasterKey, bound: Uint8Array, sealed: Uint8Array): Buffer {
  const nonce = sealed.subarray(HEADER_END, WRAPPED_AT);
  const decipher = createDecipheriv(ALGORITHM, master.key.keyObject, nonce, options)
    .setAAD(sealed.subarray(0, HEADER_END))
    .setAAD(bound);
  return decrypt(decipher, sealed.subarray(WRAPPED_AT, WRAP_TAG_AT), sealed.subarray(WRAP_TAG_AT, WRAP_END));
}

function decrypt(decipher: DecipherGCM, encrypted: Uint8Array, tag: Uint8Array): Buffer {
  decipher.setAuthTag(tag);
  const clear = decipher.update(encrypted);
  try {
    // GCM is a stream cipher: update returned everything, final only checks the tag.
    decipher.final();
  } catch {
    clear.fill(0);
    throw new SealError('tampered');
  }
  return clear;
}
