/** Binds, their responses, and outbind (SMPP 3.4 §4.1). */
import type { SmppReader } from './smpp-reader.ts';
import type { SmppWriter } from './smpp-writer.ts';

export interface BindBody {
  /** At most 15 characters. */
  readonly systemId: string;
  /** At most 8 characters. */
  readonly password: string;
  /** At most 12 characters. */
  readonly systemType: string;
  /** 0x34 for version 3.4. */
  readonly interfaceVersion: number;
  readonly addrTon: number;
  readonly addrNpi: number;
  /** At most 40 characters. */
  readonly addressRange: string;
}

export interface BindRespBody {
  /** Of the server. */
  readonly systemId: string;
}

export interface OutbindBody {
  readonly systemId: string;
  readonly password: string;
}

const systemIdSize = 16;
const passwordSize = 9;

export function readBind(reader: SmppReader): BindBody {
  return {
    systemId: reader.text('system_id', systemIdSize),
    password: reader.text('password', passwordSize),
    systemType: reader.text('system_type', 13),
    interfaceVersion: reader.octet('interface_version'),
    addrTon: reader.octet('addr_ton'),
    addrNpi: reader.octet('addr_npi'),
    addressRange: reader.text('address_range', 41),
  };
}

export function writeBind(writer: SmppWriter, body: BindBody): void {
  writer.text('system_id', body.systemId, systemIdSize);
  writer.text('password', body.password, passwordSize);
  writer.text('system_type', body.systemType, 13);
  writer.octet('interface_version', body.interfaceVersion);
  writer.octet('addr_ton', body.addrTon);
  writer.octet('addr_npi', body.addrNpi);
  writer.text('address_range', body.addressRange, 41);
}

/** Servers that refuse a bind leave the body out (§4.1.2), and some that accept it do as well. */
export function readBindResp(reader: SmppReader): BindRespBody {
  return { systemId: reader.isAtEnd ? '' : reader.text('system_id', systemIdSize) };
}

export function writeBindResp(writer: SmppWriter, body: BindRespBody): void {
  writer.text('system_id', body.systemId, systemIdSize);
}

export function readOutbind(reader: SmppReader): OutbindBody {
  return { systemId: reader.text('system_id', systemIdSize), password: reader.text('password', passwordSize) };
}

export function writeOutbind(writer: SmppWriter, body: OutbindBody): void {
  writer.text('system_id', body.systemId, systemIdSize);
  writer.text('password', body.password, passwordSize);
}
