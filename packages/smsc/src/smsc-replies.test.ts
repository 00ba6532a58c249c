import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText } from '@waxwing/cmpp/cmpp-content.ts';
import type { CmppDeliver } from '@waxwing/cmpp/cmpp-pdu.ts';
import { readUserData } from '@waxwing/cmpp/cmpp-segments.ts';
import { cmpp2, cmpp3 } from '@waxwing/cmpp/cmpp-version.ts';
import { concatenationOf } from '@waxwing/smpp/concatenation.ts';
import { readReceipt } from '@waxwing/smpp/delivery-receipt.ts';
import { textOf } from '@waxwing/smpp/message-content.ts';
import type { DeliverSm } from '@waxwing/smpp/smpp-pdu.ts';
import { cmppClient } from './cmpp-client.testing.ts';
import { smppClient } from './smpp-client.testing.ts';
import { trialSmsc } from './trial-smsc.testing.ts';

const long = 'Stop sending me these messages. '.repeat(12).trim();

/** A script whose only follow-up of a submit is this reply. */
function replying(reply: object) {
  return { otherwise: { receipts: [], replies: [reply] } };
}

test('a phone replies after a while', async (t) => {
  const smsc = await trialSmsc(t, 'smpp', replying({ text: '退订', after: '20ms' }));
  const client = await smppClient(t, smsc.port);
  await client.send('8613800138000');
  const [reply] = (await client.receives(1)) as [DeliverSm];
  assert.equal(readReceipt(reply), undefined);
  assert.equal(textOf(reply, 'gsm7'), '退订');
  assert.deepEqual([reply.source.address, reply.destination.address], ['8613800138000', 'Waxwing']);
});

for (const method of ['udh8', 'udh16', 'sar'] as const) {
  for (const order of ['in-order', 'reversed', 'shuffled'] as const) {
    test(`a long reply comes in segments: ${method}, ${order}`, async (t) => {
      const smsc = await trialSmsc(t, 'smpp', replying({ text: long, long: method, order }));
      const client = await smppClient(t, smsc.port);
      await client.send('1');
      const parts = ((await client.receives(3)) as DeliverSm[]).map((pdu) => {
        return { pdu, part: concatenationOf(pdu) };
      });
      assert.deepEqual(new Set(parts.map(({ part }) => part?.method)), new Set([method]));
      const numbers = parts.map(({ part }) => part?.sequence ?? 0);
      assert.deepEqual(numbers.toSorted(), [1, 2, 3]);
      if (order !== 'shuffled') assert.deepEqual(numbers, order === 'reversed' ? [3, 2, 1] : [1, 2, 3]);
      const sorted = parts.toSorted((one, other) => (one.part?.sequence ?? 0) - (other.part?.sequence ?? 0));
      assert.equal(sorted.map(({ pdu }) => textOf(pdu, 'gsm7')).join(''), long);
    });
  }
}

for (const version of [cmpp2, cmpp3]) {
  test(`${version.name}: a long reply comes in segments, and is no status report`, async (t) => {
    const text = '请不要再给我发短信。'.repeat(10);
    const smsc = await trialSmsc(t, version.name, replying({ text, order: 'reversed' }));
    const client = await cmppClient(t, smsc.port, version);
    await client.send('13800138000');
    const delivers = (await client.receives(2)) as CmppDeliver[];
    const parts = delivers.map(({ content, format }) => {
      const { octets, concatenation } = readUserData(content);
      return { number: concatenation?.number, text: decodeText(octets, format) };
    });
    assert.deepEqual(
      parts.map(({ number }) => number),
      [2, 1],
    );
    assert.equal(
      parts
        .toReversed()
        .map((part) => part.text)
        .join(''),
      text,
    );
    assert.deepEqual(
      delivers.map((each) => [each.registeredDelivery, each.userDataHeader]),
      [
        [0, 1],
        [0, 1],
      ],
    );
    assert.deepEqual(delivers.map((each) => [each.sourceTerminalId, each.destinationId])[0], [
      '13800138000',
      '10690000',
    ]);
  });
}
