import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SmppPdu } from '@waxwing/smpp/smpp-pdu.ts';
import { anyClient, everyProtocol } from './any-client.testing.ts';
import { smscLimits } from './run-smsc.ts';
import { smppClient } from './smpp-client.testing.ts';
import { trialSmsc } from './trial-smsc.testing.ts';

for (const protocol of everyProtocol) {
  test(`${protocol}: receipts that a client did not acknowledge before it left come again in order, and no others`, async (t) => {
    const smsc = await trialSmsc(t, protocol);
    const first = await anyClient(t, protocol, smsc.port, { answer: (index) => (index % 3 === 0 ? 0 : undefined) });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => first.send(`1${index}`)));
    const seen = await first.receipts(30);
    // Its own keep-alive shows that the carrier has read the acknowledgements before.
    assert.ok(await first.isAlive());
    first.destroy();
    const second = await anyClient(t, protocol, smsc.port);
    const missing = answers.filter((_, index) => index % 3 !== 0).map(({ id }) => id);
    assert.deepEqual(
      (await second.receipts(20)).map(({ id }) => id),
      missing,
    );
    assert.deepEqual(
      seen.map(({ id }) => id),
      answers.map(({ id }) => id),
    );
    assert.ok(await second.isAlive());
    const { receipts, acknowledged, resent, waiting } = smsc.counts();
    assert.deepEqual(
      { receipts, acknowledged, resent, waiting },
      { receipts: 30, acknowledged: 30, resent: 20, waiting: 0 },
    );
  });

  test(`${protocol}: a receipt that is refused, or not answered in time, is sent again on the same connection`, async (t) => {
    const limits = { ...smscLimits, responseTimeoutMs: 500 };
    const smsc = await trialSmsc(t, protocol, {}, { limits });
    const answers = [9, undefined, 0, 0];
    const client = await anyClient(t, protocol, smsc.port, { answer: (index) => answers[index] });
    const [{ id: first }, { id: second }] = await Promise.all([client.send('1'), client.send('2')]);
    const ids = (await client.receipts(4)).map(({ id }) => id);
    assert.deepEqual(ids, [first, second, second, first]);
    assert.ok(await client.isAlive());
    assert.equal(smsc.counts().waiting, 0);
  });

  test(`${protocol}: receipts wait while nobody is bound, and so many at most, which is told once`, async (t) => {
    const limits = { ...smscLimits, mostWaiting: 20 };
    const script = { otherwise: { receipts: [{ after: '500ms' }] } };
    const smsc = await trialSmsc(t, protocol, script, { limits });
    const first = await anyClient(t, protocol, smsc.port);
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => first.send(`1${index}`)));
    first.destroy();
    const accepted = answers.filter(({ code }) => code === 0);
    assert.equal(accepted.length, 20);
    assert.equal(smsc.counts().throttled, 10);
    assert.deepEqual(smsc.troubles, [
      '20 receipts and replies wait for a client that acknowledges them. Submits are refused as too many until then.',
    ]);
    const second = await anyClient(t, protocol, smsc.port);
    assert.deepEqual(
      (await second.receipts(20)).map(({ id }) => id),
      accepted.map(({ id }) => id),
    );
    assert.ok(await second.isAlive());
    assert.equal((await second.send('1')).code, 0);
  });
}

test('receipts go to receivers and transceivers alone, and transmitters and transceivers alone may submit', async (t) => {
  const smsc = await trialSmsc(t, 'smpp');
  const transmitter = await smppClient(t, smsc.port, { command: 'bind_transmitter' });
  const receiver = await smppClient(t, smsc.port, { command: 'bind_receiver' });
  assert.equal((await receiver.send('1')).status, 0x04);
  assert.equal((await transmitter.send('1')).status, 0);
  await receiver.receives(1);
  assert.equal(transmitter.received.length, 0);
  assert.equal(smsc.counts().submits, 1);
});

test('all connections of a client share the receipts', async (t) => {
  const smsc = await trialSmsc(t, 'smpp');
  const clients = await Promise.all([1, 2, 3].map(() => smppClient(t, smsc.port)));
  const [first] = clients;
  await Promise.all(Array.from({ length: 60 }, () => first?.send('1')));
  await Promise.all(clients.map((client) => client.receives(20)));
  assert.deepEqual(
    clients.map(({ received }) => received.length),
    [20, 20, 20],
  );
});

test('a client that acknowledges nothing holds a window of receipts, and the carrier the others', async (t) => {
  const smsc = await trialSmsc(t, 'smpp');
  const client = await smppClient(t, smsc.port, { answer: (): SmppPdu | undefined => undefined });
  await Promise.all(Array.from({ length: 300 }, () => client.send('1')));
  await client.receives(100);
  assert.ok((await client.session.tryConnection()).kind === 'answered');
  assert.equal(client.received.length, 100);
  assert.equal(smsc.counts().waiting, 300);
});
