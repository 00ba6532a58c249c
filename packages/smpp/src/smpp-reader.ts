import { SmppFault } from './smpp-fault.ts';
import type { Tlv } from './tlv.ts';

/**
 * Reads the fields of a PDU in turn. Every method throws a SmppFault where the octets do not hold the field. It
 * allocates nothing by a length that the peer claims: octet strings are views.
 */
export class SmppReader {
  readonly #octets: Buffer;
  #at: number;

  constructor(octets: Uint8Array, at: number) {
    this.#octets = Buffer.isBuffer(octets) ? octets : Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
    this.#at = at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#octets.length;
  }

  octet(field: string): number {
    const value = this.#octets[this.#at];
    if (value === undefined) throw new SmppFault('cut-off', field);
    this.#at += 1;
    return value;
  }

  uint32(field: string): number {
    return this.#octets.readUInt32BE(this.#take(4, field));
  }

  /** A C-octet string (SMPP 3.4 §3.1). @param longest octets with the NUL, even for fields that are 1 or 17 long */
  text(field: string, longest: number): string {
    const octets = this.#octets;
    const start = this.#at;
    const limit = Math.min(start + longest, octets.length);
    let end = start;
    while (end < limit && octets[end] !== 0) end += 1;
    if (end === limit) throw new SmppFault(end - start === longest ? 'unterminated' : 'cut-off', field);
    this.#at = end + 1;
    return end === start ? '' : octets.toString('latin1', start, end);
  }

  /** As `text`, of a field that may end with the PDU instead of with a NUL. */
  lastText(field: string, longest: number): string {
    const end = this.#octets.indexOf(0, this.#at);
    const rest = this.#octets.length - this.#at;
    if (end !== -1 || rest >= longest) return this.text(field, longest);
    return this.#take(rest, field) === this.#octets.length ? '' : this.#octets.toString('latin1', this.#at - rest);
  }

  octets(field: string, length: number): Uint8Array {
    const start = this.#take(length, field);
    return this.#octets.subarray(start, start + length);
  }

  /** All that follows. Fewer than 4 NULs at the end are no TLV: some servers send one behind the short_message. */
  tlvs(): readonly Tlv[] {
    const octets = this.#octets;
    const tlvs: Tlv[] = [];
    while (this.#at < octets.length) {
      if (this.#at + 4 > octets.length) {
        if (octets.subarray(this.#at).every((octet) => octet === 0)) break;
        throw new SmppFault('tlv', 'tlv');
      }
      const tag = octets.readUInt16BE(this.#at);
      const start = this.#at + 4;
      const end = start + octets.readUInt16BE(this.#at + 2);
      if (end > octets.length) throw new SmppFault('tlv', 'tlv');
      tlvs.push({ tag, value: octets.subarray(start, end) });
      this.#at = end;
    }
    return tlvs;
  }

  #take(length: number, field: string): number {
    const start = this.#at;
    if (start + length > this.#octets.length) throw new SmppFault('cut-off', field);
    this.#at += length;
    return start;
  }
}
