import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { concatenationOf } from './concatenation.ts';
import { type ContentWays, contentFields, contentPieces, type LongMethod, textCutFor } from './content-pieces.ts';
import { textOf } from './message-content.ts';
import type { DefaultAlphabet } from './short-message.ts';
import type { DataSm, DeliverSm } from './smpp-pdu.ts';
import { commonSubmit } from './smpp-pdus.testing.ts';
import { segmentsOf } from './text.ts';
import { integerTlv, tlvTags } from './tlv.ts';

const runs = { seed: 9224, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500 };

const ascii = (length: number) => 'a'.repeat(length);
const lengths = (text: string, defaultAlphabet: DefaultAlphabet, long: LongMethod, isPart = false) => {
  const { alphabet, texts } = contentPieces({ text, encoding: 'gsm', isPart }, { defaultAlphabet, long });
  return [alphabet, ...texts.map(({ length }) => length)];
};

test('a text that is no part may fill its message', () => {
  for (const long of ['udh8', 'udh16', 'sar'] as const) {
    assert.deepEqual(lengths(ascii(160), 'gsm7', long), ['gsm7', 160]);
    assert.deepEqual(lengths(ascii(160), 'latin1', long), ['latin1', 160]);
    assert.deepEqual(lengths('中'.repeat(70), 'gsm7', long), ['ucs2', 70]);
  }
});

test('longer texts leave room for the header of their method', () => {
  assert.deepEqual(lengths(ascii(161), 'gsm7', 'udh8'), ['gsm7', 153, 8]);
  assert.deepEqual(lengths(ascii(161), 'gsm7', 'udh16'), ['gsm7', 152, 9]);
  assert.deepEqual(lengths(ascii(161), 'gsm7', 'sar'), ['gsm7', 153, 8]);
  assert.deepEqual(lengths('中'.repeat(71), 'gsm7', 'udh8'), ['ucs2', 67, 4]);
  assert.deepEqual(lengths('中'.repeat(71), 'gsm7', 'udh16'), ['ucs2', 66, 5]);
  assert.deepEqual(lengths(ascii(1530), 'gsm7', 'payload'), ['gsm7', 1530]);
});

test('a part of a content in UCS-2 is sent in UCS-2, whatever characters it has', () => {
  const ways = { defaultAlphabet: 'gsm7', long: 'udh8' } as const;
  const { alphabet } = contentPieces({ text: ascii(67), encoding: 'ucs2', isPart: true }, ways);
  assert.equal(alphabet, 'ucs2');
});

test('a part as messages are cut stays one piece, but for a header of one octet more', () => {
  for (const long of ['udh8', 'sar', 'payload'] as const) {
    assert.deepEqual(lengths(ascii(153), 'ascii', long, true), ['ascii', 153]);
    assert.deepEqual(lengths('中'.repeat(67), 'ascii', long, true), ['ucs2', 67]);
  }
  assert.deepEqual(lengths(ascii(153), 'gsm7', 'udh16', true), ['gsm7', 152, 1]);
  assert.deepEqual(lengths(ascii(152), 'gsm7', 'udh16', true), ['gsm7', 152]);
});

test('a part with characters that the default alphabet lacks is cut again, as UCS-2', () => {
  assert.deepEqual(lengths(`€${ascii(150)}`, 'latin1', 'udh8', true), ['ucs2', 67, 67, 17]);
  assert.deepEqual(lengths(`é${ascii(150)}`, 'ascii', 'udh8', true), ['ucs2', 67, 67, 17]);
  assert.deepEqual(lengths(`é${ascii(150)}`, 'latin1', 'udh8', true), ['latin1', 151]);
  assert.deepEqual(lengths(`Ω${ascii(50)}`, 'latin1', 'udh8'), ['ucs2', 51]);
  // A carrier that has this letter in Latin-1 still cannot send it in septets.
  assert.deepEqual(lengths('ç', 'latin1', 'udh8'), ['ucs2', 1]);
});

const unit = fc.constantFrom(...'aZ0 €{éΩ中', '😀');
const ways = fc.record({
  defaultAlphabet: fc.constantFrom<DefaultAlphabet>('gsm7', 'gsm7-packed', 'latin1', 'ascii'),
  long: fc.constantFrom<LongMethod>('udh8', 'udh16', 'sar', 'payload'),
});

/** What a peer makes of a submit_sm, as a deliver_sm of the same content. */
function delivered(fields: ReturnType<typeof contentFields>): DeliverSm {
  return { ...commonSubmit, command: 'deliver_sm', ...fields };
}

test(`pieces are read as the text, in whatever way they are sent (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(
      fc.string({ unit, maxLength: 400 }),
      ways,
      fc.boolean(),
      fc.nat(255),
      (text, way, isPart, reference) => {
        const { alphabet, texts } = contentPieces({ text, encoding: 'gsm', isPart }, way);
        assert.equal(texts.join(''), text);
        const read = texts.map((piece, index) => {
          const isAlone = texts.length === 1;
          const concatenation = isAlone ? undefined : { reference, total: texts.length, sequence: index + 1 };
          const pdu = delivered(contentFields(piece, alphabet, way.long, concatenation));
          assert.ok(pdu.shortMessage.length <= 160);
          if (alphabet === 'ucs2' || alphabet === 'gsm7-packed') assert.ok(pdu.shortMessage.length <= 140);
          const part = concatenationOf(pdu);
          assert.deepEqual(part, concatenation && { ...concatenation, method: way.long });
          return textOf(pdu, way.defaultAlphabet);
        });
        assert.equal(read.join(''), text);
      },
    ),
    runs,
  );
});

test(`a content that is cut for a carrier has one piece for each segment (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 700 }), ways, (content, way) => {
      const { segments, encoding } = segmentsOf(content, textCutFor(content, way));
      assert.equal(segments.join(''), content);
      for (const text of segments) {
        const { texts } = contentPieces({ text, encoding, isPart: segments.length > 1 }, way);
        assert.equal(texts.length, 1);
      }
    }),
    runs,
  );
});

test('the header of one octet more, and characters that the default alphabet lacks, change how a content is cut', () => {
  const cuts = (content: string, way: Partial<ContentWays>) => {
    const cut = textCutFor(content, { defaultAlphabet: 'gsm7', long: 'udh8', ...way });
    return [cut, ...segmentsOf(content, cut).segments.map(({ length }) => length)];
  };
  assert.deepEqual(cuts(ascii(161), {}), ['standard', 153, 8]);
  assert.deepEqual(cuts(ascii(161), { long: 'udh16' }), ['udh16', 152, 9]);
  assert.deepEqual(cuts('中'.repeat(71), { long: 'udh16' }), ['udh16', 66, 5]);
  assert.deepEqual(cuts(`€${ascii(150)}`, { defaultAlphabet: 'latin1' }), ['ucs2', 67, 67, 17]);
  assert.deepEqual(cuts(`€${ascii(150)}`, { defaultAlphabet: 'ascii', long: 'udh16' }), ['ucs2-udh16', 66, 66, 19]);
  assert.deepEqual(cuts(ascii(400), { long: 'payload' }), ['whole', 400]);
});

test('a concatenation is read from an 8-bit and a 16-bit reference and from TLVs', () => {
  const read = (hex: string, fields: Partial<DeliverSm> = {}) =>
    concatenationOf({
      ...delivered(contentFields('', 'gsm7', 'udh8', undefined)),
      esmClass: 0x40,
      ...fields,
      shortMessage: Buffer.from(hex, 'hex'),
    });
  const tlvs = [
    integerTlv('sar_msg_ref_num', 0x1234, 2),
    integerTlv('sar_total_segments', 3, 1),
    integerTlv('sar_segment_seqnum', 2, 1),
  ];
  assert.deepEqual(read('050003070302'), { method: 'udh8', reference: 7, total: 3, sequence: 2 });
  assert.deepEqual(read('06080412340302'), { method: 'udh16', reference: 0x1234, total: 3, sequence: 2 });
  assert.deepEqual(read('', { tlvs }), { method: 'sar', reference: 0x1234, total: 3, sequence: 2 });
  // Behind ports, and with a header that says something else than the TLVs.
  assert.deepEqual(read('0b05040b8423f0000307030241', { tlvs })?.method, 'udh8');
  for (const hex of ['050003070304', '050003070300', '050003070001', '0400020703', '060803123403', '05', '', '41']) {
    assert.equal(read(hex), undefined, hex);
  }
  assert.equal(read('050003070302', { esmClass: 0 }), undefined);
  assert.equal(read('', { tlvs: tlvs.slice(1) }), undefined);
});

test('the text of a data_sm is in its message_payload, with or without a header', () => {
  const data: DataSm = {
    command: 'data_sm',
    sequence: 1,
    status: 0,
    serviceType: '',
    source: commonSubmit.source,
    destination: commonSubmit.destination,
    esmClass: 0x40,
    registeredDelivery: 0,
    dataCoding: 8,
    tlvs: [{ tag: tlvTags.message_payload, value: Buffer.from('0500030703024e2d', 'hex') }],
  };
  assert.equal(textOf(data, 'gsm7'), '中');
  assert.equal(concatenationOf(data)?.sequence, 2);
  assert.equal(textOf({ ...data, tlvs: [] }, 'gsm7'), '');
});

test('a header whose lengths do not fit is read as text', () => {
  const pdu = { ...delivered(contentFields('', 'gsm7', 'udh8', undefined)), esmClass: 0x40 };
  assert.equal(textOf({ ...pdu, shortMessage: Buffer.from('Hi') }, 'gsm7'), 'Hi');
});

test('a reference or a count without room is not written', () => {
  const fields = (long: LongMethod, reference: number, total: number, sequence: number) => () =>
    contentFields('a', 'gsm7', long, { reference, total, sequence });
  assert.throws(fields('udh8', 256, 2, 1), RangeError);
  assert.throws(fields('udh16', 65536, 2, 1), RangeError);
  assert.throws(fields('udh8', 1, 256, 1), RangeError);
  assert.throws(fields('udh8', 1, 2, 3), RangeError);
  assert.throws(fields('sar', 65536, 2, 1), { name: 'SmppFault', field: 'sar_msg_ref_num' });
});
