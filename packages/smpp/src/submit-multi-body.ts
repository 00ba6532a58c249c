/** submit_multi and its response (SMPP 3.4 §4.5). */
import {
  type MessageFields,
  type MessageIdBody,
  readMessageFields,
  readMessageId,
  serviceTypeSize,
  writeMessageFields,
  writeMessageId,
} from './short-message-body.ts';
import { readAddress, type SmppAddress, writeAddress } from './smpp-address.ts';
import { SmppFault } from './smpp-fault.ts';
import type { SmppReader } from './smpp-reader.ts';
import type { SmppWriter } from './smpp-writer.ts';

export type MultiDestination =
  | { readonly kind: 'address'; readonly address: SmppAddress }
  /** A distribution list of the server, by its name of at most 20 characters. */
  | { readonly kind: 'list'; readonly name: string };

export interface SubmitMultiBody extends MessageFields {
  readonly serviceType: string;
  readonly source: SmppAddress;
  /** At most 254. */
  readonly destinations: readonly MultiDestination[];
}

/** A destination that the server did not take, and its command_status. */
export interface UnsuccessfulDestination {
  readonly address: SmppAddress;
  readonly status: number;
}

export interface SubmitMultiRespBody extends MessageIdBody {
  /** At most 255. */
  readonly unsuccessful: readonly UnsuccessfulDestination[];
}

/** §5.2.25 */
const destFlags = { address: 1, list: 2 } as const;
const listNameSize = 21;
const mostDestinations = 254;

export function readSubmitMulti(reader: SmppReader): SubmitMultiBody {
  return {
    serviceType: reader.text('service_type', serviceTypeSize),
    source: readAddress(reader, 'source_addr'),
    destinations: times(reader.octet('number_of_dests'), () => readDestination(reader)),
    ...readMessageFields(reader),
  };
}

export function writeSubmitMulti(writer: SmppWriter, body: SubmitMultiBody): void {
  writer.text('service_type', body.serviceType, serviceTypeSize);
  writeAddress(writer, 'source_addr', body.source);
  if (body.destinations.length > mostDestinations) throw new SmppFault('too-long', 'number_of_dests');
  writer.octet('number_of_dests', body.destinations.length);
  for (const destination of body.destinations) writeDestination(writer, destination);
  writeMessageFields(writer, body);
}

/** The body may be missing, and so may an empty list of destinations. */
export function readSubmitMultiResp(reader: SmppReader): SubmitMultiRespBody {
  const { messageId } = readMessageId(reader);
  const count = reader.isAtEnd ? 0 : reader.octet('no_unsuccess');
  return { messageId, unsuccessful: times(count, () => readUnsuccessful(reader)) };
}

export function writeSubmitMultiResp(writer: SmppWriter, body: SubmitMultiRespBody): void {
  writeMessageId(writer, body);
  writer.octet('no_unsuccess', body.unsuccessful.length);
  for (const { address, status } of body.unsuccessful) {
    writeAddress(writer, 'destination_addr', address);
    writer.uint32('error_status_code', status);
  }
}

function readDestination(reader: SmppReader): MultiDestination {
  const flag = reader.octet('dest_flag');
  if (flag === destFlags.address) return { kind: 'address', address: readAddress(reader, 'destination_addr') };
  if (flag === destFlags.list) return { kind: 'list', name: reader.text('dl_name', listNameSize) };
  throw new SmppFault('kind', 'dest_flag');
}

function writeDestination(writer: SmppWriter, destination: MultiDestination): void {
  writer.octet('dest_flag', destFlags[destination.kind]);
  if (destination.kind === 'list') writer.text('dl_name', destination.name, listNameSize);
  else writeAddress(writer, 'destination_addr', destination.address);
}

function readUnsuccessful(reader: SmppReader): UnsuccessfulDestination {
  return { address: readAddress(reader, 'destination_addr'), status: reader.uint32('error_status_code') };
}

/** The count is of one octet, and each item is read from octets that are there. */
function times<Item>(count: number, read: () => Item): readonly Item[] {
  const items: Item[] = [];
  for (let index = 0; index < count; index++) items.push(read());
  return items;
}
