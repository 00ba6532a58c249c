import type { SmppReader } from './smpp-reader.ts';
import type { SmppWriter } from './smpp-writer.ts';

/** An address with its type of number and its numbering plan (SMPP 3.4 §5.2.5, §5.2.6). */
export interface SmppAddress {
  readonly ton: number;
  readonly npi: number;
  /** Digits, or letters where `ton` is 5. */
  readonly address: string;
}

/** Octets with the NUL (SMPP 3.4 §5.2.8); data_sm and alert_notification have room for longer ones. */
export const addressSize = 21;
export const longAddressSize = 65;

/** @param name as the specification names the address itself: `source_addr` */
export function readAddress(reader: SmppReader, name: string, size = addressSize): SmppAddress {
  return { ton: reader.octet(name), npi: reader.octet(name), address: reader.text(name, size) };
}

export function writeAddress(writer: SmppWriter, name: string, value: SmppAddress, size = addressSize): void {
  writer.octet(name, value.ton);
  writer.octet(name, value.npi);
  writer.text(name, value.address, size);
}
