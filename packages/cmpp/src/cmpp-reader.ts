/** Reads the fields of a PDU in turn. Whoever reads has checked before that there are as many octets. */
export class CmppReader {
  readonly #octets: Buffer;
  #at: number;

  constructor(octets: Uint8Array, at: number) {
    this.#octets = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
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
  bytes(size: number): Uint8Array {
    const start = this.#skip(size);
    return new Uint8Array(this.#octets.subarray(start, start + size));
  }

  /** Up to the first NUL. Peers may leave anything behind it. */
  text(size: number): string {
    const start = this.#skip(size);
    let end = start;
    while (end < start + size && this.#octets[end] !== 0) end += 1;
    return end === start ? '' : this.#octets.toString('latin1', start, end);
  }

  skip(size: number): void {
    this.#skip(size);
  }

  /** @returns where the skipped octets begin */
  #skip(size: number): number {
    const start = this.#at;
    this.#at += size;
    return start;
  }
}
