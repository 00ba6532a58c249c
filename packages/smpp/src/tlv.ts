/** Optional parameters (SMPP 3.4 §3.2.4.1): a tag, a length, a value. */
import { SmppFault } from './smpp-fault.ts';

export interface Tlv {
  readonly tag: number;
  readonly value: Uint8Array;
}

/** SMPP 3.4 §5.3.2, and `congestion_state` of version 5, which servers of version 3.4 send as well. */
export const tlvTags = {
  dest_addr_subunit: 0x0005,
  dest_network_type: 0x0006,
  dest_bearer_type: 0x0007,
  dest_telematics_id: 0x0008,
  source_addr_subunit: 0x000d,
  source_network_type: 0x000e,
  source_bearer_type: 0x000f,
  source_telematics_id: 0x0010,
  qos_time_to_live: 0x0017,
  payload_type: 0x0019,
  additional_status_info_text: 0x001d,
  receipted_message_id: 0x001e,
  ms_msg_wait_facilities: 0x0030,
  privacy_indicator: 0x0201,
  source_subaddress: 0x0202,
  dest_subaddress: 0x0203,
  user_message_reference: 0x0204,
  user_response_code: 0x0205,
  source_port: 0x020a,
  destination_port: 0x020b,
  sar_msg_ref_num: 0x020c,
  language_indicator: 0x020d,
  sar_total_segments: 0x020e,
  sar_segment_seqnum: 0x020f,
  sc_interface_version: 0x0210,
  callback_num_pres_ind: 0x0302,
  callback_num_atag: 0x0303,
  number_of_messages: 0x0304,
  callback_num: 0x0381,
  dpf_result: 0x0420,
  set_dpf: 0x0421,
  ms_availability_status: 0x0422,
  network_error_code: 0x0423,
  message_payload: 0x0424,
  delivery_failure_reason: 0x0425,
  more_messages_to_send: 0x0426,
  message_state: 0x0427,
  congestion_state: 0x0428,
  ussd_service_op: 0x0501,
  display_time: 0x1201,
  sms_signal: 0x1203,
  ms_validity: 0x1204,
  alert_on_message_delivery: 0x130c,
  its_reply_type: 0x1380,
  its_session_info: 0x1383,
} as const;

export type TlvName = keyof typeof tlvTags;

/** The value of the first TLV of this name. */
export function tlvValue(tlvs: readonly Tlv[], name: TlvName): Uint8Array | undefined {
  const tag = tlvTags[name];
  return tlvs.find((tlv) => tlv.tag === tag)?.value;
}

/** A big-endian integer of 1, 2 or 4 octets. Undefined if the TLV is missing or has another length. */
export function tlvInteger(tlvs: readonly Tlv[], name: TlvName): number | undefined {
  const value = tlvValue(tlvs, name);
  if (value === undefined || ![1, 2, 4].includes(value.length)) return undefined;
  return value.reduce((sum, octet) => sum * 256 + octet, 0);
}

/** Up to the first NUL, which some servers leave out. Undefined if the TLV is missing. */
export function tlvText(tlvs: readonly Tlv[], name: TlvName): string | undefined {
  const value = tlvValue(tlvs, name);
  if (value === undefined) return undefined;
  const end = value.indexOf(0);
  return Buffer.from(end < 0 ? value : value.subarray(0, end)).toString('latin1');
}

/** @throws SmppFault if the value is no unsigned integer of that size */
export function integerTlv(name: TlvName, value: number, size: 1 | 2 | 4): Tlv {
  if (!Number.isInteger(value) || value < 0 || value >= 256 ** size) throw new SmppFault('range', name);
  const octets = Buffer.alloc(size);
  octets.writeUIntBE(value, 0, size);
  return { tag: tlvTags[name], value: octets };
}

/** A C-octet string. @param text Latin-1 */
export function textTlv(name: TlvName, text: string): Tlv {
  return { tag: tlvTags[name], value: Buffer.from(`${text}\0`, 'latin1') };
}
