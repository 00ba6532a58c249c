import type { SessionPdu, SessionProtocol } from './session-protocol.ts';

export type Frame =
  | { readonly kind: 'pdu'; readonly octets: Uint8Array }
  /** After it no PDU can be found again, so it is the last frame. */
  | { readonly kind: 'impossible-length'; readonly head: Uint8Array };

type Lengths = Pick<SessionProtocol<SessionPdu>, 'headLength' | 'shortestPdu' | 'longestPdu' | 'claimedLength'>;

const nothing = new Uint8Array();
const firstRoom = 512;

/**
 * Cuts PDUs out of a stream. It holds at most one chunk and the beginning of one PDU. Each octet is copied a constant
 * number of times, however small the chunks are.
 */
export class PduFramer {
  readonly #lengths: Lengths;
  #chunk: Uint8Array = nothing;
  #at = 0;
  /** The beginning of a PDU whose end has not arrived. */
  #begun: Uint8Array | undefined;
  #have = 0;
  /** What `#begun` must have before the next step: the head, then the whole PDU. */
  #need = 0;
  #isLengthKnown = false;
  #hasFailed = false;

  constructor(lengths: Lengths) {
    this.#lengths = lengths;
  }

  /** Adds a chunk. `next` must have returned undefined since the one before, or the two are joined. */
  push(chunk: Uint8Array): void {
    if (this.#hasFailed) return;
    const rest = this.#chunk.subarray(this.#at);
    this.#chunk = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    this.#at = 0;
  }

  /** The next frame, or undefined until another chunk is pushed. The octets of a PDU are never written again. */
  next(): Frame | undefined {
    return this.#begun === undefined ? this.#cut() : this.#complete(this.#begun);
  }

  #cut(): Frame | undefined {
    const { headLength } = this.#lengths;
    const available = this.#chunk.length - this.#at;
    if (available < headLength) return available === 0 ? this.#release() : this.#begin(headLength, false);
    const head = this.#chunk.subarray(this.#at, this.#at + headLength);
    const length = this.#lengths.claimedLength(head);
    if (!this.#isPossible(length)) return this.#fail(head);
    if (available < length) return this.#begin(length, true);
    this.#at += length;
    return { kind: 'pdu', octets: this.#chunk.subarray(this.#at - length, this.#at) };
  }

  #begin(need: number, isLengthKnown: boolean): Frame | undefined {
    this.#begun = Buffer.allocUnsafe(Math.max(firstRoom, this.#chunk.length - this.#at));
    this.#have = 0;
    this.#need = need;
    this.#isLengthKnown = isLengthKnown;
    return this.#complete(this.#begun);
  }

  #complete(begun: Uint8Array): Frame | undefined {
    const filled = this.#fill(begun);
    if (this.#have < this.#need) return this.#release();
    if (this.#isLengthKnown) {
      this.#begun = undefined;
      return { kind: 'pdu', octets: filled.subarray(0, this.#need) };
    }
    const head = filled.subarray(0, this.#lengths.headLength);
    const length = this.#lengths.claimedLength(head);
    if (!this.#isPossible(length)) return this.#fail(head);
    this.#need = length;
    this.#isLengthKnown = true;
    return this.#complete(filled);
  }

  /** Moves the octets of one PDU out of the chunk. The buffer doubles, because a claimed length alone must not cost memory. */
  #fill(begun: Uint8Array): Uint8Array {
    const taken = Math.min(this.#need - this.#have, this.#chunk.length - this.#at);
    let room = begun;
    if (this.#have + taken > begun.length) {
      room = Buffer.allocUnsafe(Math.min(this.#need, Math.max(2 * begun.length, this.#have + taken)));
      room.set(begun.subarray(0, this.#have));
      this.#begun = room;
    }
    room.set(this.#chunk.subarray(this.#at, this.#at + taken), this.#have);
    this.#have += taken;
    this.#at += taken;
    return room;
  }

  #isPossible(length: number): boolean {
    const { headLength, shortestPdu, longestPdu } = this.#lengths;
    return length >= Math.max(headLength, shortestPdu) && length <= longestPdu;
  }

  #fail(head: Uint8Array): Frame {
    this.#hasFailed = true;
    this.#begun = undefined;
    this.#release();
    return { kind: 'impossible-length', head };
  }

  #release(): undefined {
    this.#chunk = nothing;
    this.#at = 0;
    return undefined;
  }
}
