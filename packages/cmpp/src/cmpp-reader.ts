/** Reads the fields of a PDU in turn. Whoever reads has checked before that there are as many octets. */
export class CmppReader {
  readonly #octets: Buffer;
  #at: number;

  constructor(octets: Uint8Array, at: number) {
    this.#octets = asBuffer(octets);
    this.#at = at;
  }

  get remaining(): number {
    return this.#octets.length - this.#at;
  }

  /** An octet further on, without moving there. Undefined behind the end. */
  peek(distance: number): number | undefined {
    return this.#octets[this.#at + distance];
  }

  octet(): number {
    return this.#octets.readUInt8(this.#skip(1));
  }

  uint32(): number {
    return this.#octets.readUInt32BE(this.#skip(4));
  }

  messageId(): string {
    return this.#octets.readBigUInt64BE(this.#skip(8)).toString();
  }

  /** A copy: a part of the octets would keep all that were received together alive. */
  bytes(size: number): Buffer {
    const start = this.#skip(size);
    return Buffer.from(this.#octets.subarray(start, start + size));
  }

  /** Up to the first NUL. Peers may leave anything behind it. */
  text(size: number): string {
    const start = this.#skip(size);
    let text = '';
    for (let at = start; at < start + size; at++) {
      const code = this.#octets[at] ?? 0;
      if (code === 0) break;
      text += String.fromCharCode(code);
    }
    return text;
  }

  /** @returns where the skipped octets begin */
  #skip(size: number): number {
    const start = this.#at;
    this.#at += size;
    return start;
  }
}

/** Without a copy. */
export function asBuffer(octets: Uint8Array): Buffer {
  return Buffer.isBuffer(octets) ? octets : Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}
