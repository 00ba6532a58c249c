import { CmppFieldFault } from './cmpp-fault.ts';

const decimal = /^\d{1,20}$/;

/** Writes the fields of a PDU in turn. Every method throws a CmppFieldFault if its field cannot hold the value. */
export class CmppWriter {
  #octets = Buffer.allocUnsafe(512);
  #length = 0;

  octet(field: string, value: number): void {
    checkRange(field, value, 0xff);
    const at = this.#grow(1);
    this.#octets[at] = value;
  }

  uint32(field: string, value: number): void {
    checkRange(field, value, 0xffff_ffff);
    const at = this.#grow(4);
    this.#octets.writeUInt32BE(value, at);
  }

  messageId(field: string, value: string): void {
    const number = decimal.test(value) ? BigInt(value) : -1n;
    if (number < 0n || number > 0xffff_ffff_ffff_ffffn) throw new CmppFieldFault(field, 'is no number of 64 bits');
    const at = this.#grow(8);
    this.#octets.writeBigUInt64BE(number, at);
  }

  bytes(field: string, value: Uint8Array, size: number): void {
    if (value.length !== size) throw new CmppFieldFault(field, `is not ${size} octets long`);
    const at = this.#grow(size);
    this.#octets.set(value, at);
  }

  /** Padded with NULs (§8.1). */
  text(field: string, value: string, size: number): void {
    if (value.length > size) throw new CmppFieldFault(field, `is longer than ${size} octets`);
    const start = this.#grow(size);
    for (let index = 0; index < size; index++) {
      const code = index < value.length ? value.charCodeAt(index) : 0;
      if (code > 0xff || (code === 0 && index < value.length)) {
        throw new CmppFieldFault(field, 'has a character that is NUL or not in Latin-1');
      }
      this.#octets[start + index] = code;
    }
  }

  octets(): Buffer {
    return this.#octets.subarray(0, this.#length);
  }

  /** Writes over the first four octets: the total length, known at last. */
  finish(): Buffer {
    this.#octets.writeUInt32BE(this.#length, 0);
    return this.octets();
  }

  /** Before the octets are touched, since they may move. @returns where the new ones begin */
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

function checkRange(field: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new CmppFieldFault(field, `is no whole number from 0 to ${most}`);
  }
}
