/** What an authoritative server for one zone answers. It knows nothing else, asks nobody, and changes nothing. */
import {
  type DnsHeader,
  type DnsMessage,
  decodeMessage,
  encodeMessage,
  opcodes,
  type Question,
  readHeader,
  responseCodes,
} from './dns-message.ts';
import { type DomainName, isSameName, isWithin } from './domain-name.ts';
import {
  classes,
  type RecordData,
  type ResourceRecord,
  recordTypes,
  type StartOfAuthority,
  textData,
} from './resource-record.ts';

export interface Zone {
  readonly name: DomainName;
  readonly authority: StartOfAuthority;
  /** Its name servers, and their addresses where their names lie inside of it. */
  readonly records: readonly ResourceRecord[];
  /** Of the answers, in seconds. */
  readonly ttl: number;
}

/** The TXT values of a name; undefined where there is no such name, empty where something lies below it alone. */
export type TextValues = readonly string[] | undefined;

/** What a datagram or a message over TCP is. */
export type ReadQuery =
  | { readonly kind: 'query'; readonly message: DnsMessage; readonly size: number }
  /** It cannot be read, or holds what no question does; its sender can be told so. */
  | { readonly kind: 'malformed'; readonly id: number }
  /** Nothing that may be answered: servers that answer answers would talk for ever. */
  | { readonly kind: 'ignored' };

/** Of a question: its option (RFC 6891) and its signature (RFC 8945). */
const mostAdditionals = 2;

/** Reads nothing behind the header unless that is the header of one question. */
export function readQuery(bytes: Uint8Array): ReadQuery {
  if (bytes.length < 12) return { kind: 'ignored' };
  const { id, flags, counts } = readHeader(bytes);
  if (flags.isResponse) return { kind: 'ignored' };
  if (!isOfQuestion(counts)) return { kind: 'malformed', id };
  try {
    return { kind: 'query', message: decodeMessage(bytes), size: bytes.length };
  } catch {
    return { kind: 'malformed', id };
  }
}

function isOfQuestion([questions, answers, authorities, additionals]: DnsHeader['counts']): boolean {
  return questions === 1 && answers === 0 && authorities === 0 && additionals <= mostAdditionals;
}

/** The name whose TXT values the answer depends on. */
export function nameToFind(zone: Zone, read: ReadQuery): DomainName | undefined {
  if (read.kind !== 'query' || refusalOf(zone, read.message) !== undefined) return undefined;
  return read.message.questions[0]?.name;
}

/** The answer; undefined where there is none to give. `find` failed: `values` is `failed`. */
export function answerQuery(zone: Zone, read: ReadQuery, values: TextValues | 'failed'): DnsMessage | undefined {
  if (read.kind === 'ignored') return undefined;
  if (read.kind === 'malformed') return { ...blank, id: read.id, responseCode: responseCodes.FORMERR };
  const { message } = read;
  const refusal = refusalOf(zone, message);
  const [question] = message.questions;
  if (refusal !== undefined || question === undefined) return reply(message, refusal ?? {});
  if (values === 'failed') return reply(message, { responseCode: responseCodes.SERVFAIL });
  return reply(message, { isAuthoritative: true, ...zoneAnswer(zone, question, values) });
}

/** An answer over UDP is at most so many times as large as its question, whose sender may be forged. Two values fit. */
const largestFactor = 5;
/** RFC 1035 §4.2.1; what resolvers advertise beyond it is not needed. */
const largestDatagram = 512;

/** The answer as bytes. Over UDP one that is too large says that it is cut off, so the question comes again over TCP. */
export function encodeAnswer(answer: DnsMessage, read: ReadQuery, transport: 'udp' | 'tcp'): Buffer {
  const bytes = encodeMessage(answer);
  if (transport === 'tcp' || read.kind !== 'query') return bytes;
  if (bytes.length <= Math.min(largestDatagram, largestFactor * read.size)) return bytes;
  return encodeMessage({ ...answer, isTruncated: true, answers: [], authorities: [] });
}

/** Why a query is not looked at, or nothing. */
function refusalOf(zone: Zone, { opcode, questions, additionals }: DnsMessage): Partial<DnsMessage> | undefined {
  if (opcode !== opcodes.QUERY) return { responseCode: responseCodes.NOTIMP };
  const [question] = questions;
  if (question === undefined || questions.length !== 1) return { responseCode: responseCodes.FORMERR };
  const option = optionIn(additionals);
  if (option !== undefined && versionOf(option) > 0) return { additionals: [extension(badVersion)] };
  const isTransfer = question.type === recordTypes.AXFR || question.type === recordTypes.IXFR;
  const isOurs = question.class === classes.IN && isWithin(question.name, zone.name) && !isTransfer;
  return isOurs ? undefined : { responseCode: responseCodes.REFUSED };
}

function zoneAnswer(zone: Zone, { name, type }: Question, values: TextValues): Partial<DnsMessage> {
  const here = recordsOf(zone, name, values);
  const authorities = [authorityOf(zone, zone.authority.negativeTtl)];
  if (here === undefined) return { responseCode: responseCodes.NXDOMAIN, authorities };
  // RFC 8482 §4.1: to ANY, the records of one type.
  const wanted = type === recordTypes.ANY ? here[0]?.type : type;
  const answers = here.filter((record) => record.type === wanted).map((record) => ({ ...record, name }));
  return answers.length > 0 ? { answers } : { authorities };
}

/** All that stands at a name; undefined where there is no such name. */
function recordsOf(zone: Zone, name: DomainName, values: TextValues): readonly ResourceRecord[] | undefined {
  const isApex = isSameName(name, zone.name);
  const fixed = zone.records.filter((record) => isSameName(record.name, name));
  const isAbove = zone.records.some((record) => isWithin(record.name, name));
  if (values === undefined && !isApex && !isAbove) return undefined;
  const texts = (values ?? []).map((value) => recordAt(zone, name, recordTypes.TXT, textData(value)));
  return [...texts, ...(isApex ? [authorityOf(zone, zone.ttl)] : []), ...fixed];
}

function recordAt(zone: Zone, name: DomainName, type: number, data: RecordData): ResourceRecord {
  return { name, type, class: classes.IN, ttl: zone.ttl, data };
}

function authorityOf(zone: Zone, ttl: number): ResourceRecord {
  return { ...recordAt(zone, zone.name, recordTypes.SOA, { kind: 'soa', ...zone.authority }), ttl };
}

const blank: DnsMessage = {
  id: 0,
  isResponse: true,
  opcode: opcodes.QUERY,
  isAuthoritative: false,
  isTruncated: false,
  recursionDesired: false,
  recursionAvailable: false,
  responseCode: responseCodes.NOERROR,
  questions: [],
  answers: [],
  authorities: [],
  additionals: [],
};

function reply(query: DnsMessage, answer: Partial<DnsMessage>): DnsMessage {
  const { id, opcode, recursionDesired } = query;
  const [question] = query.questions;
  const questions = question === undefined || query.questions.length > 1 ? [] : [question];
  // RFC 6891 §6.1.1: whoever sends the option gets it back.
  const additionals = optionIn(query.additionals) === undefined ? [] : [extension(0)];
  return { ...blank, id, opcode, recursionDesired, questions, additionals, ...answer };
}

const optionIn = (records: readonly ResourceRecord[]) => records.find(({ type }) => type === recordTypes.OPT);
const versionOf = (option: ResourceRecord): number => (option.ttl >>> 16) & 0xff;

/** RFC 6891 §6.1.3: the code BADVERS (16) has its upper eight bits in the option. */
const badVersion = 1;

function extension(upperCode: number): ResourceRecord {
  const data = { kind: 'bytes', bytes: new Uint8Array() } as const;
  return { name: [], type: recordTypes.OPT, class: largestDatagram, ttl: upperCode * 2 ** 24, data };
}
