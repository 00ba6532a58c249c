import { CmppFieldFault } from './cmpp-fault.ts';
import type { CmppPdu } from './cmpp-pdu.ts';
import type { CmppReader } from './cmpp-reader.ts';
import type { CmppVersion } from './cmpp-version.ts';
import type { CmppWriter } from './cmpp-writer.ts';

/** `length`: there are more or fewer octets than the fields take. `structure`: a field has an impossible value. */
export type BodyFault = 'length' | 'structure';

/** How the body of a message is read and written. */
export interface BodyCodec<Pdu extends CmppPdu> {
  /** Reads any octets without throwing. */
  read(reader: CmppReader, sequence: number, version: CmppVersion): Pdu | BodyFault;
  /** @throws CmppFieldFault */
  write(writer: CmppWriter, pdu: Pdu, version: CmppVersion): void;
}

/**
 * How many octets a Status, Result or Success_Id has, if the other fields have `others`. Gateways of 3.0 answer an older
 * version in its sizes and the other way round; the length tells which. Undefined: neither.
 */
export function resultSizeIn(reader: CmppReader, others: number): 1 | 4 | undefined {
  const size = reader.remaining - others;
  return size === 1 || size === 4 ? size : undefined;
}

export function readResult(reader: CmppReader, size: 1 | 4): number {
  return size === 1 ? reader.octet() : reader.uint32();
}

/** @throws CmppFieldFault */
export function writeResult(writer: CmppWriter, field: string, result: number, { resultSize }: CmppVersion): void {
  if (resultSize === 1) writer.octet(field, result);
  else writer.uint32(field, result);
}

/** The type of a number, where the version has one. @throws CmppFieldFault if it has none, and it is a pseudonym */
export function writeTerminalType(writer: CmppWriter, field: string, type: number, version: CmppVersion): void {
  if (version.terminalTypeSize === 1) writer.octet(field, type);
  else if (type !== 0) throw new CmppFieldFault(field, 'does not exist in CMPP 2.0');
}

export function readTerminalType(reader: CmppReader, { terminalTypeSize }: CmppVersion): number {
  return terminalTypeSize === 1 ? reader.octet() : 0;
}

/** LinkID, or the reserved octets of 2.0. @throws CmppFieldFault */
export function writeTail(writer: CmppWriter, linkId: string, version: CmppVersion): void {
  if (version.name === 'cmpp2' && linkId !== '') throw new CmppFieldFault('LinkID', 'does not exist in CMPP 2.0');
  writer.text('LinkID', linkId, version.tailSize);
}

export function readTail(reader: CmppReader, version: CmppVersion): string {
  const tail = reader.text(version.tailSize);
  return version.name === 'cmpp3' ? tail : '';
}
