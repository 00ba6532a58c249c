import { inspect } from 'node:util';

const stars = '***';

/**
 * A private key, password or token. Whatever prints, logs or serializes it shows stars; `reveal()` is the one place
 * where the clear value comes out, so a search for that word finds every use.
 */
export class SecretText {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The clear value. Never pass it to a log, an error or anything that is kept. */
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
