/** Kannel, a gateway that we did not write, at the simulated carrier. tshark reads the PDUs of both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatenationOf } from '@waxwing/smpp/concatenation.ts';
import { decodePdu } from '@waxwing/smpp/decode-pdu.ts';
import { readReceipt } from '@waxwing/smpp/delivery-receipt.ts';
import { textOf } from '@waxwing/smpp/message-content.ts';
import type { SmppPdu, SubmitSm } from '@waxwing/smpp/smpp-pdu.ts';
import { startKannel, withoutKannel } from './kannel.ts';
import { takeKannelRequests } from './kannel-requests.ts';
import { type RecordingRelay, startRecordingRelay } from './recording-relay.ts';
import { startSimulatedSmsc } from './simulated-smsc.ts';
import { byCommand, dissectTalk, withoutTshark } from './tshark.ts';

for (const skip of new Set([withoutKannel, withoutTshark])) {
  if (skip !== false) console.log(`Kannel at the simulated carrier: ${skip}`);
}
const limits = { skip: withoutKannel, timeout: 240_000 };

const account = { id: 'trial', password: 'sesame' };
const from = '10690000';
const accepted = '202 0: Accepted for delivery';
/** Values of `%d`, and of `dlr-mask` together. */
const dlr = { delivered: 1, undelivered: 2, taken: 8, refused: 16, mask: '31' } as const;
const coding = { gsm: '0', ucs2: '2' } as const;

/** Of the replies, in their order. */
const replyCharsets = ['UTF-8', 'UTF-16BE'];
const replies = ['Merci, café [€]', '还需要两天才能到吗？'.repeat(12)];
const script = {
  rules: [
    { prefix: '86138', replies: [{ text: replies[0] }, { text: replies[1], long: 'udh8' }] },
    { prefix: '44', receipts: [{ state: 'UNDELIV', error: 27 }] },
    { prefix: '33', answer: 'refuse', code: '0x0b' },
  ],
};

const messages = [
  { to: '8613800138000', text: 'Hello [€] é', coding: coding.gsm, ends: [dlr.taken, dlr.delivered] },
  { to: '85261234567', text: '你好！'.repeat(40), coding: coding.ucs2, ends: [dlr.taken, dlr.delivered] },
  { to: '447911123456', text: 'Über [x]. '.repeat(30), coding: coding.gsm, ends: [dlr.taken, dlr.undelivered] },
  { to: '33612345678', text: '好', coding: coding.ucs2, ends: [dlr.refused] },
];

/** What both sent, as our codec reads it. */
function pdusOf(relay: RecordingRelay): readonly SmppPdu[] {
  return relay.pdus().map(({ octets }) => {
    const decoded = decodePdu(octets);
    assert.ok(decoded.kind === 'pdu', JSON.stringify(decoded));
    return decoded.pdu;
  });
}

/** Kannel requests its URLs side by side, so only the PDUs show that each receipt came after the answer it belongs to. */
function assertReceiptsFollow(pdus: readonly SmppPdu[], count: number): void {
  const answered = new Set<string | undefined>();
  let receipts = 0;
  for (const pdu of pdus) {
    if (pdu.command === 'submit_sm_resp') answered.add(pdu.messageId);
    const receipt = pdu.command === 'deliver_sm' ? readReceipt(pdu) : undefined;
    if (receipt === undefined) continue;
    receipts += 1;
    assert.ok(answered.has(receipt.messageId), `${receipt.messageId} was not answered before`);
  }
  assert.equal(receipts, count);
}

test('Kannel sends by the simulated carrier, and gets its receipts and replies', limits, async (t) => {
  await using smsc = await startSimulatedSmsc('smpp', account, script);
  await using relay = await startRecordingRelay(smsc.port);
  await using requests = await takeKannelRequests();
  await using kannel = await startKannel(relay.port, account, `${requests.url}/reply?from=%p&to=%P&text=%a&charset=%C`);

  for (const { to, text, coding } of messages) {
    const url = `${requests.url}/dlr?to=${to}&type=%d&text=%A`;
    assert.equal(await kannel.sendSms({ from, to, text, coding, 'dlr-mask': dlr.mask, 'dlr-url': url }), accepted);
  }
  const reports = await requests.received('/dlr', 7);
  for (const { to, ends } of messages) {
    const types = reports.filter((report) => String(report.to) === to).map(({ type }) => Number(type));
    assert.deepEqual(new Set(types), new Set(ends));
    assert.equal(types.length, ends.length);
  }
  const final = reports.find(({ to, type }) => String(to) === '447911123456' && Number(type) === dlr.undelivered);
  assert.match(String(final?.text), /^id:\d+ sub:001 dlvrd:000 .* stat:UNDELIV err:027 Text:/);

  const answers = [...(await requests.received('/reply', 2))].sort(
    (one, other) => replyCharsets.indexOf(String(one.charset)) - replyCharsets.indexOf(String(other.charset)),
  );
  assert.deepEqual(
    answers.map((answer) => [String(answer.from), String(answer.to), String(answer.charset)]),
    replyCharsets.map((charset) => ['8613800138000', from, charset]),
  );
  const texts = answers.map(({ text = Buffer.of(), charset }) =>
    String(charset) === 'UTF-8' ? String(text) : text.swap16().toString('utf16le'),
  );
  assert.deepEqual(texts, replies);

  const pdus = pdusOf(relay);
  assertReceiptsFollow(pdus, 3);
  const submits = pdus.filter((pdu): pdu is SubmitSm => pdu.command === 'submit_sm');
  for (const { to, text } of messages) {
    const parts = submits.filter(({ destination }) => destination.address === to);
    const inOrder = parts.toSorted(
      (one, other) => (concatenationOf(one)?.sequence ?? 1) - (concatenationOf(other)?.sequence ?? 1),
    );
    assert.equal(inOrder.map((part) => textOf(part, 'gsm7')).join(''), text);
  }
  await kannel.stop();
  const { binds, submits: taken, receipts, acknowledged, resent, malformed, waiting } = await smsc.stop();
  assert.deepEqual([binds, taken, receipts, resent, malformed, waiting], [1, 7, 3, 0, 0, 0]);
  assert.equal(acknowledged, 6);

  await t.test('tshark reads each of these PDUs', { skip: withoutTshark }, async () => {
    const { pdus, complaints } = await dissectTalk(relay, 'smpp');
    assert.deepEqual(complaints, []);
    const ofCommand = byCommand(pdus, 'smpp');
    const counts = [0x09, 0x04, 0x80000004, 0x05, 0x80000005].map((command) => ofCommand(command).length);
    assert.deepEqual(counts, [1, 7, 7, 6, 6]);
    const receipts = ofCommand(0x05).filter((pdu) => pdu['smpp.receipted_message_id'] !== undefined);
    assert.deepEqual(receipts.map((pdu) => pdu['smpp.message_state']?.[0]).toSorted(), ['2', '2', '5']);
    const replied = ofCommand(0x05).filter((pdu) => pdu['smpp.receipted_message_id'] === undefined);
    assert.equal(replied.map((pdu) => pdu['smpp.message_text']?.[0]).join(''), replies.join(''));
  });
});

test('Kannel slows down where the simulated carrier throttles, and loses nothing', limits, async () => {
  const count = 6;
  await using smsc = await startSimulatedSmsc('smpp', account, { rate: 2 });
  await using requests = await takeKannelRequests();
  await using kannel = await startKannel(smsc.port, account, `${requests.url}/reply`);
  for (let number = 0; number < count; number += 1) {
    const url = `${requests.url}/dlr?number=${number}&type=%d`;
    const sms = { from, to: `861380013800${number}`, text: 'Hello', 'dlr-mask': '1', 'dlr-url': url };
    assert.equal(await kannel.sendSms(sms), accepted);
  }
  const reports = await requests.received('/dlr', count);
  assert.equal(new Set(reports.map(({ number }) => String(number))).size, count);
  const { accepted: taken, throttled } = await smsc.stop();
  assert.equal(taken, count);
  assert.ok(throttled > 0);
});
