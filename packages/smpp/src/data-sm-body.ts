/** data_sm (SMPP 3.4 §4.7) and alert_notification (§4.12). */
import { serviceTypeSize } from './short-message-body.ts';
import { longAddressSize, readAddress, type SmppAddress, writeAddress } from './smpp-address.ts';
import type { SmppReader } from './smpp-reader.ts';
import type { SmppWriter } from './smpp-writer.ts';

/** The content is in the TLV message_payload. */
export interface DataSmBody {
  readonly serviceType: string;
  readonly source: SmppAddress;
  readonly destination: SmppAddress;
  readonly esmClass: number;
  readonly registeredDelivery: number;
  readonly dataCoding: number;
}

export interface AlertNotificationBody {
  /** The handset that has become available. */
  readonly source: SmppAddress;
  /** Of the client that asked for the alert. */
  readonly esme: SmppAddress;
}

export function readDataSm(reader: SmppReader): DataSmBody {
  return {
    serviceType: reader.text('service_type', serviceTypeSize),
    source: readAddress(reader, 'source_addr', longAddressSize),
    destination: readAddress(reader, 'destination_addr', longAddressSize),
    esmClass: reader.octet('esm_class'),
    registeredDelivery: reader.octet('registered_delivery'),
    dataCoding: reader.octet('data_coding'),
  };
}

export function writeDataSm(writer: SmppWriter, body: DataSmBody): void {
  writer.text('service_type', body.serviceType, serviceTypeSize);
  writeAddress(writer, 'source_addr', body.source, longAddressSize);
  writeAddress(writer, 'destination_addr', body.destination, longAddressSize);
  writer.octet('esm_class', body.esmClass);
  writer.octet('registered_delivery', body.registeredDelivery);
  writer.octet('data_coding', body.dataCoding);
}

export function readAlertNotification(reader: SmppReader): AlertNotificationBody {
  return {
    source: readAddress(reader, 'source_addr', longAddressSize),
    esme: readAddress(reader, 'esme_addr', longAddressSize),
  };
}

export function writeAlertNotification(writer: SmppWriter, body: AlertNotificationBody): void {
  writeAddress(writer, 'source_addr', body.source, longAddressSize);
  writeAddress(writer, 'esme_addr', body.esme, longAddressSize);
}
