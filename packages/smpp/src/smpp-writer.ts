import { SmppFault } from './smpp-fault.ts';
import type { Tlv } from './tlv.ts';

/** Writes the fields of a PDU in turn. Every method throws a SmppFault that names a field which its value does not fit. */
export class SmppWriter {
  #octets = Buffer.allocUnsafe(256);
  #length = 0;

  octet(field: string, value: number): void {
    check(field, value, 0xff);
    const at = this.#grow(1);
    this.#octets[at] = value;
  }

  uint16(field: string, value: number): void {
    check(field, value, 0xffff);
    const at = this.#grow(2);
    this.#octets.writeUInt16BE(value, at);
  }

  uint32(field: string, value: number): void {
    check(field, value, 0xffff_ffff);
    const at = this.#grow(4);
    this.#octets.writeUInt32BE(value, at);
  }

  /** A C-octet string (SMPP 3.4 §3.1). @param longest octets with the NUL */
  text(field: string, value: string, longest: number): void {
    if (value.length >= longest) throw new SmppFault('too-long', field);
    const at = this.#grow(value.length + 1);
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code === 0 || code > 0xff) throw new SmppFault('character', field);
      this.#octets[at + index] = code;
    }
    this.#octets[at + value.length] = 0;
  }

  /** A time (SMPP 3.4 §7.1.1): 16 characters or none. */
  time(field: string, value: string): void {
    if (value.length !== 0 && value.length !== 16) throw new SmppFault('range', field);
    this.text(field, value, 17);
  }

  octets(value: Uint8Array): void {
    const at = this.#grow(value.length);
    this.#octets.set(value, at);
  }

  /** Octets behind their length in one octet. */
  measured(field: string, value: Uint8Array, longest: number): void {
    if (value.length > longest) throw new SmppFault('too-long', field);
    this.octet(field, value.length);
    this.octets(value);
  }

  tlvs(tlvs: readonly Tlv[]): void {
    for (const { tag, value } of tlvs) {
      if (value.length > 0xffff) throw new SmppFault('too-long', 'tlv');
      this.uint16('tlv', tag);
      this.uint16('tlv', value.length);
      this.octets(value);
    }
  }

  /** The PDU, with its length as its first field. */
  finish(): Buffer {
    this.#octets.writeUInt32BE(this.#length, 0);
    return this.#octets.subarray(0, this.#length);
  }

  /** Before the octets are looked at, since they may move. @returns where the new ones begin */
  #grow(count: number): number {
    const start = this.#length;
    this.#length += count;
    if (this.#length > this.#octets.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#octets.length, this.#length));
      larger.set(this.#octets.subarray(0, start));
      this.#octets = larger;
    }
    return start;
  }
}

function check(field: string, value: number, highest: number): void {
  if (!Number.isInteger(value) || value < 0 || value > highest) throw new SmppFault('range', field);
}
