import { DnsFault } from './dns-fault.ts';
import { checkName, type DomainName, nameKey } from './domain-name.ts';

/** The length of a message over TCP has 16 bits (RFC 1035 §4.2.2). */
const longestMessage = 65_535;
/** A pointer has 14 bits. */
const farthestPointer = 0x3fff;

/** Writes the parts of a message in turn. */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(512);
  #length = 0;
  /** Where names stand that a pointer can lead to. */
  readonly #places = new Map<string, number>();

  get length(): number {
    return this.#length;
  }

  octet(value: number): void {
    const at = this.#grow(1);
    this.#bytes.writeUInt8(value, at);
  }

  uint16(value: number): void {
    const at = this.#grow(2);
    this.#bytes.writeUInt16BE(value, at);
  }

  uint32(value: number): void {
    const at = this.#grow(4);
    this.#bytes.writeUInt32BE(value, at);
  }

  uint48(value: number): void {
    const at = this.#grow(6);
    this.#bytes.writeUIntBE(value, at, 6);
  }

  bytes(value: Uint8Array): void {
    const start = this.#grow(value.length);
    this.#bytes.set(value, start);
  }

  /** In full: what is signed has no pointers. */
  fullName(name: DomainName): void {
    for (const label of checkName(name)) this.#label(label);
    this.octet(0);
  }

  /** With a pointer to the longest end of it that stands in the message already. */
  name(name: DomainName): void {
    checkName(name);
    for (const [index, label] of name.entries()) {
      const key = nameKey(name.slice(index));
      const place = this.#places.get(key);
      if (place !== undefined) {
        this.uint16(0xc000 | place);
        return;
      }
      if (this.#length <= farthestPointer) this.#places.set(key, this.#length);
      this.#label(label);
    }
    this.octet(0);
  }

  /** What `write` writes, behind its length in 16 bits. */
  measured(write: () => void): void {
    const at = this.#grow(2);
    write();
    this.#bytes.writeUInt16BE(this.#length - at - 2, at);
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #label(label: string): void {
    this.octet(label.length);
    this.bytes(Buffer.from(label, 'latin1'));
  }

  /** Before the bytes are looked at, since they may move. @returns where the new ones begin */
  #grow(count: number): number {
    const start = this.#length;
    this.#length += count;
    if (this.#length > longestMessage) throw new DnsFault('too-long');
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length));
      larger.set(this.#bytes.subarray(0, start));
      this.#bytes = larger;
    }
    return start;
  }
}
