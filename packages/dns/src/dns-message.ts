import { DnsFault } from './dns-fault.ts';
import { type DomainName, isSameName } from './domain-name.ts';
import { type ResourceRecord, readRecord, writeRecord } from './resource-record.ts';
import { WireReader } from './wire-reader.ts';
import { WireWriter } from './wire-writer.ts';

export const opcodes = { QUERY: 0, UPDATE: 5 } as const;

/** The answers of servers (RFC 1035 §4.1.1, RFC 2136 §2.2). */
export const responseCodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  YXDOMAIN: 6,
  YXRRSET: 7,
  NXRRSET: 8,
  NOTAUTH: 9,
  NOTZONE: 10,
} as const;

/** The name of a code, or its number. */
export function responseCodeName(code: number): string {
  return Object.entries(responseCodes).find(([, each]) => each === code)?.[0] ?? `RCODE ${code}`;
}

export interface Question {
  readonly name: DomainName;
  readonly type: number;
  readonly class: number;
}

/** A message (RFC 1035 §4.1). Of an update the four sections are zone, prerequisites, updates and additional data. */
export interface DnsMessage {
  readonly id: number;
  readonly isResponse: boolean;
  readonly opcode: number;
  readonly isAuthoritative: boolean;
  readonly isTruncated: boolean;
  readonly recursionDesired: boolean;
  readonly recursionAvailable: boolean;
  readonly responseCode: number;
  readonly questions: readonly Question[];
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
}

export interface DecodedMessage extends DnsMessage {
  /** Where its last record begins: a signature covers what stands before it. */
  readonly lastRecordAt: number;
}

/** A question of ours, without recursion unless it is asked for. */
export function queryMessage(id: number, question: Question, recursionDesired = false): DnsMessage {
  return {
    id,
    isResponse: false,
    opcode: opcodes.QUERY,
    isAuthoritative: false,
    isTruncated: false,
    recursionDesired,
    recursionAvailable: false,
    responseCode: responseCodes.NOERROR,
    questions: [question],
    answers: [],
    authorities: [],
    additionals: [],
  };
}

/** Whether a message is the response to another: its id, its operation, and its question where it repeats one. */
export function isResponseTo(response: DnsMessage, request: DnsMessage): boolean {
  if (!response.isResponse || response.id !== request.id || response.opcode !== request.opcode) return false;
  // A server that could not read the question may leave it out, but then it tells nothing but an error.
  if (response.questions.length === 0) return response.responseCode !== responseCodes.NOERROR;
  const [asked, repeated] = [request.questions[0], response.questions[0]];
  if (asked === undefined || repeated === undefined || response.questions.length !== 1) return false;
  return repeated.type === asked.type && repeated.class === asked.class && isSameName(repeated.name, asked.name);
}

/** RFC 1035 §4.1.1 */
const headerSize = 12;

/** What a message tells before its first name: enough to pass over most of what nobody asked for. */
export interface DnsHeader {
  readonly id: number;
  readonly flags: ReturnType<typeof readFlags>;
  /** How many entries it says that each of the four sections has. */
  readonly counts: readonly [questions: number, answers: number, authorities: number, additionals: number];
}

/** Reads the first twelve bytes alone. @throws DnsFault */
export function readHeader(bytes: Uint8Array): DnsHeader {
  const reader = new WireReader(bytes);
  const [id, flags] = [reader.uint16(), readFlags(reader.uint16())];
  return { id, flags, counts: [reader.uint16(), reader.uint16(), reader.uint16(), reader.uint16()] };
}

/**
 * Questions and records of one message, together. A pointer of two octets may lead to a name of 127 labels, so what a
 * message costs follows their number rather than its length. No answer of use has nearly as many.
 */
const mostEntries = 500;

/** @throws DnsFault; whatever the bytes are, in time that follows `limit`, and space that follows their length */
export function decodeMessage(bytes: Uint8Array, limit: number = mostEntries): DecodedMessage {
  const { id, flags, counts } = readHeader(bytes);
  if (counts.reduce((sum, count) => sum + count) > limit) throw new DnsFault('too-many');
  const reader = new WireReader(bytes, headerSize);
  const questions = times(counts[0], () => readQuestion(reader));
  let lastRecordAt = reader.at;
  const next = () => {
    lastRecordAt = reader.at;
    return readRecord(reader);
  };
  const [answers, authorities, additionals] = [times(counts[1], next), times(counts[2], next), times(counts[3], next)];
  if (!reader.isAtEnd) throw new DnsFault('trailing');
  return { id, ...flags, questions, answers, authorities, additionals, lastRecordAt };
}

/** Unlike a list made beforehand, it takes no space that the bytes do not fill. */
function times<Item>(count: number, read: () => Item): readonly Item[] {
  const items: Item[] = [];
  for (let index = 0; index < count; index++) items.push(read());
  return items;
}

function readQuestion(reader: WireReader): Question {
  return { name: reader.name(), type: reader.uint16(), class: reader.uint16() };
}

function readFlags(flags: number) {
  return {
    isResponse: (flags & 0x8000) !== 0,
    opcode: (flags >>> 11) & 15,
    isAuthoritative: (flags & 0x0400) !== 0,
    isTruncated: (flags & 0x0200) !== 0,
    recursionDesired: (flags & 0x0100) !== 0,
    recursionAvailable: (flags & 0x0080) !== 0,
    responseCode: flags & 15,
  };
}

/** @throws DnsFault */
export function encodeMessage(message: DnsMessage): Buffer {
  const { id, questions, answers, authorities, additionals } = message;
  const writer = new WireWriter();
  writer.uint16(id);
  writer.uint16(flagsOf(message));
  for (const section of [questions, answers, authorities, additionals]) writer.uint16(section.length);
  for (const question of questions) {
    writer.name(question.name);
    writer.uint16(question.type);
    writer.uint16(question.class);
  }
  for (const record of [...answers, ...authorities, ...additionals]) writeRecord(writer, record);
  return writer.finish();
}

function flagsOf(message: DnsMessage): number {
  return (
    (message.isResponse ? 0x8000 : 0) |
    (message.opcode << 11) |
    (message.isAuthoritative ? 0x0400 : 0) |
    (message.isTruncated ? 0x0200 : 0) |
    (message.recursionDesired ? 0x0100 : 0) |
    (message.recursionAvailable ? 0x0080 : 0) |
    message.responseCode
  );
}
