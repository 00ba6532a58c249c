import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReceipt } from '@waxwing/smpp/delivery-receipt.ts';
import type { DeliverSm } from '@waxwing/smpp/smpp-pdu.ts';
import { tlvInteger, tlvText } from '@waxwing/smpp/tlv.ts';
import { anyClient, everyProtocol } from './any-client.testing.ts';
import { smppClient } from './smpp-client.testing.ts';
import { trialSmsc } from './trial-smsc.testing.ts';

const startedAt = Date.UTC(2030, 0, 2, 3, 4, 5);
const clock = { now: () => startedAt, monotonic: () => performance.now() };
/** The first id of a carrier that starts at that time. */
const number = (startedAt / 1000) * 100_000 + 1;
const [decimal, hex] = [`${number}`, number.toString(16)];

const styles = {
  decimal: [decimal, decimal],
  hex: [hex, hex],
  'decimal-to-hex': [decimal, hex],
  'hex-to-decimal': [hex, decimal],
  'leading-zeros': [decimal, decimal.padStart(18, '0')],
  'upper-case': [hex, hex.toUpperCase()],
  text: [`smsc-${number.toString(36)}`, `smsc-${number.toString(36)}`],
};

for (const [style, [inAnswer, inReceipt]] of Object.entries(styles)) {
  test(`message ids: ${style}`, async (t) => {
    const smsc = await trialSmsc(t, 'smpp', { message_ids: style }, { clock });
    const client = await smppClient(t, smsc.port);
    assert.equal((await client.send('1')).messageId, inAnswer);
    const [receipt] = (await client.receives(1)) as DeliverSm[];
    assert.equal(tlvText(receipt?.tlvs ?? [], 'receipted_message_id'), inReceipt);
    assert.ok(
      Buffer.from(receipt?.shortMessage ?? [])
        .toString()
        .startsWith(`id:${inReceipt} `),
    );
  });
}

for (const [digits, date] of [
  [10, '3001020304'],
  [12, '300102030405'],
  [14, '20300102030405'],
] as const) {
  test(`a receipt with dates of ${digits} digits`, async (t) => {
    const smsc = await trialSmsc(t, 'smpp', { receipt_dates: digits, receipt_form: 'text' }, { clock });
    const client = await smppClient(t, smsc.port);
    await client.send('1', { shortMessage: Buffer.from('4f60597d', 'hex'), dataCoding: 8 });
    const [receipt] = (await client.receives(1)) as DeliverSm[];
    assert.deepEqual(receipt?.tlvs, []);
    assert.equal(
      Buffer.from(receipt?.shortMessage ?? []).toString(),
      `id:${decimal} sub:001 dlvrd:001 submit date:${date} done date:${date} stat:DELIVRD err:000 Text:??`,
    );
  });
}

test('a receipt by TLVs alone has no text, and carries the error of the network', async (t) => {
  const receipts = [
    { state: 'UNDELIV', error: 27, form: 'tlv' },
    { state: 'REJECTD', error: 300 },
  ];
  const smsc = await trialSmsc(t, 'smpp', { otherwise: { receipts } });
  const client = await smppClient(t, smsc.port);
  const { messageId } = await client.send('1');
  const [first, second] = (await client.receives(2)) as DeliverSm[];
  assert.equal(first?.shortMessage.length, 0);
  assert.equal(tlvInteger(first?.tlvs ?? [], 'message_state'), 5);
  assert.deepEqual(
    [first, second].map((each) => readReceipt(each as DeliverSm)),
    [
      { messageId, state: 5, networkError: 'GSM 27', isIntermediate: false },
      { messageId, state: 8, networkError: 'GSM 300', isIntermediate: false },
    ],
  );
});

for (const protocol of everyProtocol) {
  test(`${protocol}: receipts come in duplicate, contradict each other, or not at all`, async (t) => {
    const rules = [
      { prefix: '1', receipts: [{ times: 3 }, { state: 'UNDELIV', after: '10ms' }] },
      { prefix: '2', receipts: [] },
    ];
    const smsc = await trialSmsc(t, protocol, { rules });
    const client = await anyClient(t, protocol, smsc.port);
    await client.send('2');
    const { id } = await client.send('1');
    const states = (await client.receipts(4)).map((receipt) => [receipt.id, receipt.state]);
    assert.deepEqual(states, [
      [id, 2],
      [id, 2],
      [id, 2],
      [id, 5],
    ]);
  });

  test(`${protocol}: a receipt may come before the answer`, async (t) => {
    const smsc = await trialSmsc(t, protocol, { otherwise: { receipts: [{ before_answer: true }] } });
    const client = await anyClient(t, protocol, smsc.port);
    const { id } = await client.send('1');
    assert.deepEqual(client.order, ['answer', 'request', 'answer']);
    assert.deepEqual(await client.receipts(1), [{ id, state: 2 }]);
  });
}
