import { DnsFault } from './dns-fault.ts';
import { checkName, type DomainName } from './domain-name.ts';

/** Reads the parts of a message in turn. Every method throws a DnsFault where the bytes do not hold what is asked for. */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  at: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.at === this.#end;
  }

  octet(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#take(2));
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#take(4));
  }

  uint48(): number {
    return this.#bytes.readUIntBE(this.#take(6), 6);
  }

  bytes(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  rest(): Uint8Array {
    return this.bytes(this.#end - this.at);
  }

  /** A reader of the next bytes alone; pointers in them may lead to the whole message. */
  part(length: number): WireReader {
    const start = this.#take(length);
    return new WireReader(this.#bytes, start, start + length);
  }

  /** A name, compressed or not (RFC 1035 §4.1.4). */
  name(): DomainName {
    const labels: string[] = [];
    // Each pointer must lead before everything read so far of this name, so the reading ends.
    let earliest = this.at;
    let size = 1;
    let at = this.at;
    let isElsewhere = false;
    for (;;) {
      const limit = isElsewhere ? this.#bytes.length : this.#end;
      if (at >= limit) throw new DnsFault('cut-off');
      const length = this.#bytes.readUInt8(at);
      if (length >= 0xc0) {
        if (at + 2 > limit) throw new DnsFault('cut-off');
        const target = this.#bytes.readUInt16BE(at) & 0x3fff;
        if (target >= earliest) throw new DnsFault('pointer');
        if (!isElsewhere) this.at = at + 2;
        isElsewhere = true;
        earliest = target;
        at = target;
        continue;
      }
      if (length > 63) throw new DnsFault('name');
      if (at + 1 + length > limit) throw new DnsFault('cut-off');
      if (length === 0) {
        if (!isElsewhere) this.at = at + 1;
        return checkName(labels);
      }
      size += length + 1;
      if (size > 255) throw new DnsFault('name');
      labels.push(this.#bytes.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
  }

  #take(length: number): number {
    const start = this.at;
    if (start + length > this.#end) throw new DnsFault('cut-off');
    this.at += length;
    return start;
  }
}
