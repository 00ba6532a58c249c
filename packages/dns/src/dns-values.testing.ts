import fc from 'fast-check';
import { type DnsMessage, type Question, queryMessage } from './dns-message.ts';
import type { DomainName } from './domain-name.ts';
import { type RecordData, type ResourceRecord, recordTypes } from './resource-record.ts';

const octet = fc.integer({ min: 0, max: 255 });
const uint16 = fc.integer({ min: 0, max: 0xffff });
const uint32 = fc.nat(0xffff_ffff);
const label = fc.array(octet, { minLength: 1, maxLength: 63 }).map((octets) => String.fromCharCode(...octets));

/** Many of them share their ends, so that pointers are used. */
export const domainNames: fc.Arbitrary<DomainName> = fc
  .tuple(
    fc.array(label, { maxLength: 2 }),
    fc.constantFrom([], ['example'], ['Example', 'COM'], ['a', 'example', 'com']),
  )
  .map(([own, shared]) => [...own, ...shared]);

const typedData: fc.Arbitrary<readonly [type: number, data: RecordData]> = fc.oneof(
  bytes(4, 4).map((octets) => [recordTypes.A, { kind: 'address', octets }] as const),
  bytes(16, 16).map((octets) => [recordTypes.AAAA, { kind: 'address', octets }] as const),
  domainNames.map((name) => [recordTypes.NS, { kind: 'name', name }] as const),
  domainNames.map((name) => [recordTypes.CNAME, { kind: 'name', name }] as const),
  fc
    .record({
      kind: fc.constant('soa' as const),
      primary: domainNames,
      contact: domainNames,
      serial: uint32,
      refresh: uint32,
      retry: uint32,
      expire: uint32,
      negativeTtl: uint32,
    })
    .map((data) => [recordTypes.SOA, data] as const),
  fc
    .array(bytes(0, 255), { minLength: 1, maxLength: 3 })
    .map((strings) => [recordTypes.TXT, { kind: 'text', strings }] as const),
  fc.tuple(fc.integer({ min: 256, max: 0xffff }), bytes(0, 40)).map(([type, value]) => {
    return [type, { kind: 'bytes', bytes: value }] as const;
  }),
);

function bytes(minLength: number, maxLength: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ minLength, maxLength });
}

const records: fc.Arbitrary<ResourceRecord> = fc
  .record({ name: domainNames, class: uint16, ttl: uint32, typed: typedData })
  .map(({ typed: [type, data], ...rest }) => ({ ...rest, type, data }));

const questions: fc.Arbitrary<Question> = fc.record({ name: domainNames, type: uint16, class: uint16 });

export const messages: fc.Arbitrary<DnsMessage> = fc.record({
  id: uint16,
  isResponse: fc.boolean(),
  opcode: fc.nat(15),
  isAuthoritative: fc.boolean(),
  isTruncated: fc.boolean(),
  recursionDesired: fc.boolean(),
  recursionAvailable: fc.boolean(),
  responseCode: fc.nat(15),
  questions: fc.array(questions, { maxLength: 2 }),
  answers: fc.array(records, { maxLength: 4 }),
  authorities: fc.array(records, { maxLength: 2 }),
  additionals: fc.array(records, { maxLength: 2 }),
});

/** A question of the Internet class. */
export function queryOf(name: DomainName, type: number, id = 7): DnsMessage {
  return queryMessage(id, { name, type, class: 1 });
}
