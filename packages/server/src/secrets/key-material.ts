import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { inspect } from 'node:util';

/** Where random bytes come from: `randomBytes` of node:crypto, or a fixed source in tests. */
export type RandomSource = (size: number) => Uint8Array;

/** Length of a master key and of a data key, in bytes (AES-256). */
export const KEY_BYTES = 32;

const stars = '***';

/** The 32 bytes of a master key. Prints stars wherever it is shown; the clear bytes come out of `reveal` alone. */
export class KeyMaterial {
  readonly #key: KeyObject;

  /** Copies `bytes`. @throws RangeError unless there are exactly 32. */
  constructor(bytes: Uint8Array) {
    if (bytes.length !== KEY_BYTES) throw new RangeError(`a master key has ${KEY_BYTES} bytes, not ${bytes.length}`);
    this.#key = createSecretKey(bytes);
  }

  /** For node:crypto, which takes it without the clear bytes passing through JavaScript. */
  get keyObject(): KeyObject {
    return this.#key;
  }

  /** A copy of the clear bytes, for writing the key file. */
  reveal(): Buffer {
    return this.#key.export();
  }

  toString(): string {
    return stars;
  }

  toJSON(): string {
    return stars;
  }

  [inspect.custom](): string {
    return stars;
  }
}

/**
 * A value by which the database remembers which key belongs to an id: another key under the same id is noticed before
 * anything is opened or sealed with it. HMAC-SHA256 of a fixed label, 64 hex characters; it reveals nothing of the key.
 */
export function keyCheck(key: KeyMaterial): string {
  return createHmac('sha256', key.keyObject).update('waxwing master key check 1').digest('hex');
}
