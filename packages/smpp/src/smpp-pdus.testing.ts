import fc from 'fast-check';
import type { CommandName } from './command-id.ts';
import type { SmppAddress } from './smpp-address.ts';
import type { SmppPdu, SubmitSm } from './smpp-pdu.ts';
import { type Tlv, tlvTags } from './tlv.ts';

const octet = fc.integer({ min: 0, max: 0xff });
const uint32 = fc.nat(0xffff_ffff);
const time = fc.constantFrom('', '260115123000004+', '000002000000000R');
const shortMessage = octets(254);
const messageId = text(65);
const serviceType = text(6);

/** @param size octets with the NUL */
function text(size: number): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789aZ+_'), maxLength: size - 1 }),
    fc.string({
      unit: fc.integer({ min: 1, max: 0xff }).map((code) => String.fromCharCode(code)),
      maxLength: size - 1,
      size: 'max',
    }),
  );
}

function octets(maxLength: number): fc.Arbitrary<Uint8Array> {
  return fc.uint8Array({ maxLength, size: 'max' });
}

function address(size: number): fc.Arbitrary<SmppAddress> {
  return fc.record({ ton: octet, npi: octet, address: text(size) });
}

const tlv: fc.Arbitrary<Tlv> = fc.oneof(
  fc.record({ tag: fc.constantFrom(...Object.values(tlvTags)), value: octets(20) }),
  fc.record({ tag: fc.nat(0xffff), value: octets(300) }),
);

const numbers = {
  sequence: uint32,
  status: fc.oneof(fc.constant(0), uint32),
  tlvs: fc.array(tlv, { maxLength: 4 }),
};

const bindFields = {
  systemId: text(16),
  password: text(9),
  systemType: text(13),
  interfaceVersion: octet,
  addrTon: octet,
  addrNpi: octet,
  addressRange: text(41),
};

const messageFields = {
  esmClass: octet,
  protocolId: octet,
  priorityFlag: octet,
  scheduleDeliveryTime: time,
  validityPeriod: time,
  registeredDelivery: octet,
  replaceIfPresentFlag: octet,
  dataCoding: octet,
  smDefaultMsgId: octet,
  shortMessage,
};

const routed = { serviceType, source: address(21), destination: address(21) };

const destination = fc.oneof(
  fc.record({ kind: fc.constant('address' as const), address: address(21) }),
  fc.record({ kind: fc.constant('list' as const), name: text(21) }),
);

type PduOf<Command extends CommandName> = Extract<SmppPdu, { command: Command }>;
type Fields<Pdu> = { readonly [Key in keyof Pdu]: fc.Arbitrary<Pdu[Key]> };

function named<Command extends CommandName>(
  command: Command,
  fields: Fields<Omit<PduOf<Command>, 'command' | keyof typeof numbers>>,
): fc.Arbitrary<PduOf<Command>> {
  // The compiler does not join the parts of a generic record again.
  return fc.record({ command: fc.constant(command), ...numbers, ...fields }) as unknown as fc.Arbitrary<PduOf<Command>>;
}

/** Every PDU that can be written, by its command. */
export const pdusByCommand: { readonly [Command in CommandName]: fc.Arbitrary<PduOf<Command>> } = {
  bind_transmitter: named('bind_transmitter', bindFields),
  bind_receiver: named('bind_receiver', bindFields),
  bind_transceiver: named('bind_transceiver', bindFields),
  bind_transmitter_resp: named('bind_transmitter_resp', { systemId: text(16) }),
  bind_receiver_resp: named('bind_receiver_resp', { systemId: text(16) }),
  bind_transceiver_resp: named('bind_transceiver_resp', { systemId: text(16) }),
  outbind: named('outbind', { systemId: text(16), password: text(9) }),
  unbind: named('unbind', {}),
  unbind_resp: named('unbind_resp', {}),
  generic_nack: named('generic_nack', {}),
  enquire_link: named('enquire_link', {}),
  enquire_link_resp: named('enquire_link_resp', {}),
  submit_sm: named('submit_sm', { ...routed, ...messageFields }),
  submit_sm_resp: named('submit_sm_resp', { messageId }),
  submit_multi: named('submit_multi', {
    serviceType,
    source: address(21),
    destinations: fc.array(destination, { maxLength: 254 }),
    ...messageFields,
  }),
  submit_multi_resp: named('submit_multi_resp', {
    messageId,
    unsuccessful: fc.array(fc.record({ address: address(21), status: uint32 }), { maxLength: 255 }),
  }),
  deliver_sm: named('deliver_sm', { ...routed, ...messageFields }),
  deliver_sm_resp: named('deliver_sm_resp', { messageId }),
  data_sm: named('data_sm', {
    serviceType,
    source: address(65),
    destination: address(65),
    esmClass: octet,
    registeredDelivery: octet,
    dataCoding: octet,
  }),
  data_sm_resp: named('data_sm_resp', { messageId }),
  query_sm: named('query_sm', { messageId, source: address(21) }),
  query_sm_resp: named('query_sm_resp', { messageId, finalDate: time, messageState: octet, errorCode: octet }),
  cancel_sm: named('cancel_sm', { messageId, ...routed }),
  cancel_sm_resp: named('cancel_sm_resp', {}),
  replace_sm: named('replace_sm', {
    messageId,
    source: address(21),
    scheduleDeliveryTime: time,
    validityPeriod: time,
    registeredDelivery: octet,
    smDefaultMsgId: octet,
    shortMessage,
  }),
  replace_sm_resp: named('replace_sm_resp', {}),
  alert_notification: named('alert_notification', { source: address(65), esme: address(65) }),
};

export const smppPdus: fc.Arbitrary<SmppPdu> = fc.oneof(...Object.values<fc.Arbitrary<SmppPdu>>(pdusByCommand));

/** A common submit_sm of one part. */
export const commonSubmit: SubmitSm = {
  command: 'submit_sm',
  sequence: 7,
  status: 0,
  serviceType: '',
  source: { ton: 5, npi: 0, address: 'Waxwing' },
  destination: { ton: 1, npi: 1, address: '8613800138000' },
  esmClass: 0,
  protocolId: 0,
  priorityFlag: 0,
  scheduleDeliveryTime: '',
  validityPeriod: '000001000000000R',
  registeredDelivery: 1,
  replaceIfPresentFlag: 0,
  dataCoding: 0,
  smDefaultMsgId: 0,
  shortMessage: Buffer.from('Your code is 123456. It is valid for ten minutes. Tell it to nobody.', 'latin1'),
  tlvs: [],
};

/** With plain arrays of octets, to compare PDUs whatever kind of octets they hold. */
export function comparable(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, comparable(each)]));
}
