import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CmppConnectResponse, CmppDeliver, CmppPdu } from '@waxwing/cmpp/cmpp-pdu.ts';
import { cmpp2Protocol, cmpp3Protocol } from '@waxwing/cmpp/cmpp-protocol.ts';
import { cmpp2, cmpp3 } from '@waxwing/cmpp/cmpp-version.ts';
import { readStatusReport } from '@waxwing/cmpp/status-report.ts';
import { cmppClient, cmppConnect } from './cmpp-client.testing.ts';
import { CmppMessageIds } from './cmpp-message-ids.ts';
import { trialClient } from './trial-client.testing.ts';
import { trialSmsc } from './trial-smsc.testing.ts';

const startedAt = Date.UTC(2030, 0, 2, 20, 4, 5);
const clock = { now: () => startedAt, monotonic: () => performance.now() };

for (const version of [cmpp2, cmpp3]) {
  const protocol = version.name === 'cmpp2' ? cmpp2Protocol : cmpp3Protocol;

  test(`${version.name}: each destination has a status report of its own`, async (t) => {
    const script = { otherwise: { receipts: [{ state: 'MA:0001' }] } };
    const smsc = await trialSmsc(t, version.name, script, { clock });
    const client = await cmppClient(t, smsc.port, version);
    const destinations = ['13800138000', '13900139000'];
    const { messageId } = await client.send('', { destinations });
    const reports = ((await client.receives(2)) as CmppDeliver[]).map(({ content }) => readStatusReport(content));
    const common = { messageId, stat: 'MA:0001', submitTime: '3001030404', doneTime: '3001030404' };
    assert.deepEqual(
      reports,
      destinations.map((destination, index) => ({ ...common, destination, smscSequence: index + 1 })),
    );
  });

  test(`${version.name}: without Registered_Delivery there is no report`, async (t) => {
    const smsc = await trialSmsc(t, version.name);
    const client = await cmppClient(t, smsc.port, version);
    await client.send('1', { registeredDelivery: 0 });
    const { messageId } = await client.send('2');
    const [report] = (await client.receives(1)) as CmppDeliver[];
    assert.equal(readStatusReport(report?.content ?? new Uint8Array())?.messageId, messageId);
  });

  test(`${version.name}: wrong secrets, accounts and versions have a status of their own`, async (t) => {
    const smsc = await trialSmsc(t, version.name);
    const other = version.name === 'cmpp2' ? { ...version, octet: 0x30 } : { ...version, octet: 0x20 };
    const connects: readonly [(sequence: number) => CmppPdu, number][] = [
      [cmppConnect(version, 'wrong'), 3],
      [cmppConnect(version, 'sesame', 'other'), 2],
      [cmppConnect(other), version.name === 'cmpp2' ? 4 : 5],
    ];
    for (const [connect, status] of connects) {
      const client = await trialClient(t, smsc.port, protocol, {});
      const answer = (await client.ask(connect)) as CmppConnectResponse;
      assert.equal(answer.status, status);
      assert.deepEqual(answer.authenticator, Buffer.alloc(16));
      await client.session.ended;
    }
    assert.equal(smsc.counts().refused_binds, 3);
  });
}

test('ids stay different when a second has more messages than numbers, and when the clock is set back', () => {
  const ids = new CmppMessageIds(1);
  const given = Array.from({ length: 70_000 }, () => ids.next(startedAt));
  given.push(ids.next(startedAt - 10_000), ids.next(startedAt + 500));
  assert.equal(new Set(given).size, given.length);
});
