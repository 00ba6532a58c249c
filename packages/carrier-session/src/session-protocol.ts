/** What a session has to know of a protocol (SMPP, CMPP). An implementation is pure and keeps no state. */

/** Every protocol of carriers numbers its requests; a response has the number of its request. */
export interface SessionPdu {
  readonly sequence: number;
}

export type DecodedPdu<P extends SessionPdu> =
  | { readonly kind: 'pdu'; readonly pdu: P }
  /** The octets are no PDU. The session stays usable: the length was right. */
  | {
      readonly kind: 'malformed';
      /** One sentence, without content of the PDU. */
      readonly reason: string;
      /** Of the PDU, if its head could be read. */
      readonly sequence: number;
      /** Whether the octets claim to answer a request of ours. */
      readonly isResponse: boolean;
      /** What the protocol wants to be answered, if anything. */
      readonly answer: P | undefined;
    };

export interface SessionProtocol<P extends SessionPdu> {
  readonly name: 'smpp' | 'cmpp2' | 'cmpp3';
  /** The octets at the start of a PDU which tell its length. */
  readonly headLength: number;
  readonly shortestPdu: number;
  readonly longestPdu: number;
  /** The sequence number after which 1 comes again. */
  readonly lastSequence: number;
  /** Any number up to 2^32 - 1, because the peer writes it. @param head `headLength` octets */
  claimedLength(head: Uint8Array): number;
  /** @param octets as many as are claimed. Never throws. */
  decode(octets: Uint8Array): DecodedPdu<P>;
  /** @throws Error if a field does not fit */
  encode(pdu: P): Uint8Array;
  /** Sent before the connection is closed because of an impossible length, after which no PDU can be found again. */
  lengthFault(head: Uint8Array): P | undefined;
  isResponse(pdu: P): boolean;
  /** Whether the response is one that the request can have. The sequence numbers are equal already. */
  canAnswer(response: P, request: P): boolean;
  /** The request by which a quiet connection is tried: enquire_link, CMPP_ACTIVE_TEST. */
  keepAlive(sequence: number): P;
  /** The request that ends a session: unbind, CMPP_TERMINATE. */
  farewell(sequence: number): P;
  isFarewell(pdu: P): boolean;
  /** The answer to what the session answers by itself: keep-alives, farewells, requests that no peer may send here. */
  ownAnswer(request: P): P | undefined;
}
