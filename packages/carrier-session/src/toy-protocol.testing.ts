import type { DecodedPdu, SessionProtocol } from './session-protocol.ts';

/** A small protocol for tests: length (4 octets), kind (1), number (4), text. */
export interface ToyPdu {
  readonly kind: ToyKind;
  readonly sequence: number;
  readonly text: string;
}

type ToyKind = keyof typeof codes;

const codes = {
  request: 1,
  bind: 2,
  keepAlive: 3,
  farewell: 4,
  requestResponse: 0x81,
  bindResponse: 0x82,
  keepAliveResponse: 0x83,
  farewellResponse: 0x84,
  nack: 0xff,
} as const;

const kinds = new Map(Object.entries(codes).map(([kind, code]) => [code as number, kind as ToyKind]));

export function toyPdu(kind: ToyKind, sequence: number, text = ''): ToyPdu {
  return { kind, sequence, text };
}

export function encodeToy({ kind, sequence, text }: ToyPdu): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(9);
  head.writeUInt32BE(9 + body.length, 0);
  head.writeUInt8(codes[kind], 4);
  head.writeUInt32BE(sequence, 5);
  return Buffer.concat([head, body]);
}

/** A text that begins with `!` is malformed. */
export function decodeToy(octets: Uint8Array): DecodedPdu<ToyPdu> {
  const bytes = Buffer.from(octets.buffer, octets.byteOffset, octets.length);
  const [code, sequence, text] = [bytes.readUInt8(4), bytes.readUInt32BE(5), bytes.toString('utf8', 9)];
  const kind = kinds.get(code);
  if (kind !== undefined && !text.startsWith('!')) return { kind: 'pdu', pdu: { kind, sequence, text } };
  const isResponse = code >= 0x80;
  const answer = isResponse ? undefined : toyPdu('nack', sequence);
  return { kind: 'malformed', reason: 'The text begins with a mark.', sequence, isResponse, answer };
}

export const toyProtocol: SessionProtocol<ToyPdu> = {
  name: 'smpp',
  headLength: 4,
  shortestPdu: 9,
  longestPdu: 1000,
  lastSequence: 0x7fffffff,
  claimedLength: (head) => Buffer.from(head).readUInt32BE(0),
  decode: decodeToy,
  encode: (pdu) => {
    if (pdu.text.length > 991) throw new RangeError('the text is too long');
    return encodeToy(pdu);
  },
  lengthFault: () => toyPdu('nack', 0, 'length'),
  isResponse: ({ kind }) => codes[kind] >= 0x80,
  canAnswer: (response, request) => response.kind === 'nack' || response.kind === `${request.kind}Response`,
  keepAlive: (sequence) => toyPdu('keepAlive', sequence),
  farewell: (sequence) => toyPdu('farewell', sequence),
  isFarewell: ({ kind }) => kind === 'farewell',
  ownAnswer: ({ kind, sequence, text }) =>
    kind === 'keepAlive' || kind === 'farewell' ? toyPdu(`${kind}Response`, sequence, text) : undefined,
};
