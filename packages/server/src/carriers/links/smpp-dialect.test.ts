import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePdu } from '@waxwing/smpp/decode-pdu.ts';
import { encodePdu } from '@waxwing/smpp/encode-pdu.ts';
import { textOf } from '@waxwing/smpp/message-content.ts';
import type { SmppPdu, SubmitSm } from '@waxwing/smpp/smpp-pdu.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import type { PartToSubmit } from '../carrier.ts';
import type { CarrierSettings } from '../stored-carrier.ts';
import { linkSettings, samplePart } from './link-carrier.testing.ts';
import { smppDelivery } from './scripted-smsc.testing.ts';
import { smppDialect } from './smpp-dialect.ts';

const dialectOf = (settings: Partial<CarrierSettings> = {}) =>
  smppDialect(linkSettings('smpp', settings), new SecretText('secret'));

/** As it arrives at the carrier. */
function submitsOf(part: Partial<PartToSubmit>, settings: Partial<CarrierSettings> = {}): SubmitSm[] {
  return dialectOf(settings)
    .submitRequests(samplePart(part))
    .map((build, index) => {
      const decoded = decodePdu(encodePdu(build(index + 1)));
      if (decoded.kind !== 'pdu' || decoded.pdu.command !== 'submit_sm') return assert.fail();
      return decoded.pdu;
    });
}

test('a submit asks for a receipt, and tells in UTC until when the message is worth anything', () => {
  const [submit] = submitsOf({});
  assert.deepEqual(
    [submit?.registeredDelivery, submit?.validityPeriod, submit?.esmClass, submit?.dataCoding],
    [1, '260301120000000+', 0, 0],
  );
  assert.deepEqual(submit?.destination, { ton: 1, npi: 1, address: '8613800138000' });
});

test('the type of a sender is as it looks, unless it is set', () => {
  const senders = [
    [undefined, 0, 0, ''],
    ['Acme', 5, 0, 'Acme'],
    ['10690', 3, 0, '10690'],
    ['+8613800138000', 1, 1, '8613800138000'],
    ['8613800138000', 1, 1, '8613800138000'],
  ] as const;
  for (const [sender, ton, npi, address] of senders) {
    assert.deepEqual(submitsOf({ sender })[0]?.source, { ton, npi, address }, sender ?? 'none');
  }
  const set = { source_ton: 2, source_npi: 8, destination_ton: 0, destination_npi: 0 };
  const [submit] = submitsOf({ sender: 'Acme' }, set);
  assert.deepEqual([submit?.source.ton, submit?.source.npi, submit?.destination.ton], [2, 8, 0]);
});

test('the segments of a text have one reference, in the way that is set', () => {
  const concatenation = { reference: 7, total: 2, sequence: 2 };
  const [udh8] = submitsOf({ concatenation }, { long: 'udh8' });
  assert.deepEqual([udh8?.esmClass, [...(udh8?.shortMessage.subarray(0, 6) ?? [])]], [0x40, [5, 0, 3, 7, 2, 2]]);
  const [sar] = submitsOf({ concatenation }, { long: 'sar' });
  assert.deepEqual([sar?.esmClass, sar?.tlvs.length], [0, 3]);
});

test('a whole text goes out as one payload, or is cut for the longer header; one that was cut already is left so', () => {
  const text = 'x'.repeat(400);
  const payloads = submitsOf({ text }, { long: 'payload' });
  assert.deepEqual(
    [payloads.length, payloads[0]?.shortMessage.length, payloads[0]?.tlvs[0]?.value.length],
    [1, 0, 400],
  );
  const pieces = submitsOf({ text }, { long: 'udh16' });
  assert.deepEqual(
    pieces.map(({ shortMessage }) => shortMessage.length - 7),
    [152, 152, 96],
  );
  const cut = { text: 'x'.repeat(153), concatenation: { reference: 7, total: 3, sequence: 1 } };
  for (const long of ['payload', 'udh16'] as const) {
    assert.deepEqual(
      submitsOf(cut, { long }).map(({ esmClass, shortMessage }) => [esmClass, shortMessage.length, shortMessage[3]]),
      [[0x40, 159, 7]],
    );
  }
});

test('what the default alphabet lacks makes several messages of one part, joined by a reference of their own', () => {
  const submits = submitsOf({ text: 'é'.repeat(100) }, { default_alphabet: 'ascii' });
  assert.equal(submits.length, 2);
  assert.deepEqual(
    submits.map((submit) => [submit.dataCoding, submit.shortMessage[4], submit.shortMessage[5]]),
    [
      [8, 2, 1],
      [8, 2, 2],
    ],
  );
  assert.equal(submits[0]?.shortMessage[3], submits[1]?.shortMessage[3]);
  assert.equal(submits.map((submit) => textOf(submit, 'ascii')).join(''), 'é'.repeat(100));
});

test('a sender that no field can hold is told at once', () => {
  assert.throws(() => submitsOf({ sender: '公司' }));
});

test('answers are results, with the statuses that an operator has set', () => {
  const { readSubmitAnswer } = dialectOf({ temporary: ['0x45'], permanent: ['0x58', '0x08'] });
  const kindOf = (status: number, command: 'submit_sm_resp' | 'generic_nack' = 'submit_sm_resp') =>
    readSubmitAnswer({ command, sequence: 1, status, messageId: 'x', tlvs: [] } as SmppPdu).result.kind;
  assert.equal(kindOf(0), 'accepted');
  assert.equal(kindOf(0x45), 'refused-for-now');
  assert.equal(kindOf(0x58), 'refused');
  assert.equal(kindOf(0x08), 'refused');
  assert.equal(kindOf(0x14), 'throttled');
  assert.equal(kindOf(0x0b), 'refused');
  assert.equal(kindOf(0, 'generic_nack'), 'refused');
  assert.equal(
    dialectOf().readSubmitAnswer({ command: 'generic_nack', sequence: 1, status: 0, tlvs: [] }).result.kind,
    'refused-for-now',
  );
});

test('congestion_state comes with the answer', () => {
  const tlvs = [{ tag: 0x0428, value: Uint8Array.of(95) }];
  const answer: SmppPdu = { command: 'submit_sm_resp', sequence: 1, status: 0, messageId: 'x', tlvs };
  assert.equal(dialectOf().readSubmitAnswer(answer).congestion, 95);
});

test('a message of a phone is a reply, with its place if it is a segment', () => {
  const { readInbound } = dialectOf();
  const header = Uint8Array.of(5, 0, 3, 9, 2, 1);
  const build = smppDelivery({ esmClass: 0x40, shortMessage: Buffer.concat([header, Buffer.from('Hello ')]) });
  assert.deepEqual(readInbound(build(1)), {
    kind: 'reply',
    from: '+8613800138000',
    to: '10690',
    text: 'Hello ',
    segment: { method: 'udh8', reference: 'udh8 9', total: 2, sequence: 1 },
  });
  assert.equal(
    readInbound({ command: 'outbind', sequence: 1, status: 0, systemId: '', password: '', tlvs: [] }).kind,
    'other',
  );
});

test('numbers become E.164 where they can be read as such', () => {
  const { readInbound } = dialectOf();
  const numbers = [
    [1, '8613800138000', '+8613800138000'],
    [0, '8613800138000', '+8613800138000'],
    [0, '+8613800138000', '+8613800138000'],
    [2, '13800138000', '13800138000'],
    [0, '013800138000', '013800138000'],
    [3, '10690', '10690'],
    [5, 'Acme', 'Acme'],
  ] as const;
  for (const [ton, address, from] of numbers) {
    const inbound = readInbound(smppDelivery({ source: { ton, npi: 1, address } })(1));
    assert.equal(inbound.kind === 'reply' && inbound.from, from);
  }
});

test('each request has the answer that the protocol has for it', () => {
  const { answerInbound } = dialectOf();
  const delivery = smppDelivery({})(9);
  assert.equal(answerInbound(delivery, 'taken')?.status, 0);
  assert.equal(answerInbound(delivery, 'not-now')?.status, 0x64);
  const head = { sequence: 1, status: 0, tlvs: [] };
  assert.equal(answerInbound({ command: 'outbind', ...head, systemId: '', password: '' }, 'taken'), undefined);
  assert.equal(answerInbound({ command: 'cancel_sm_resp', ...head }, 'taken')?.status, 3);
});
