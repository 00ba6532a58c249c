/**
 * Signatures of messages by a shared key (RFC 8945). Offered are HMAC-SHA-256, 384 and 512; MD5 and SHA-1 are refused
 * although servers may still take them: every server that takes signatures at all has known SHA-256 since 2006.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type DecodedMessage, decodeMessage } from './dns-message.ts';
import { type DomainName, isSameName, parseName } from './domain-name.ts';
import { classes, recordTypes } from './resource-record.ts';
import { WireReader } from './wire-reader.ts';
import { WireWriter } from './wire-writer.ts';

export const tsigAlgorithms = { 'hmac-sha256': 'sha256', 'hmac-sha384': 'sha384', 'hmac-sha512': 'sha512' } as const;
export type TsigAlgorithm = keyof typeof tsigAlgorithms;

export interface TsigKey {
  readonly name: DomainName;
  readonly algorithm: TsigAlgorithm;
  readonly secret: Uint8Array;
}

/** By how many seconds the two clocks may differ (RFC 8945 §10 recommends it). */
const fudge = 300;

export interface SignedMessage {
  readonly bytes: Buffer;
  /** The answer is signed together with it. */
  readonly mac: Uint8Array;
}

/** What a response's signature tells. Without one, an error of the server about our key or clock can still be read. */
export type TsigVerdict =
  | { readonly kind: 'valid' }
  | { readonly kind: 'invalid'; readonly why: 'unsigned' | 'other-key' | 'mac' | 'time' }
  /** The server refuses the signature of the request. Only `time` is signed itself. */
  | { readonly kind: 'refused'; readonly why: 'key' | 'signature' | 'time' | 'truncation' };

/** RFC 8945 §5.2, §5.2.2.1 */
const serverErrors: Readonly<Record<number, Extract<TsigVerdict, { kind: 'refused' }>['why']>> = {
  16: 'signature',
  17: 'key',
  18: 'time',
  22: 'truncation',
};

interface TsigData {
  readonly algorithm: DomainName;
  /** Unix time in whole seconds. */
  readonly signedAt: number;
  readonly fudge: number;
  readonly mac: Uint8Array;
  readonly originalId: number;
  readonly error: number;
  readonly other: Uint8Array;
}

/**
 * Adds a signature to a message.
 * @param now Unix time in whole seconds
 * @param requestMac of the request, when a response is signed
 */
export function signMessage(bytes: Uint8Array, key: TsigKey, now: number, requestMac?: Uint8Array): SignedMessage {
  const message = Buffer.from(bytes);
  const unsigned = {
    algorithm: parseName(key.algorithm),
    signedAt: now,
    fudge,
    originalId: message.readUInt16BE(0),
    error: 0,
    other: new Uint8Array(),
  };
  const mac = macOf(message, key, unsigned, requestMac);
  const signed = Buffer.concat([message, recordOf(key.name, { ...unsigned, mac })]);
  signed.writeUInt16BE(signed.readUInt16BE(additionalCount) + 1, additionalCount);
  return { bytes: signed, mac };
}

/**
 * Checks the signature of a response.
 * @param now Unix time in whole seconds
 * @throws DnsFault
 */
export function verifyResponse(bytes: Uint8Array, key: TsigKey, requestMac: Uint8Array, now: number): TsigVerdict {
  const message = decodeMessage(bytes);
  const found = signatureIn(message);
  if (found === undefined) return { kind: 'invalid', why: 'unsigned' };
  const { name, data } = found;
  const why = serverErrors[data.error];
  // These two cannot be signed: the server has no key in common with us.
  if (why === 'key' || why === 'signature') return { kind: 'refused', why };
  if (!isSameName(name, key.name) || !isSameName(data.algorithm, parseName(key.algorithm))) {
    return { kind: 'invalid', why: 'other-key' };
  }
  const covered = Buffer.from(bytes.subarray(0, message.lastRecordAt));
  covered.writeUInt16BE(data.originalId, 0);
  covered.writeUInt16BE(covered.readUInt16BE(additionalCount) - 1, additionalCount);
  const expected = macOf(covered, key, data, requestMac);
  // Shortened ones are refused as well: no server shortens unless asked to.
  if (data.mac.length !== expected.length || !timingSafeEqual(data.mac, expected)) {
    return { kind: 'invalid', why: 'mac' };
  }
  if (why !== undefined) return { kind: 'refused', why };
  return Math.abs(now - data.signedAt) > data.fudge ? { kind: 'invalid', why: 'time' } : { kind: 'valid' };
}

/** Where the header counts the additional records. */
const additionalCount = 10;

function signatureIn(message: DecodedMessage): { readonly name: DomainName; readonly data: TsigData } | undefined {
  const last = message.additionals.at(-1);
  if (last?.type !== recordTypes.TSIG || last.data.kind !== 'bytes') return undefined;
  const reader = new WireReader(last.data.bytes);
  const [algorithm, signedAt, allowed] = [reader.name(), reader.uint48(), reader.uint16()];
  const mac = reader.bytes(reader.uint16());
  const [originalId, error] = [reader.uint16(), reader.uint16()];
  const other = reader.bytes(reader.uint16());
  return { name: last.name, data: { algorithm, signedAt, fudge: allowed, mac, originalId, error, other } };
}

/** RFC 8945 §4.3 */
function macOf(message: Uint8Array, key: TsigKey, data: Omit<TsigData, 'mac'>, requestMac?: Uint8Array): Buffer {
  const hmac = createHmac(tsigAlgorithms[key.algorithm], key.secret);
  if (requestMac !== undefined) {
    const writer = new WireWriter();
    writer.measured(() => writer.bytes(requestMac));
    hmac.update(writer.finish());
  }
  const variables = new WireWriter();
  variables.fullName(canonical(key.name));
  variables.uint16(classes.ANY);
  variables.uint32(0);
  variables.fullName(canonical(data.algorithm));
  variables.uint48(data.signedAt);
  variables.uint16(data.fudge);
  variables.uint16(data.error);
  variables.measured(() => variables.bytes(data.other));
  return hmac.update(message).update(variables.finish()).digest();
}

function canonical(name: DomainName): DomainName {
  return name.map((label) => label.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()));
}

function recordOf(name: DomainName, data: TsigData): Buffer {
  const writer = new WireWriter();
  writer.fullName(name);
  writer.uint16(recordTypes.TSIG);
  writer.uint16(classes.ANY);
  writer.uint32(0);
  writer.measured(() => {
    writer.fullName(data.algorithm);
    writer.uint48(data.signedAt);
    writer.uint16(data.fudge);
    writer.measured(() => writer.bytes(data.mac));
    writer.uint16(data.originalId);
    writer.uint16(data.error);
    writer.measured(() => writer.bytes(data.other));
  });
  return writer.finish();
}
