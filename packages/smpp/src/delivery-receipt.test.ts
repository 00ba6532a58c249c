import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DeliveryReceipt, readReceipt } from './delivery-receipt.ts';
import { readReceiptText } from './receipt-text.ts';
import { encodeContent } from './short-message.ts';
import type { DataSm, DeliverSm } from './smpp-pdu.ts';
import { commonSubmit } from './smpp-pdus.testing.ts';
import { integerTlv, type Tlv, textTlv, tlvTags } from './tlv.ts';
import { writeUserDataHeader } from './user-data-header.ts';

const runs = { seed: 28, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 1_000 };

function deliver(text: string | Uint8Array, fields: Partial<DeliverSm> = {}): DeliverSm {
  const shortMessage = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  return { ...commonSubmit, command: 'deliver_sm', esmClass: 0x04, ...fields, shortMessage };
}

/** Texts as they were seen, with ids and numbers of ours. */
const texts: readonly (readonly [text: string, id: string | undefined, state: number | undefined, error?: string])[] = [
  // The form of appendix B, with dates of 10, 12 and 14 digits.
  [
    'id:0123456789 sub:001 dlvrd:001 submit date:2601151230 done date:2601151231 stat:DELIVRD err:000 text:Hello',
    '0123456789',
    2,
  ],
  [
    'id:64567564356 sub:001 dlvrd:001 submit date:260115123011 done date:260115123017 stat:DELIVRD err:000 text:Hi all',
    '64567564356',
    2,
  ],
  [
    'id:7 sub:001 dlvrd:000 submit date:20260115123011 done date:20260115123017 stat:UNDELIV err:027 text:',
    '7',
    5,
    '027',
  ],
  [
    'id:IIIII sub:1 dlvrd:1 submit date:2601151230 done date:2601151231 stat:EXPIRED err:E Text: . . .',
    'IIIII',
    3,
    'E',
  ],
  // Fields are missing.
  ['id:1526758174 submit date:2601240904 done date:2601240904 stat:DELIVRD err:000 text:hello', '1526758174', 2],
  ['id:0654354026 submit date:2602101454 done date:2602101454 stat:DELIVRD err:000', '0654354026', 2],
  ['id:a1 stat:REJECTD err:8', 'a1', 8, '8'],
  ['stat:DELIVRD', undefined, 2],
  ['id:a1', 'a1', undefined],
  ['sub:001 dlvrd:001 stat:DELIVRD err:000', undefined, 2],
  ['id: sub:001 dlvrd:001 stat:DELIVRD', undefined, 2],
  ['id:5 stat: err:12', '5', undefined, '12'],
  // Case, blanks, other separators, padding.
  ['ID:ABC SUB:001 DLVRD:001 SUBMIT DATE:2601151230 DONE DATE:2601151231 STAT:DELIVRD ERR:000 TEXT:', 'ABC', 2],
  ['Id:9f sub:0 dlvrd:28 submit date:2601151157 done date:2601151158 Stat:undeliv err:21 Text:*100#', '9f', 5, '21'],
  ['id: 42 sub: 001 dlvrd: 001 submit date: 2601151230 done date: 2601151231 stat: DELIVRD err: 0 text:', '42', 2],
  ['id :42  sub :001  stat :DELIVRD  err :001', '42', 2, '001'],
  ['id:42,sub:001,dlvrd:001,stat:DELIVRD,err:000', '42', 2],
  ['id:42;stat:EXPIRED;err:5', '42', 3, '5'],
  ['id:42|stat:DELETED|err:5', '42', 4, '5'],
  ['id:42\nsub:001\ndlvrd:001\nstat:DELIVRD\nerr:000', '42', 2],
  ['id:42 submit_date:260115 done_date:260115 stat:DELIVRD err:000', '42', 2],
  ['id:42 submitdate:260115 donedate:260115 stat:DELIVRD err:000', '42', 2],
  ['id:42\0\0\0 stat:DELIVRD\0 err:000\0', '42', 2],
  ['id:42 stat:DELIVRD err:000 text:          ', '42', 2],
  ['\u0002 id:42 stat:DELIVRD', '42', 2],
  ['err:000 stat:DELIVRD id:42', '42', 2],
  ['id:6C7C7DE28BB3E961947700000000FE37 stat:UNDELIV err:001', '6C7C7DE28BB3E961947700000000FE37', 5, '001'],
  ['id:4c73a0f8-6e3b-4d0e-9d5f-1f2e3d4c5b6a stat:DELIVRD', '4c73a0f8-6e3b-4d0e-9d5f-1f2e3d4c5b6a', 2],
  ['id:smsc\u00111_7 stat:DELIVRD', 'smsc_1_7', 2],
  ['id:17:42 stat:DELIVRD', '17:42', 2],
  // Errors that are none, and of other lengths.
  ['id:42 stat:DELIVRD err:0000 text:x', '42', 2],
  ['id:42 stat:DELIVRD err:null', '42', 2],
  ['id:42 stat:UNDELIV err:69', '42', 5, '69'],
  ['id:42 stat:UNDELIV err:0x0b', '42', 5, '0x0b'],
  ['id:42 stat:UNDELIV err:-PROFILE', '42', 5, '-PROFILE'],
  // The quoted message counts for nothing.
  ['id:42 stat:UNDELIV err:001 text:id:43 stat:DELIVRD', '42', 5, '001'],
  ['id:42 text:stat:DELIVRD', '42', undefined],
  ['id:42 stat:UNDELIV text:', '42', 5],
  ['id:42 stat:DELIVRD id:43 stat:UNDELIV', '42', 2],
  ['restat:DELIVRD valid:1', undefined, undefined],
  ['', undefined, undefined],
];

for (const [text, id, state, error] of texts) {
  test(`${JSON.stringify(text)} is ${id}, ${state}, ${error}`, () => {
    assert.deepEqual(readReceiptText(text), { id, state, error });
    assert.deepEqual(readReceipt(deliver(text)), {
      messageId: id,
      state,
      networkError: error,
      isIntermediate: false,
    });
  });
}

const words: Readonly<Record<number, readonly string[]>> = {
  0: ['SCHEDULED', 'SCHEDLD'],
  1: ['ENROUTE', 'EnRoute', 'EN_ROUTE', 'BUFFRED', 'BUFFERED', 'SUBMITD', 'SENT'],
  2: ['DELIVRD', 'DELIVERED', 'DELIVERD', 'delivrd', 'DELIV'],
  3: ['EXPIRED', 'EXPIRD', 'Expired', 'EXP'],
  4: ['DELETED', 'DELETD'],
  5: [
    'UNDELIV',
    'UNDELIVERABLE',
    'UNDELIVERED',
    'UNDELIVRD',
    'UNDLVRD',
    'FAILED',
    'FAILURE',
    'DELIVERY_FAILED',
    'DELIV_FAIL',
    'SENT_FAILED',
  ],
  6: ['ACCEPTD', 'ACCEPTED', 'ACCEPT', 'ACKED'],
  7: ['UNKNOWN', 'UNKNOWN.', 'UNKN'],
  8: ['REJECTD', 'REJECTED', 'REJ'],
  9: ['SKIPPED'],
};

for (const [state, spellings] of Object.entries(words)) {
  test(`${spellings.join(', ')} mean message_state ${state}`, () => {
    for (const word of spellings) {
      assert.equal(readReceipt(deliver(`id:1 stat:${word} err:000`))?.state, Number(state), word);
    }
  });
}

test('a word that is no state leaves the state open', () => {
  for (const word of [
    'MA:0001',
    'DEL',
    '2',
    'OK',
    'ANUNDELIV',
    'DELIVERED_TO_SMSC',
    'DELIVERY',
    'ACCESS_DENIED',
    'EXPECTED',
  ]) {
    assert.equal(readReceipt(deliver(`id:1 stat:${word}`))?.state, undefined, word);
  }
});

const receiptText = 'id:0489708364 sub:001 dlvrd:001 submit date:2601151907 done date:2601151907 stat:DELIVRD err:000';

test('the text of a receipt in an ordinary message makes no receipt', () => {
  for (const esmClass of [0x00, 0x01, 0x03, 0x40, 0x08, 0x10, 0x18, 0x80, 0xc0]) {
    assert.equal(readReceipt(deliver(receiptText, { esmClass })), undefined, String(esmClass));
  }
});

test('esm_class makes a receipt, whatever its other bits are', () => {
  for (const esmClass of [0x04, 0x05, 0x07, 0x84, 0xc4]) {
    assert.equal(readReceipt(deliver(receiptText, { esmClass: esmClass & ~0x40 }))?.state, 2, String(esmClass));
  }
});

test('an intermediate notification is told apart', () => {
  const receipt = readReceipt(deliver('id:1 stat:ENROUTE err:027', { esmClass: 0x20 }));
  assert.deepEqual(receipt, { messageId: '1', state: 1, networkError: '027', isIntermediate: true });
});

const idTlv = textTlv('receipted_message_id', '1d305b4c');
const gsmError: Tlv = { tag: tlvTags.network_error_code, value: Uint8Array.of(3, 0, 27) };

const byTlvs: readonly (readonly [what: string, tlvs: readonly Tlv[], text: string, expected: DeliveryReceipt])[] = [
  [
    'all in TLVs',
    [idTlv, integerTlv('message_state', 5, 1), gsmError],
    '',
    { messageId: '1d305b4c', state: 5, networkError: 'GSM 27', isIntermediate: false },
  ],
  [
    'TLVs before a text that says something else',
    [idTlv, integerTlv('message_state', 5, 1), gsmError],
    'id:0489708364 stat:DELIVRD err:042',
    { messageId: '1d305b4c', state: 5, networkError: 'GSM 27', isIntermediate: false },
  ],
  [
    'an id alone, and the rest in the text',
    [idTlv],
    receiptText.replace('err:000', 'err:042'),
    { messageId: '1d305b4c', state: 2, networkError: '042', isIntermediate: false },
  ],
  [
    'a state alone, and the rest in the text',
    [integerTlv('message_state', 8, 1)],
    receiptText,
    { messageId: '0489708364', state: 8, networkError: undefined, isIntermediate: false },
  ],
  [
    'an id without a NUL',
    [{ tag: tlvTags.receipted_message_id, value: Buffer.from('77') }],
    '',
    { messageId: '77', state: undefined, networkError: undefined, isIntermediate: false },
  ],
  [
    'an error of zero, and another in the text',
    [idTlv, { tag: tlvTags.network_error_code, value: Uint8Array.of(3, 0, 0) }],
    'err:011',
    { messageId: '1d305b4c', state: undefined, networkError: '011', isIntermediate: false },
  ],
  [
    'an error of another network',
    [idTlv, { tag: tlvTags.network_error_code, value: Uint8Array.of(8, 1, 2) }],
    'stat:UNDELIV',
    { messageId: '1d305b4c', state: 5, networkError: 'network 8 258', isIntermediate: false },
  ],
];

for (const [what, tlvs, text, expected] of byTlvs) {
  test(`a receipt is made by TLVs alone: ${what}`, () => {
    assert.deepEqual(readReceipt(deliver(text, { esmClass: 0, tlvs })), expected);
    const { shortMessage, protocolId: _, ...rest } = deliver(text, { esmClass: 0, tlvs });
    const payload = { tag: tlvTags.message_payload, value: shortMessage };
    const data: DataSm = { ...rest, command: 'data_sm', tlvs: [...tlvs, payload] };
    assert.deepEqual(readReceipt(data), expected);
  });
}

test('empty TLVs make no receipt, and are no reason to pass over the text of one', () => {
  const tlvs = [
    { tag: tlvTags.receipted_message_id, value: Uint8Array.of(0) },
    { tag: tlvTags.message_state, value: new Uint8Array() },
    { tag: tlvTags.network_error_code, value: Uint8Array.of(3) },
  ];
  assert.equal(readReceipt(deliver(receiptText, { esmClass: 0, tlvs })), undefined);
  assert.equal(readReceipt(deliver(receiptText, { tlvs }))?.messageId, '0489708364');
  assert.equal(readReceipt(deliver(receiptText, { tlvs }))?.state, 2);
});

test('the text is read in ASCII, UCS-2 and packed septets, whatever data_coding says', () => {
  const udh = writeUserDataHeader([{ id: 0, data: Uint8Array.of(1, 1, 1) }]);
  for (const dataCoding of [0, 1, 3, 4, 8]) {
    for (const pdu of [
      deliver(receiptText, { dataCoding }),
      deliver(encodeContent(receiptText, 'ucs2'), { dataCoding }),
      deliver(encodeContent(receiptText, 'gsm7-packed'), { dataCoding }),
      deliver(encodeContent(receiptText, 'gsm7-packed', { udh }), { dataCoding, esmClass: 0x44 }),
      deliver(encodeContent(receiptText, 'gsm7', { udh }), { dataCoding, esmClass: 0x44 }),
    ]) {
      assert.deepEqual(readReceipt(pdu), {
        messageId: '0489708364',
        state: 2,
        networkError: undefined,
        isIntermediate: false,
      });
    }
  }
});

test('a NUL in front of the text harms nothing', () => {
  assert.equal(readReceipt(deliver(`\0${receiptText}`))?.messageId, '0489708364');
});

test('a quoted message in UCS-2 behind a text in ASCII harms nothing', () => {
  const quoted = Buffer.concat([Buffer.from(`${receiptText} text:`), encodeContent('Привет', 'ucs2')]);
  const tlvs = [{ tag: tlvTags.message_payload, value: quoted }];
  assert.equal(readReceipt(deliver('', { dataCoding: 8, tlvs }))?.state, 2);
});

test(`any content is read without throwing, and in time that follows its length (seed ${runs.seed})`, () => {
  const unit = fc.constantFrom(
    'id:',
    'stat:',
    'err:',
    'text:',
    'submit date:',
    ' ',
    '\0',
    'DELIVRD',
    '7',
    ':',
    'é',
    '中',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), fc.nat(255), (text, esmClass) => {
      const receipt = readReceipt(deliver(text, { esmClass }));
      assert.equal(receipt === undefined, ![0x04, 0x20].includes(esmClass & 0x3c));
      for (const word of [receipt?.messageId, receipt?.networkError]) assert.doesNotMatch(word ?? '', /\s/);
    }),
    runs,
  );
  const started = performance.now();
  readReceiptText('submit '.repeat(100_000));
  readReceiptText(' id:'.repeat(100_000));
  assert.ok(performance.now() - started < 1_000);
});
