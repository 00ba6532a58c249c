import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CommandName, commandIds } from './command-id.ts';
import { commandStatus } from './command-status.ts';
import { decodePdu } from './decode-pdu.ts';
import { encodePdu, longestPdu } from './encode-pdu.ts';
import type { SmppFaultCode } from './smpp-fault.ts';
import type { DeliverSm, SmppPdu } from './smpp-pdu.ts';
import { commonSubmit, comparable, pdusByCommand } from './smpp-pdus.testing.ts';

const runs = { seed: 34, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 1_000 : 100 };

for (const [command, pdus] of Object.entries<fc.Arbitrary<SmppPdu>>(pdusByCommand)) {
  test(`every ${command} survives being written and read`, () => {
    fc.assert(
      fc.property(pdus, (pdu) => {
        const decoded = decodePdu(encodePdu(pdu));
        assert.equal(decoded.kind, 'pdu');
        assert.deepEqual(comparable(decoded.kind === 'pdu' && decoded.pdu), comparable(pdu));
      }),
      runs,
    );
  });
}

test('a submit_sm is laid out as the specification has it', () => {
  const octets = encodePdu({
    ...commonSubmit,
    serviceType: 'CMT',
    esmClass: 3,
    protocolId: 1,
    priorityFlag: 2,
    registeredDelivery: 17,
    replaceIfPresentFlag: 4,
    dataCoding: 8,
    smDefaultMsgId: 9,
    validityPeriod: '',
    shortMessage: Uint8Array.of(0x4e, 0x2d),
    tlvs: [{ tag: 0x0204, value: Uint8Array.of(0, 7) }],
  });
  assert.equal(
    Buffer.from(octets).toString('hex'),
    [
      '00000040', // command_length
      '00000004', // command_id
      '00000000', // command_status
      '00000007', // sequence_number
      '434d5400', // service_type
      '050057617877696e6700', // source
      '01013836313338303031333830303000', // destination
      '03010200001104080902', // esm_class … sm_length
      '4e2d',
      '020400020007',
    ].join(''),
  );
});

const deliver: DeliverSm = { ...commonSubmit, command: 'deliver_sm', sequence: 99 };

/** @param at negative from the end */
function patched(pdu: SmppPdu, at: number, value: number): Uint8Array {
  const octets = Buffer.from(encodePdu(pdu));
  octets[at < 0 ? octets.length + at : at] = value;
  return octets;
}

/** The PDU with other octets behind its head, and the right length. */
function withBody(command: CommandName, body: Uint8Array, status = 0): Uint8Array {
  const octets = Buffer.alloc(16 + body.length);
  octets.writeUInt32BE(octets.length, 0);
  octets.writeUInt32BE(commandIds[command], 4);
  octets.writeUInt32BE(status, 8);
  octets.writeUInt32BE(99, 12);
  octets.set(body, 16);
  return octets;
}

const { ESME_RINVCMDLEN, ESME_RINVPARLEN, ESME_RINVOPTPARSTREAM, ESME_RINVCMDID, ESME_RINVDESTFLAG } = commandStatus;
const shortMessageAt = 16 + 1 + 10 + 16 + 3 + 1 + 17 + 4;

for (const [what, octets, answer, status] of [
  ['ends within a string', withBody('deliver_sm', Buffer.from('CMT')), 'deliver_sm_resp', ESME_RINVCMDLEN],
  ['ends within a number', withBody('deliver_sm', Buffer.from('CMT\0')), 'deliver_sm_resp', ESME_RINVCMDLEN],
  ['ends within its text', patched(deliver, shortMessageAt, 200), 'deliver_sm_resp', ESME_RINVCMDLEN],
  [
    'has a text that leaves no whole TLV',
    patched(deliver, shortMessageAt, 66),
    'deliver_sm_resp',
    ESME_RINVOPTPARSTREAM,
  ],
  [
    'has a string without an end',
    withBody('deliver_sm', Buffer.from(`${'x'.repeat(6)}\0\0\0`)),
    'deliver_sm_resp',
    ESME_RINVPARLEN,
  ],
  [
    'has an address of 21 characters',
    withBody('deliver_sm', Buffer.from(`\0\u0001\u0001${'1'.repeat(21)}\0`)),
    'deliver_sm_resp',
    ESME_RINVPARLEN,
  ],
  [
    'has a TLV that claims too much',
    patched({ ...deliver, tlvs: [{ tag: 5, value: Uint8Array.of(1) }] }, -2, 2),
    'deliver_sm_resp',
    ESME_RINVOPTPARSTREAM,
  ],
  ['has half a TLV', withBody('enquire_link', Buffer.of(0, 5, 0)), 'enquire_link_resp', ESME_RINVOPTPARSTREAM],
  [
    'sends to what is neither address nor list',
    withBody('submit_multi', Buffer.from('\0\0\0\0\u0001\u0003\0')),
    'submit_multi_resp',
    ESME_RINVDESTFLAG,
  ],
  [
    'has fewer destinations than it says',
    withBody('submit_multi', Buffer.from('\0\0\0\0\u00ff\u0002list\0', 'latin1')),
    'submit_multi_resp',
    ESME_RINVCMDLEN,
  ],
  ['has no body', withBody('bind_transceiver', Buffer.of()), 'bind_transceiver_resp', ESME_RINVCMDLEN],
  ['has no response of its own', withBody('outbind', Buffer.of(65)), 'generic_nack', ESME_RINVCMDLEN],
  ['has an unknown command', patched(deliver, 7, 0x77), 'generic_nack', ESME_RINVCMDID],
  ['has another length than it says', patched(deliver, 3, 200), 'generic_nack', ESME_RINVCMDLEN],
] as const) {
  test(`a request that ${what} is answered by ${answer} with status ${status}`, () => {
    const decoded = decodePdu(octets);
    assert.ok(decoded.kind === 'malformed');
    assert.equal(decoded.sequence, 99);
    assert.equal(decoded.isResponse, false);
    assert.match(decoded.reason, /^The .+\.$/);
    assert.deepEqual([decoded.answer?.command, decoded.answer?.sequence, decoded.answer?.status], [answer, 99, status]);
    assert.ok(decoded.answer !== undefined && encodePdu(decoded.answer).length >= 16);
  });
}

test('a malformed response is not answered', () => {
  for (const octets of [
    withBody('submit_sm_resp', Buffer.from('x'.repeat(65))),
    withBody('enquire_link_resp', Buffer.of(1)),
    patched({ command: 'unbind_resp', sequence: 99, status: 0, tlvs: [] }, 7, 0x77),
  ]) {
    const decoded = decodePdu(octets);
    assert.ok(decoded.kind === 'malformed');
    assert.deepEqual([decoded.sequence, decoded.isResponse, decoded.answer], [99, true, undefined]);
  }
});

test('octets without a whole head are malformed', () => {
  for (let length = 0; length < 16; length++) {
    const decoded = decodePdu(encodePdu(commonSubmit).subarray(0, length));
    assert.ok(decoded.kind === 'malformed');
    assert.deepEqual([decoded.sequence, decoded.answer?.command], [0, 'generic_nack']);
  }
});

test('a message_id may have 64 characters', () => {
  const decoded = decodePdu(withBody('submit_sm_resp', Buffer.from(`${'f'.repeat(64)}\0`)));
  assert.ok(decoded.kind === 'pdu' && decoded.pdu.command === 'submit_sm_resp');
  assert.equal(decoded.pdu.messageId.length, 64);
});

test('a message_id may lack its end, and be missing: the message was accepted', () => {
  for (const [body, messageId] of [
    ['abc1', 'abc1'],
    ['', ''],
  ] as const) {
    const decoded = decodePdu(withBody('submit_sm_resp', Buffer.from(body)));
    assert.ok(decoded.kind === 'pdu' && decoded.pdu.command === 'submit_sm_resp');
    assert.deepEqual([decoded.pdu.status, decoded.pdu.messageId], [0, messageId]);
  }
});

test('a refusal may lack its body, and a deliver_sm_resp always', () => {
  for (const [command, status] of [
    ['submit_sm_resp', 0x58],
    ['submit_multi_resp', 0x58],
    ['data_sm_resp', 0x58],
    ['query_sm_resp', 0x67],
    ['bind_transceiver_resp', 0x0d],
    ['bind_transceiver_resp', 0],
    ['deliver_sm_resp', 0],
  ] as const) {
    const decoded = decodePdu(withBody(command, Buffer.of(), status));
    assert.ok(decoded.kind === 'pdu', command);
    assert.equal(decoded.pdu.status, status);
  }
});

test('a refusal counts whatever follows its head', () => {
  const info = Buffer.from('001d000662757379210000', 'hex');
  for (const command of ['submit_sm_resp', 'bind_transceiver_resp', 'query_sm_resp', 'generic_nack'] as const) {
    for (const body of [info, Buffer.from('x'.repeat(70)), Buffer.of(1)]) {
      const decoded = decodePdu(withBody(command, body, 0x58));
      assert.ok(decoded.kind === 'pdu', command);
      assert.deepEqual([decoded.pdu.command, decoded.pdu.sequence, decoded.pdu.status], [command, 99, 0x58]);
    }
  }
});

test('up to three NULs behind the last field are passed over', () => {
  const whole = encodePdu(deliver).subarray(16);
  for (let count = 0; count < 4; count++) {
    const decoded = decodePdu(withBody('deliver_sm', Buffer.concat([whole, Buffer.alloc(count)])));
    assert.ok(decoded.kind === 'pdu');
    assert.deepEqual(decoded.pdu.tlvs, []);
  }
});

test('refusals of a bind and a submit_sm are written without a body', () => {
  const head = { sequence: 1, tlvs: [] };
  assert.equal(encodePdu({ command: 'submit_sm_resp', ...head, status: 0x58, messageId: '' }).length, 16);
  assert.equal(encodePdu({ command: 'bind_receiver_resp', ...head, status: 0x0e, systemId: '' }).length, 16);
  assert.equal(encodePdu({ command: 'submit_sm_resp', ...head, status: 0, messageId: '' }).length, 17);
  assert.equal(encodePdu({ command: 'deliver_sm_resp', ...head, status: 0x64, messageId: '' }).length, 17);
});

test('times and texts of lengths that the specification forbids are read', () => {
  const fields = ['\0', '\0\0', '1\0', '\0\0', '1\0', '\0\0\0', '2601151230\0', '\0', '\0\0\0\0', '\u00ff'];
  const body = Buffer.from(`${fields.join('')}${'x'.repeat(255)}`, 'latin1');
  const decoded = decodePdu(withBody('deliver_sm', body));
  assert.ok(decoded.kind === 'pdu' && decoded.pdu.command === 'deliver_sm');
  assert.equal(decoded.pdu.scheduleDeliveryTime, '2601151230');
  assert.equal(decoded.pdu.shortMessage.length, 255);
});

test('a message_payload may have 65535 octets', () => {
  const payload = { tag: 0x0424, value: new Uint8Array(0xffff).fill(7) };
  const decoded = decodePdu(encodePdu({ ...commonSubmit, tlvs: [payload] }));
  assert.ok(decoded.kind === 'pdu');
  assert.equal(decoded.pdu.tlvs[0]?.value.length, 0xffff);
});

const long = (length: number) => 'x'.repeat(length);
const tooLong: readonly (readonly [field: string, code: SmppFaultCode, pdu: SmppPdu])[] = [
  ['service_type', 'too-long', { ...commonSubmit, serviceType: long(6) }],
  ['source_addr', 'too-long', { ...commonSubmit, source: { ton: 0, npi: 0, address: long(21) } }],
  ['source_addr', 'range', { ...commonSubmit, source: { ton: 256, npi: 0, address: '' } }],
  ['destination_addr', 'character', { ...commonSubmit, destination: { ton: 0, npi: 0, address: 'a\0b' } }],
  ['destination_addr', 'character', { ...commonSubmit, destination: { ton: 0, npi: 0, address: '中' } }],
  ['validity_period', 'range', { ...commonSubmit, validityPeriod: '26' }],
  ['short_message', 'too-long', { ...commonSubmit, shortMessage: new Uint8Array(255) }],
  ['esm_class', 'range', { ...commonSubmit, esmClass: 1.5 }],
  ['sequence_number', 'range', { ...commonSubmit, sequence: 2 ** 32 }],
  ['tlv', 'too-long', { ...commonSubmit, tlvs: [{ tag: 0x0424, value: new Uint8Array(0x1_0000) }] }],
  ['pdu', 'too-long', { ...commonSubmit, tlvs: Array(2).fill({ tag: 0x0424, value: new Uint8Array(0xffff) }) }],
  ['message_id', 'too-long', { command: 'submit_sm_resp', sequence: 1, status: 0, tlvs: [], messageId: long(65) }],
  ['system_id', 'too-long', { command: 'outbind', sequence: 1, status: 0, tlvs: [], systemId: long(16), password: '' }],
  ['password', 'too-long', { command: 'outbind', sequence: 1, status: 0, tlvs: [], systemId: '', password: long(9) }],
];

for (const [field, code, pdu] of tooLong) {
  test(`a ${pdu.command} whose ${field} does not fit (${code}) is not written`, () => {
    assert.throws(() => encodePdu(pdu), { name: 'SmppFault', code, field });
  });
}

test('a submit_multi has at most 254 destinations', () => {
  const { destination: _, ...rest } = commonSubmit;
  const destinations = Array(255).fill({ kind: 'list', name: 'everybody' });
  const multi = { ...rest, command: 'submit_multi' } as const;
  assert.equal(decodePdu(encodePdu({ ...multi, destinations: destinations.slice(1) })).kind, 'pdu');
  assert.throws(() => encodePdu({ ...multi, destinations }), { code: 'too-long', field: 'number_of_dests' });
});

test('the longest submit_multi fits the longest PDU', () => {
  const { destination: _, ...rest } = commonSubmit;
  const address = { ton: 1, npi: 1, address: long(20) };
  const pdu: SmppPdu = {
    ...rest,
    command: 'submit_multi',
    serviceType: long(5),
    source: address,
    destinations: Array(254).fill({ kind: 'address', address }),
    scheduleDeliveryTime: rest.validityPeriod,
    shortMessage: new Uint8Array(254),
    tlvs: [{ tag: 0x0424, value: new Uint8Array(0xffff) }],
  };
  assert.ok(encodePdu(pdu).length <= longestPdu);
});
