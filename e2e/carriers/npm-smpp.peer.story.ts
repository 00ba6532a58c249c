/** Waxwing at a carrier that we did not write: npm `smpp`. tshark reads the PDUs of both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ForeignPdu } from './foreign-smpp.ts';
import { type ForeignAnswer, foreignAccount, startForeignSmsc } from './foreign-smsc.ts';
import { startRecordingRelay } from './recording-relay.ts';
import { makeSendingWorld, type SendingWorld } from './sending-world.ts';
import { byCommand, dissectTalk, withoutTshark } from './tshark.ts';
import { wholeText } from './whole-text.ts';

if (withoutTshark !== false) console.log(`reading what Waxwing and npm smpp say: ${withoutTshark}`);

const limits = { timeout: 240_000 };
const sender = '10690000';
const isBound = ({ state }: { readonly state: string }) => state === 'bound';

const toForeign = (port: number) => ['--protocol', 'smpp', '--address', `127.0.0.1:${port}`];

/** The ways in which carriers report, one after the other: by TLVs alone, by text alone (SMPP 3.4 appendix B), by both. */
const delivering: ForeignAnswer = (_submit, number) => {
  const id = `f00${number}`;
  const tlvs = { receipted_message_id: id, message_state: 2 };
  const text = `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:DELIVRD err:000 text:`;
  const ways = [{ ...tlvs, short_message: '' }, { short_message: text }, { ...tlvs, short_message: text }];
  return { id, receipt: { esm_class: 4, data_coding: 0, ...ways[number % ways.length] } };
};

/** Sends each text to a phone of its own, and has the phones. */
async function sendAll(sending: SendingWorld, texts: readonly string[]): Promise<readonly string[]> {
  const mobiles = texts.map((_, index) => `+861380013800${index}`);
  for (const [index, content] of texts.entries()) {
    await sending.send({ mobile: mobiles[index] ?? '', content, sender });
  }
  return mobiles;
}

function submitsTo(submits: readonly ForeignPdu[], mobile: string): readonly ForeignPdu[] {
  return submits.filter(({ destination_addr }) => `+${destination_addr}` === mobile);
}

test('messages and replies of every length and alphabet pass between Waxwing and npm smpp', limits, async (t) => {
  await using smsc = await startForeignSmsc(delivering);
  await using relay = await startRecordingRelay(smsc.port);
  await using sending = await makeSendingWorld();
  await sending.createCarrier('foreign', foreignAccount, [...toForeign(relay.port), '--keep-alive', '1s']);
  await sending.carrierThat('foreign', isBound);

  const texts = ['Hello {café} [€]', '你好', 'Ünder the bridge. '.repeat(20), '长短信，好。'.repeat(40)];
  const segments = [1, 1, 3, 4];
  const mobiles = await sendAll(sending, texts);
  const pushes = await sending.pushes(texts.length);
  assert.deepEqual(
    pushes.map(({ parameters }) => `${parameters.get('mobile')} ${parameters.get('status')}`).toSorted(),
    mobiles.map((mobile) => `${mobile} DELIVRD`),
  );
  const submits = await smsc.received('submit_sm', 9);
  for (const [index, mobile] of mobiles.entries()) {
    const parts = submitsTo(submits, mobile);
    assert.equal(parts.length, segments[index]);
    assert.equal(wholeText(parts), texts[index]);
    assert.ok(parts.every((part) => part.source_addr === sender && part.registered_delivery === 1));
  }

  const phone = { source_addr: '8613800138000', source_addr_ton: 1, source_addr_npi: 1, destination_addr: sender };
  const reply = async (fields: object) => {
    const { command, command_status } = await smsc.ask('deliver_sm', { ...phone, ...fields });
    assert.deepEqual([command, command_status], ['deliver_sm_resp', 0]);
  };
  await reply({ data_coding: 0, short_message: 'Danke schön [€]' });
  const pieces = ['还需要两天', '才能到吗？'];
  const udh = (number: number) => Buffer.from([5, 0, 3, 77, pieces.length, number]);
  for (const number of [2, 1]) {
    await reply({ data_coding: 8, short_message: { udh: udh(number), message: pieces[number - 1] } });
  }
  const replies = await sending.pushes(2);
  assert.deepEqual(
    replies.map(({ kind, parameters }) => [kind, parameters.get('mobile'), parameters.get('message')]),
    ['Danke schön [€]', pieces.join('')].map((text) => ['uplink', mobiles[0], text]),
  );

  await smsc.received('enquire_link', 1);
  await sending.carrierThat('foreign', ({ last_keep_alive_at }) => last_keep_alive_at !== null);
  const enquired = await smsc.ask('enquire_link');
  assert.deepEqual([enquired.command, enquired.command_status], ['enquire_link_resp', 0]);

  const { submitted, accepted, receipts, unmatched_receipts } = await sending.carrierThat(
    'foreign',
    (carrier) => carrier.receipts === 9,
  );
  assert.deepEqual([submitted, accepted, receipts, unmatched_receipts], [9, 9, 9, 0]);
  assert.equal(await sending.world.stop(), 0);
  await smsc.received('unbind', 1);

  await t.test('tshark reads each of these PDUs', { skip: withoutTshark }, async () => {
    const { pdus, complaints } = await dissectTalk(relay, 'smpp');
    assert.deepEqual(complaints, []);
    const ofCommand = byCommand(pdus, 'smpp');
    const counts = [0x09, 0x04, 0x80000004, 0x05, 0x80000005, 0x06].map((command) => ofCommand(command).length);
    assert.deepEqual(counts, [1, 9, 9, 12, 12, 1]);
    const sent = ofCommand(0x04);
    for (const [index, mobile] of mobiles.entries()) {
      const parts = sent.filter((pdu) => `+${pdu['smpp.destination_addr']?.[0]}` === mobile);
      assert.equal(parts.map((pdu) => pdu['smpp.message_text']?.[0]).join(''), texts[index]);
      assert.ok(parts.every((pdu) => pdu['smpp.regdel.receipt']?.[0] === '0x01'));
    }
    const reported = ofCommand(0x05).flatMap((pdu) => pdu['smpp.receipted_message_id'] ?? []);
    assert.equal(new Set(reported).size, 6);
  });
});

test('a wrong password is shown as the carrier refused it, until it is right', limits, async () => {
  await using smsc = await startForeignSmsc(delivering);
  await using sending = await makeSendingWorld();
  await sending.createCarrier('foreign', { ...foreignAccount, password: 'wrong' }, toForeign(smsc.port));
  const { connections } = await sending.carrierThat('foreign', ({ state }) => state === 'refused');
  assert.match(connections[0]?.last_error ?? '', /0x0000000e|ESME_RINVPASWD/i);
  const tested = await sending.world.waxwing(['carrier', 'test', 'foreign']);
  assert.deepEqual([tested.code, /ESME_RINVPASWD/.test(tested.stdout + tested.stderr)], [1, true]);
  const { password } = foreignAccount;
  await sending.world.waxwing(['carrier', 'update', 'foreign', '--password-stdin'], password);
  await sending.carrierThat('foreign', isBound);
});

test('throttling keeps a message until the carrier takes it, and a refusal ends it', limits, async () => {
  const codes = [0x58, 0x14, 0x58];
  const invalidDestination = 0x0b;
  await using smsc = await startForeignSmsc((submit, number) => {
    if (submit.destination_addr.endsWith('9')) return { status: invalidDestination };
    const status = codes.shift();
    return status === undefined ? delivering(submit, number) : { status };
  });
  await using sending = await makeSendingWorld();
  await sending.createCarrier('foreign', foreignAccount, toForeign(smsc.port));
  await sending.send({ mobile: '+8613800138000', content: 'Hello', sender });
  const [delivered] = await sending.pushes(1);
  assert.equal(delivered?.parameters.get('status'), 'DELIVRD');
  const { throttled, submitted } = await sending.carrierThat('foreign', ({ accepted }) => accepted === 1);
  assert.deepEqual([throttled, submitted], [3, 4]);
  await sending.send({ mobile: '+8613800138009', content: 'Hello', sender });
  const [rejected] = await sending.pushes(1);
  assert.equal(rejected?.parameters.get('status'), 'REJECTED');
  assert.match(rejected?.parameters.get('memo') ?? '', /destination address invalid \(0x0000000b\)/);
});

/** Carriers for phones of their own, that differ in what their name says. */
const variants = [
  { name: 'udh16', prefix: '+861', options: ['--long', 'udh16'] },
  { name: 'sar', prefix: '+44', options: ['--long', 'sar'] },
  { name: 'payload', prefix: '+49', options: ['--long', 'payload'] },
  { name: 'pair', prefix: '+33', options: ['--bind', 'pair', '--connections', '2'] },
];
const phones = { udh16: '+8613800138000', sar: '+447911123456', payload: '+4915112345678', pair: '+33612345678' };

test('npm smpp reads long texts in every form, and takes a pair of connections', limits, async () => {
  await using smsc = await startForeignSmsc(delivering);
  await using sending = await makeSendingWorld();
  for (const { name, prefix, options } of variants) {
    await sending.createCarrier(name, foreignAccount, [...toForeign(smsc.port), '--for-prefix', prefix, ...options]);
    await sending.carrierThat(name, isBound);
  }
  const binds = smsc.requests.map(({ command }) => command).filter((command) => command.startsWith('bind_'));
  const transceivers = ['bind_transceiver', 'bind_transceiver', 'bind_transceiver'];
  const pairs = ['bind_receiver', 'bind_receiver', 'bind_transmitter', 'bind_transmitter'];
  assert.deepEqual(binds.toSorted(), [...transceivers, ...pairs].toSorted());

  const texts = ['Ünder the [bridge]. '.repeat(20), '长短信🙂。'.repeat(40)];
  for (const content of texts) {
    const from = smsc.requests.length;
    for (const mobile of Object.values(phones)) await sending.send({ mobile, content, sender });
    const pushes = await sending.pushes(variants.length);
    assert.ok(pushes.every(({ parameters }) => parameters.get('status') === 'DELIVRD'));
    const submits = smsc.requests.slice(from).filter(({ command }) => command === 'submit_sm');
    for (const mobile of Object.values(phones)) assert.equal(wholeText(submitsTo(submits, mobile)), content, mobile);
    assert.equal(submitsTo(submits, phones.payload).length, 1);
    assert.ok(submitsTo(submits, phones.sar).every(({ sar_total_segments }) => (sar_total_segments ?? 0) > 1));
    // An element of 16 bits has its length, 2 octets of reference, the total and the number.
    assert.ok(submitsTo(submits, phones.udh16).every(({ short_message }) => short_message.udh?.[0]?.length === 6));
  }
});
