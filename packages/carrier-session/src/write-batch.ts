import type { Writable } from 'node:stream';

/** Joins the PDUs of one turn of the event loop into one write: a system call costs more than a small PDU. */
export class WriteBatch {
  readonly #stream: Writable;
  readonly #onFull: () => void;
  #octets: Uint8Array[] = [];
  #onFlushed: (() => void)[] = [];
  #immediate: NodeJS.Immediate | undefined;

  /** @param onFull more was written than the stream takes at the moment; its event `drain` follows */
  constructor(stream: Writable, onFull: () => void) {
    this.#stream = stream;
    this.#onFull = onFull;
  }

  /** @param onFlushed called when the system has taken the octets, or the stream has failed */
  add(octets: Uint8Array, onFlushed?: () => void): void {
    this.#octets.push(octets);
    if (onFlushed !== undefined) this.#onFlushed.push(onFlushed);
    this.#immediate ??= setImmediate(() => this.flush());
  }

  /** Writes the collected PDUs at once. */
  flush(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    const [octets, onFlushed] = [this.#octets, this.#onFlushed];
    [this.#octets, this.#onFlushed] = [[], []];
    if (octets.length === 0) return;
    const isTaken = this.#stream.write(Buffer.concat(octets), () => {
      for (const each of onFlushed) each();
    });
    if (!isTaken) this.#onFull();
  }

  /** Drops the PDUs that are not written yet. */
  discard(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    [this.#octets, this.#onFlushed] = [[], []];
  }
}
