import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCmpp, encodeCmpp } from '@waxwing/cmpp/cmpp-codec.ts';
import { decodeText } from '@waxwing/cmpp/cmpp-content.ts';
import type { CmppPdu, CmppSubmit } from '@waxwing/cmpp/cmpp-pdu.ts';
import { cmpp3 } from '@waxwing/cmpp/cmpp-version.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import type { PartToSubmit } from '../carrier.ts';
import type { CarrierSettings } from '../stored-carrier.ts';
import { cmppDialect } from './cmpp-dialect.ts';
import { linkSettings, samplePart } from './link-carrier.testing.ts';
import { cmppDelivery, cmppReport } from './scripted-smsc.testing.ts';

const dialectOf = (settings: Partial<CarrierSettings> = {}) =>
  cmppDialect(linkSettings('cmpp3', { account: '901234', ...settings }), new SecretText('secret'));

/** As it arrives at the gateway. */
function submitsOf(part: Partial<PartToSubmit>, settings: Partial<CarrierSettings> = {}): CmppSubmit[] {
  return dialectOf(settings)
    .submitRequests(samplePart(part))
    .map((build, index) => {
      const decoded = decodeCmpp(encodeCmpp(build(index + 1), cmpp3), cmpp3);
      if (decoded.kind !== 'pdu' || decoded.pdu.command !== 'submit') return assert.fail();
      return decoded.pdu;
    });
}

test('a submit has the codes of the account, a report is asked for, and the time is that of China', () => {
  const [submit] = submitsOf({}, { source_address: '106900', service_id: 'SMS', enterprise_code: '123456' });
  assert.deepEqual(
    [submit?.sourceId, submit?.serviceId, submit?.messageSource, submit?.registeredDelivery, submit?.validUntil],
    ['106900', 'SMS', '123456', 1, '260301200000032+'],
  );
  assert.equal(submitsOf({})[0]?.messageSource, '901234');
});

test('Chinese numbers go out without 86, others without +', () => {
  assert.deepEqual(submitsOf({})[0]?.destinations, ['13800138000']);
  assert.deepEqual(submitsOf({ destination: '+85261234567' })[0]?.destinations, ['85261234567']);
});

test('a sender that extends the number of the account is used, any other is not', () => {
  const own = { source_address: '106900' };
  assert.equal(submitsOf({ sender: '10690012' }, own)[0]?.sourceId, '10690012');
  assert.equal(submitsOf({ sender: 'Acme' }, own)[0]?.sourceId, '106900');
  assert.equal(submitsOf({ sender: '+10690012' }, {})[0]?.sourceId, '10690012');
});

test('segments are joined by their header, and counted in the fields of the gateway', () => {
  const [submit] = submitsOf({ text: '长'.repeat(67), concatenation: { reference: 7, total: 2, sequence: 1 } });
  assert.deepEqual([submit?.segmentCount, submit?.segmentNumber, submit?.userDataHeader, submit?.format], [2, 1, 1, 8]);
  assert.deepEqual([...(submit?.content.subarray(0, 6) ?? [])], [5, 0, 3, 7, 2, 1]);
  assert.equal(submit?.content.length, 140);
});

test('a segment of the GSM alphabet that CMPP has no format for becomes several messages', () => {
  const text = 'é'.repeat(153);
  const submits = submitsOf({ text, concatenation: { reference: 7, total: 2, sequence: 1 } });
  assert.equal(submits.length, 3);
  assert.ok(submits.every(({ content }) => content.length <= 140));
  assert.equal(submits.map(({ content, format }) => decodeText(content.subarray(6), format)).join(''), text);
  const [one] = submitsOf({ text: 'é'.repeat(69), concatenation: { reference: 7, total: 2, sequence: 2 } });
  assert.ok((one?.content.length ?? 0) <= 140);
});

test('results are verdicts on the message', () => {
  const { readSubmitAnswer } = dialectOf();
  const kindOf = (result: number) =>
    readSubmitAnswer({ command: 'submit_resp', sequence: 1, messageId: '5', result }).result.kind;
  assert.deepEqual([0, 8, 13, 1, 9].map(kindOf), [
    ...['accepted', 'throttled', 'refused', 'refused-for-now', 'refused-for-now'],
  ]);
});

test('only Registered_Delivery makes a report; a text that looks like one is a reply', () => {
  const { readInbound } = dialectOf();
  assert.deepEqual(readInbound(cmppReport('12', 'REJECTD', 'cmpp3')(1)), {
    kind: 'receipt',
    messageId: '12',
    state: 8,
    networkError: 'REJECTD',
    recipient: '13800138000',
    isIntermediate: false,
  });
  const text = cmppDelivery({ content: Buffer.from('stat:DELIVRD') })(1);
  assert.deepEqual(readInbound(text), {
    kind: 'reply',
    from: '+8613800138000',
    to: '10690',
    text: 'stat:DELIVRD',
    segment: undefined,
  });
});

test('what cannot be taken now is answered as flow control', () => {
  const { answerInbound } = dialectOf();
  const request = cmppDelivery({})(9);
  const resultOf = (pdu: CmppPdu | undefined) =>
    pdu?.command === 'deliver_resp' && [pdu.messageId, pdu.result, pdu.sequence];
  assert.deepEqual(resultOf(answerInbound(request, 'taken')), ['77', 0, 9]);
  assert.deepEqual(resultOf(answerInbound(request, 'not-now')), ['77', 8, 9]);
});
