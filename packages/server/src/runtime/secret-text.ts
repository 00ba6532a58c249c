import { inspect } from 'node:util';

const stars = '***';

/** Prints, logs and serializes as stars. */
export abstract class Masked {
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

/** A private key, password or token. Only `reveal()` returns the clear value. */
export class SecretText extends Masked {
  readonly #value: string;

  constructor(value: string) {
    super();
    this.#value = value;
  }

  /** Never pass it to a log, an error or a store. */
  reveal(): string {
    return this.#value;
  }
}
