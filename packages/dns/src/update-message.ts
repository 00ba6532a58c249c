/** Dynamic updates (RFC 2136) of TXT records. */
import { type DnsMessage, opcodes, queryMessage } from './dns-message.ts';
import type { DomainName } from './domain-name.ts';
import { classes, type ResourceRecord, recordTypes, textData } from './resource-record.ts';

export interface TextRecord {
  readonly name: DomainName;
  readonly value: string;
  /** Seconds. */
  readonly ttl: number;
}

/** Adds a TXT record and keeps the others of its name (RFC 2136 §2.5.1). Repeated, it changes nothing. */
export function addText(id: number, zone: DomainName, { name, value, ttl }: TextRecord): DnsMessage {
  return updateMessage(id, zone, { name, type: recordTypes.TXT, class: classes.IN, ttl, data: textData(value) });
}

/** Removes this one TXT record, and is no error where it is not there (RFC 2136 §2.5.4). */
export function removeText(id: number, zone: DomainName, { name, value }: Omit<TextRecord, 'ttl'>): DnsMessage {
  return updateMessage(id, zone, { name, type: recordTypes.TXT, class: classes.NONE, ttl: 0, data: textData(value) });
}

function updateMessage(id: number, zone: DomainName, update: ResourceRecord): DnsMessage {
  const question = { name: zone, type: recordTypes.SOA, class: classes.IN };
  return { ...queryMessage(id, question), opcode: opcodes.UPDATE, authorities: [update] };
}
