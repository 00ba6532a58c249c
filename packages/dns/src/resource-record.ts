import { DnsFault } from './dns-fault.ts';
import type { DomainName } from './domain-name.ts';
import type { WireReader } from './wire-reader.ts';
import type { WireWriter } from './wire-writer.ts';

export const recordTypes = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  TXT: 16,
  AAAA: 28,
  OPT: 41,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const;

export const classes = { IN: 1, NONE: 254, ANY: 255 } as const;

export interface ResourceRecord {
  readonly name: DomainName;
  readonly type: number;
  readonly class: number;
  /** Seconds. */
  readonly ttl: number;
  readonly data: RecordData;
}

export type RecordData =
  /** A and AAAA: 4 or 16 octets. */
  | { readonly kind: 'address'; readonly octets: Uint8Array }
  /** NS and CNAME. */
  | { readonly kind: 'name'; readonly name: DomainName }
  | ({ readonly kind: 'soa' } & StartOfAuthority)
  | { readonly kind: 'text'; readonly strings: readonly Uint8Array[] }
  /** Of any other type, and the empty data in updates. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** RFC 1035 §3.3.13; times in seconds. */
export interface StartOfAuthority {
  readonly primary: DomainName;
  /** The mailbox, with a dot for its `@`. */
  readonly contact: DomainName;
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  /** For how long it may be remembered that something is not there (RFC 2308 §4). */
  readonly negativeTtl: number;
}

/** The data of a TXT record with this value, in strings of at most 255 octets. */
export function textData(value: string): RecordData {
  const bytes = Buffer.from(value, 'latin1');
  const count = Math.max(1, Math.ceil(bytes.length / 255));
  const strings = Array.from({ length: count }, (_, index) => bytes.subarray(255 * index, 255 * (index + 1)));
  return { kind: 'text', strings };
}

/** The value of a TXT record: its strings put together (RFC 8555 §8.4 and all who compare values see it so). */
export function textValue(data: RecordData): string | undefined {
  return data.kind === 'text' ? Buffer.concat(data.strings).toString('latin1') : undefined;
}

/** @throws DnsFault */
export function readRecord(reader: WireReader): ResourceRecord {
  const name = reader.name();
  const [type, recordClass, ttl] = [reader.uint16(), reader.uint16(), reader.uint32()];
  const content = reader.part(reader.uint16());
  const data = readData(type, content);
  if (!content.isAtEnd) throw new DnsFault('data');
  return { name, type, class: recordClass, ttl, data };
}

function readData(type: number, content: WireReader): RecordData {
  if (content.isAtEnd) return { kind: 'bytes', bytes: new Uint8Array() };
  switch (type) {
    case recordTypes.A:
      return { kind: 'address', octets: content.bytes(4) };
    case recordTypes.AAAA:
      return { kind: 'address', octets: content.bytes(16) };
    case recordTypes.NS:
    case recordTypes.CNAME:
      return { kind: 'name', name: content.name() };
    case recordTypes.SOA:
      return readSoa(content);
    case recordTypes.TXT:
      return { kind: 'text', strings: readStrings(content) };
    default:
      return { kind: 'bytes', bytes: content.rest() };
  }
}

function readSoa(content: WireReader): RecordData {
  const [primary, contact] = [content.name(), content.name()];
  const [serial, refresh, retry] = [content.uint32(), content.uint32(), content.uint32()];
  const [expire, negativeTtl] = [content.uint32(), content.uint32()];
  return { kind: 'soa', primary, contact, serial, refresh, retry, expire, negativeTtl };
}

function readStrings(content: WireReader): readonly Uint8Array[] {
  const strings: Uint8Array[] = [];
  while (!content.isAtEnd) strings.push(content.bytes(content.octet()));
  return strings;
}

/** @throws DnsFault */
export function writeRecord(writer: WireWriter, { name, type, class: recordClass, ttl, data }: ResourceRecord): void {
  writer.name(name);
  writer.uint16(type);
  writer.uint16(recordClass);
  writer.uint32(ttl);
  writer.measured(() => writeData(writer, data));
}

function writeData(writer: WireWriter, data: RecordData): void {
  switch (data.kind) {
    case 'address':
      writer.bytes(data.octets);
      break;
    case 'name':
      writer.name(data.name);
      break;
    case 'text':
      writeStrings(writer, data.strings);
      break;
    case 'bytes':
      writer.bytes(data.bytes);
      break;
    case 'soa':
      writer.name(data.primary);
      writer.name(data.contact);
      for (const value of [data.serial, data.refresh, data.retry, data.expire, data.negativeTtl]) writer.uint32(value);
  }
}

function writeStrings(writer: WireWriter, strings: readonly Uint8Array[]): void {
  for (const each of strings) {
    if (each.length > 255) throw new DnsFault('data');
    writer.octet(each.length);
    writer.bytes(each);
  }
}
