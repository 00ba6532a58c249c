import { inspect } from 'node:util';

const stars = '***';

/**
 * A private key, password or token. It prints, logs and serializes as stars. Only `reveal()` returns the clear value.
 */
export class SecretText {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Never pass it to a log, an error or a store. */
  reveal(): string {
    return this.#value;
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
