import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReceipt } from '@waxwing/smpp/delivery-receipt.ts';
import type { BindTransceiverResp, DeliverSm, SmppPdu } from '@waxwing/smpp/smpp-pdu.ts';
import { smppProtocol } from '@waxwing/smpp/smpp-protocol.ts';
import { smppBind, smppClient } from './smpp-client.testing.ts';
import { trialClient } from './trial-client.testing.ts';
import { trialSmsc } from './trial-smsc.testing.ts';

function receiptOf(pdu: SmppPdu | undefined) {
  assert.equal(pdu?.command, 'deliver_sm');
  return readReceipt(pdu as DeliverSm);
}

const textOf = (pdu: SmppPdu | undefined) => Buffer.from((pdu as DeliverSm).shortMessage).toString('latin1');

test('without a script every message is accepted, and its receipt follows the answer', async (t) => {
  const smsc = await trialSmsc(t, 'smpp');
  const client = await smppClient(t, smsc.port);
  const { status, messageId } = await client.send('8613800138000');
  assert.equal(status, 0);
  const [receipt] = await client.receives(1);
  assert.deepEqual(client.order, ['answer', 'answer', 'request']);
  assert.deepEqual(receiptOf(receipt), { messageId, state: 2, networkError: undefined, isIntermediate: false });
  const { source, destination } = receipt as DeliverSm;
  assert.deepEqual([source.address, destination.address], ['8613800138000', 'Waxwing']);
  const words =
    `^id:${messageId} sub:001 dlvrd:001 submit date:\\d{10} done date:\\d{10} ` +
    'stat:DELIVRD err:000 Text:Your code is 123456.$';
  assert.match(textOf(receipt), new RegExp(words));
});

test('a message that asks for no receipt gets none, and one that asks for failures only gets those', async (t) => {
  const smsc = await trialSmsc(t, 'smpp', { rules: [{ prefix: '1', receipts: [{ state: 'EXPIRED' }] }] });
  const client = await smppClient(t, smsc.port);
  await client.send('2', { registeredDelivery: 0 });
  await client.send('2', { registeredDelivery: 2 });
  await client.send('1', { registeredDelivery: 3 });
  const { messageId } = await client.send('1', { registeredDelivery: 2 });
  const receipts = await client.receives(1);
  assert.deepEqual(receipts.map(receiptOf), [{ messageId, state: 3, networkError: undefined, isIntermediate: false }]);
});

test('a wrong password is 0x0E and a wrong account 0x0D, and the connection is closed', async (t) => {
  const smsc = await trialSmsc(t, 'smpp');
  for (const [password, id, code] of [
    ['wrong', 'trial', 0x0e],
    ['sesame', 'other', 0x0d],
  ] as const) {
    const client = await trialClient(t, smsc.port, smppProtocol, {});
    const { status } = (await client.ask(smppBind('bind_transceiver', password, id))) as BindTransceiverResp;
    assert.equal(status, code);
    assert.deepEqual(await client.session.ended, { why: 'peer-closed' });
  }
  assert.equal(smsc.counts().refused_binds, 2);
});
