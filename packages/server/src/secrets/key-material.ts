import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { Masked } from '../runtime/secret-text.ts';

/** `randomBytes` of node:crypto, or a fixed source in tests. */
export type RandomSource = (size: number) => Uint8Array;

/** Length of master keys and data keys, bytes (AES-256). */
export const KEY_BYTES = 32;

/** The 32 bytes of a master key. Only `reveal` returns the bytes. */
export class KeyMaterial extends Masked {
  readonly #key: KeyObject;

  /** Copies `bytes`. @throws RangeError unless there are exactly 32 */
  constructor(bytes: Uint8Array) {
    super();
    if (bytes.length !== KEY_BYTES) throw new RangeError(`a master key has ${KEY_BYTES} bytes, not ${bytes.length}`);
    this.#key = createSecretKey(bytes);
  }

  /** For node:crypto, which needs no clear bytes in JavaScript then. */
  get keyObject(): KeyObject {
    return this.#key;
  }

  /** A copy of the clear bytes, for writing the key file. */
  reveal(): Buffer {
    return this.#key.export();
  }
}

/** HMAC-SHA256 of a fixed label, 64 hex characters. The database notices by it another key under a known id. */
export function keyCheck(key: KeyMaterial): string {
  return createHmac('sha256', key.keyObject).update('waxwing master key check 1').digest('hex');
}
