import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { decodePdu } from '@waxwing/smpp/decode-pdu.ts';
import { encodePdu } from '@waxwing/smpp/encode-pdu.ts';
import { bareResponse } from '@waxwing/smpp/response-pdu.ts';
import type { SmppPdu, SubmitSm } from '@waxwing/smpp/smpp-pdu.ts';
import type { CarrierSettings } from '../stored-carrier.ts';
import { linkSettings, runLink, samplePart } from './link-carrier.testing.ts';
import type { LinkRecords, LinkSnapshot } from './link-carrier.ts';
import { noCounts } from './link-counts.ts';
import { type SmscScript, smppAnswer, smppDelivery, smppReceipt, smppSmsc } from './scripted-smsc.testing.ts';

type Options = Parameters<typeof runLink>[2];

/** A carrier that is bound to an SMSC by SMPP. */
async function boundLink(
  t: TestContext,
  script: SmscScript<SmppPdu, SubmitSm> = {},
  settings: Partial<CarrierSettings> = {},
  options: Options = {},
) {
  const smsc = await smppSmsc(t, script);
  const link = runLink(t, linkSettings('smpp', { address: `127.0.0.1:${smsc.port}`, ...settings }), options);
  await link.until(() => link.carrier.downSince === undefined);
  return { smsc, ...link };
}

test('a text goes out, and its receipt comes in and is answered once it is taken', async (t) => {
  const { smsc, carrier, taken } = await boundLink(t);
  const result = await carrier.submit(samplePart());
  assert.deepEqual(result, { kind: 'accepted', carrierMessageId: 'id-1', congestion: undefined });
  const outcome = await smsc.send(smppReceipt('id-1'));
  assert.deepEqual(outcome.kind === 'answered' && [outcome.response.command, outcome.response.status], [
    'deliver_sm_resp',
    0,
  ]);
  assert.deepEqual(taken, [
    { kind: 'receipt', carrierId: 'c1', carrierMessageId: 'id-1', state: 2, networkError: undefined },
  ]);
  assert.deepEqual(smsc.binds, ['bind_transceiver']);
});

test('a receipt that cannot be taken is answered as temporary, so that it comes again', async (t) => {
  let isAway = true;
  const take = async () => {
    if (isAway) throw new Error('no database');
  };
  const { smsc, carrier, taken } = await boundLink(t, {}, {}, { take });
  await carrier.submit(samplePart());
  const first = await smsc.send(smppReceipt('id-1'));
  assert.equal(first.kind === 'answered' && first.response.status, 0x64);
  isAway = false;
  const second = await smsc.send(smppReceipt('id-1'));
  assert.equal(second.kind === 'answered' && second.response.status, 0);
  assert.equal(taken.length, 1);
});

test('answers of the carrier are results: throttled, refused for now, refused, unanswered', async (t) => {
  const statuses: Readonly<Record<number, number>> = { 1: 0x58, 2: 0x08, 3: 0x0b };
  const { carrier, snapshots, until } = await boundLink(
    t,
    { answer: (submit, number) => (number > 3 ? undefined : smppAnswer(submit, '', statuses[number])) },
    { response_timeout: '100ms', temporary: ['0x77'] },
  );
  const kinds: string[] = [];
  for (let count = 0; count < 4; count += 1) kinds.push((await carrier.submit(samplePart())).kind);
  assert.deepEqual(kinds, ['throttled', 'refused-for-now', 'refused', 'unanswered']);
  await until(() => snapshots.at(-1)?.counts.submitted === 4);
  const { answer_ms: _ms, ...counts } = snapshots.at(-1)?.counts ?? noCounts;
  assert.deepEqual(counts, { submitted: 4, accepted: 0, refused: 2, throttled: 1, answered: 3, receipts: 0 });
});

test('a wrong password leaves the carrier refused and without a window, with the words of the carrier', async (t) => {
  const smsc = await smppSmsc(t);
  const settings = linkSettings('smpp', { address: `127.0.0.1:${smsc.port}` });
  const { carrier, snapshots, until } = runLink(t, settings, { password: 'wrong' });
  await until(() => snapshots.at(-1)?.connections[0]?.state === 'refused');
  assert.match(snapshots.at(-1)?.connections[0]?.lastError ?? '', /ESME_RINVPASWD/);
  assert.equal(carrier.window, 0);
  assert.equal((await carrier.submit(samplePart())).kind, 'failed');
});

test('a pair binds a transmitter and a receiver for each connection, and submits over the transmitters', async (t) => {
  const { smsc, carrier, until } = await boundLink(t, {}, { bind: 'pair', connection_count: 2, window: 5 });
  await until(() => smsc.sessions.size === 4 && carrier.window === 10);
  assert.deepEqual(smsc.binds.toSorted(), [
    ...['bind_receiver', 'bind_receiver', 'bind_transmitter', 'bind_transmitter'],
  ]);
  assert.equal((await carrier.submit(samplePart())).kind, 'accepted');
});

test('a carrier that closes the connection is bound again, and is down meanwhile', async (t) => {
  const { smsc, carrier, until } = await boundLink(t);
  for (const session of smsc.sessions) session.destroy();
  await until(() => carrier.downSince !== undefined);
  assert.equal(carrier.window, 0);
  await until(() => carrier.downSince === undefined);
  assert.equal(smsc.binds.length, 2);
  assert.equal((await carrier.submit(samplePart())).kind, 'accepted');
});

test('a carrier that is silent after the bind is down once a keep-alive is not answered', async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    t.after(() => socket.destroy());
    socket.once('data', (octets: Buffer) => {
      const decoded = decodePdu(octets);
      if (decoded.kind === 'pdu') socket.write(encodePdu(bareResponse('bind_transceiver', decoded.pdu.sequence, 0)));
    });
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const spans = { response_timeout: '1s', keep_alive: '100ms' };
  const link = runLink(t, linkSettings('smpp', { address: `127.0.0.1:${port}`, ...spans }));
  await link.until(() => link.carrier.downSince === undefined);
  assert.equal((await link.carrier.submit(samplePart())).kind, 'unanswered');
  await link.until(() => link.carrier.downSince !== undefined);
  await link.until(() => link.snapshots.at(-1)?.connections[0]?.lastError !== undefined);
  assert.match(link.snapshots.at(-1)?.connections[0]?.lastError ?? '', /did not answer a keep-alive/);
  await link.until(() => connections === 2);
});

test('a reply is handed in, and the segments of a longer one are kept', async (t) => {
  const { smsc, taken, segments } = await boundLink(t);
  await smsc.send(smppDelivery({ shortMessage: Buffer.from('Hello') }));
  const header = Uint8Array.of(5, 0, 3, 9, 2, 2);
  await smsc.send(smppDelivery({ esmClass: 0x40, shortMessage: Buffer.concat([header, Buffer.from('end')]) }));
  assert.deepEqual(taken, [{ kind: 'reply', carrierId: 'c1', from: '+8613800138000', to: '10690', text: 'Hello' }]);
  assert.deepEqual([segments.length, segments[0]?.text, segments[0]?.segment?.sequence], [1, 'end', 2]);
});

test('counters and what was learned go on where an earlier run ended', async (t) => {
  const counts = {
    ...{ submitted: 7, accepted: 6, refused: 1, throttled: 0 },
    answered: 7,
    answer_ms: 70_000,
    receipts: 5,
  };
  const tally = { text: 0, 'decimal-to-hex': 3, 'hex-to-decimal': 0 };
  const written: LinkSnapshot[] = [];
  const smsc = await smppSmsc(t);
  const address = `127.0.0.1:${smsc.port}`;
  const records: LinkRecords = {
    read: async () => ({ counts, tally, taughtBy: `acme@${address}` }),
    submitted: async () => [],
    write: async (_, snapshot) => {
      written.push(snapshot);
    },
  };
  const { taken, carrier, stop, until } = runLink(t, linkSettings('smpp', { address }), { records });
  await until(() => carrier.downSince === undefined);
  await smsc.send(smppReceipt('4d2'));
  assert.equal(taken[0]?.kind === 'receipt' && taken[0].carrierMessageId, '1234');
  await carrier.submit(samplePart());
  await stop();
  const { answer_ms, ...others } = written.at(-1)?.counts ?? counts;
  const { answer_ms: before, ...former } = counts;
  assert.deepEqual(others, { ...former, submitted: 8, accepted: 7, answered: 8, receipts: 6 });
  assert.ok(answer_ms >= before);
  assert.deepEqual([written.at(-1)?.connections, written.at(-1)?.tally], [[], tally]);
});

test('an accept that comes too late is told', async (t) => {
  const slow = Promise.withResolvers<void>();
  const { carrier } = await boundLink(
    t,
    {
      async answer(submit) {
        await slow.promise;
        return smppAnswer(submit, 'late-1');
      },
    },
    { response_timeout: '500ms' },
  );
  const result = await carrier.submit(samplePart());
  assert.ok(result.kind === 'unanswered');
  slow.resolve();
  assert.equal(await result.late, 'late-1');
});

test('of a part of several messages the first failure counts, and else the last receipt', async (t) => {
  const { smsc, carrier, taken } = await boundLink(t, {}, { default_alphabet: 'ascii' });
  const result = await carrier.submit(samplePart({ text: 'é'.repeat(200) }));
  assert.equal(result.kind === 'accepted' && result.carrierMessageId, 'id-3');
  await smsc.send(smppReceipt('id-1', 'DELIVRD'));
  assert.equal(taken.length, 0);
  await smsc.send(smppReceipt('id-2', 'UNDELIV'));
  await smsc.send(smppReceipt('id-3', 'DELIVRD'));
  assert.deepEqual(
    taken.map((each) => each.kind === 'receipt' && [each.carrierMessageId, each.state]),
    [
      ['id-3', 5],
      ['id-3', 2],
    ],
  );
});

test('what another address has taught is forgotten', async (t) => {
  const tally = { text: 0, 'decimal-to-hex': 3, 'hex-to-decimal': 0 };
  const records: LinkRecords = {
    read: async () => ({ counts: noCounts, tally, taughtBy: 'acme@smpp.example.com:2775' }),
    submitted: async () => [],
    write: async () => {},
  };
  const { smsc, carrier, taken } = await boundLink(
    t,
    { answer: (submit) => smppAnswer(submit, '1234') },
    {},
    { records },
  );
  await carrier.submit(samplePart());
  await smsc.send(smppReceipt('1234'));
  assert.equal(taken[0]?.kind === 'receipt' && taken[0].carrierMessageId, '1234');
});

test('the ids of receipts are learned, whatever form they have', async (t) => {
  const forms = [
    ['0004D2', '4d2', '4d2'],
    ['1234', '4D2', '1234'],
    ['4D2', '0000001234', '4d2'],
  ] as const;
  for (const [answered, receipted, key] of forms) {
    await t.test(`${answered} in the answer, ${receipted} in the receipt`, async (each) => {
      const { smsc, carrier, taken } = await boundLink(each, { answer: (submit) => smppAnswer(submit, answered) });
      const result = await carrier.submit(samplePart());
      assert.equal(result.kind === 'accepted' && result.carrierMessageId, key);
      await smsc.send(smppReceipt(receipted));
      assert.equal(taken[0]?.kind === 'receipt' && taken[0].carrierMessageId, key);
    });
  }
});

test('a receipt that overtakes its answer is read as that answer tells', async (t) => {
  const { promise: receiptSent, resolve } = Promise.withResolvers<void>();
  const { smsc, carrier, taken } = await boundLink(t, {
    async answer(submit) {
      await receiptSent;
      return smppAnswer(submit, '1234');
    },
  });
  const result = carrier.submit(samplePart());
  await smsc.received(1);
  const receipt = smsc.send(smppReceipt('4d2'));
  setImmediate(resolve);
  await Promise.all([result, receipt]);
  assert.equal(taken[0]?.kind === 'receipt' && taken[0].carrierMessageId, '1234');
});

test('a part that takes several messages here is accepted with the last one, whose receipt counts', async (t) => {
  const { smsc, carrier, taken } = await boundLink(t, {}, { default_alphabet: 'ascii', receipt_id: 'text' });
  const result = await carrier.submit(samplePart({ text: 'é'.repeat(100) }));
  assert.equal(result.kind === 'accepted' && result.carrierMessageId, 'id-2');
  assert.equal(smsc.submitted.length, 2);
  for (const id of ['id-1', 'id-2']) await smsc.send(smppReceipt(id));
  assert.deepEqual(
    taken.map((each) => each.kind === 'receipt' && each.carrierMessageId),
    ['id-2'],
  );
});
