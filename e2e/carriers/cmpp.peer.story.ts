/** Waxwing and the simulated carrier speak CMPP, and a program that we did not write reads it: tshark. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRecordingRelay } from './recording-relay.ts';
import { makeSendingWorld } from './sending-world.ts';
import { startSimulatedSmsc } from './simulated-smsc.ts';
import { byCommand, type DissectedPdu, dissectTalk, withoutTshark } from './tshark.ts';

if (withoutTshark !== false) console.log(`reading CMPP: ${withoutTshark}`);
const limits = { skip: withoutTshark, timeout: 240_000 };

const account = { id: '901234', password: 'sesame' };
const source = '10690000';
const texts = ['Hello', '你好，世界', '长短信。'.repeat(40), 'Plain text, long. '.repeat(20)];
const segments = [1, 1, 3, 3];
const submits = segments.reduce((sum, count) => sum + count, 0);
const reply = '这么长的回复。'.repeat(20);
const replySegments = 3;
const delivers = submits + replySegments;
const commands = {
  connect: 1,
  connectResponse: 0x80000001,
  submit: 4,
  submitResponse: 0x80000004,
  deliver: 5,
  deliverResponse: 0x80000005,
} as const;

/** A talk with everything in it: messages, status reports, a reply, active tests and the farewell. */
async function talk(protocol: 'cmpp2' | 'cmpp3') {
  await using smsc = await startSimulatedSmsc(protocol, account, {
    rules: [{ prefix: '13800138000', replies: [{ text: reply, long: 'udh8' }] }],
  });
  await using relay = await startRecordingRelay(smsc.port);
  await using sending = await makeSendingWorld();
  const link = ['--protocol', protocol, '--address', `127.0.0.1:${relay.port}`, '--keep-alive', '1s'];
  await sending.createCarrier('gateway', account, [...link, '--source-address', source, '--service-id', 'story']);
  for (const [index, content] of texts.entries()) {
    await sending.send({ mobile: `+861380013800${index}`, content, sender: source });
  }
  const pushes = await sending.pushes(texts.length + 1);
  const [statuses, replies] = [
    pushes.filter(({ kind }) => kind === 'status'),
    pushes.filter(({ kind }) => kind === 'uplink'),
  ];
  assert.ok(statuses.every(({ parameters }) => parameters.get('status') === 'DELIVRD'));
  assert.equal(replies[0]?.parameters.get('message'), reply);
  await sending.carrierThat(
    'gateway',
    (carrier) => carrier.receipts === submits && carrier.last_keep_alive_at !== null,
  );
  assert.equal(await sending.world.stop(), 0);
  const counts = await smsc.stop();
  assert.deepEqual([counts.accepted, counts.acknowledged, counts.malformed], [submits, delivers, 0]);
  const { pdus, complaints } = await dissectTalk(relay, 'cmpp');
  const ofCommand = byCommand(pdus, 'cmpp');
  const kinds = Object.values(commands).map((command) => ofCommand(command).length);
  assert.deepEqual(kinds, [1, 1, submits, submits, delivers, delivers]);
  return { ofCommand, complaints };
}

const valuesOf = (pdus: readonly DissectedPdu[], field: string) => pdus.map((pdu) => pdu[field]?.[0]);

/** One row of fields for each PDU. The rows are sorted, so the order of the PDUs does not count. */
const rowsOf = (pdus: readonly DissectedPdu[], fields: readonly string[]) =>
  pdus.map((pdu) => fields.map((field) => `${field}=${pdu[field]?.[0]}`).join(' ')).toSorted();

/** Compares submits with what must have been sent, one row for each segment. */
function checkSubmits(
  sent: readonly DissectedPdu[],
  row: (text: number, segment: number) => Record<string, string>,
): void {
  const rows = segments.flatMap((count, text) => Array.from({ length: count }, (_, segment) => row(text, segment)));
  const expected = rows.map((fields) =>
    Object.entries(fields)
      .map(([field, value]) => `${field}=${value}`)
      .join(' '),
  );
  assert.deepEqual(rowsOf(sent, Object.keys(rows[0] ?? {})), expected.toSorted());
}

/** The fields of a submit before the first one whose length differs between CMPP 2.0 and 3.0. */
const headOf = (text: number, segment: number) => ({
  'cmpp.submit.Pk_total': `${segments[text]}`,
  'cmpp.submit.Pk_number': `${segment + 1}`,
  'cmpp.submit.Registered_Delivery': '1',
  'cmpp.Servicd_Id': 'story',
  'cmpp.submit.Fee_UserType': '2',
});

test('tshark reads every PDU of CMPP 3.0, field by field', limits, async () => {
  const { ofCommand, complaints } = await talk('cmpp3');
  assert.deepEqual(complaints, []);
  assert.deepEqual(valuesOf(ofCommand(commands.connect), 'cmpp.Version'), ['03.00']);
  assert.deepEqual(valuesOf(ofCommand(commands.connectResponse), 'cmpp.connect_resp.Status'), ['0']);
  checkSubmits(ofCommand(commands.submit), (text, segment) => ({
    ...headOf(text, segment),
    'cmpp.TP_udhi': segments[text] === 1 ? '0' : '1',
    // ASCII or UCS-2.
    'cmpp.Msg_Fmt': /^[ -~]*$/.test(texts[text] ?? '') ? '0' : '8',
    'cmpp.submit.Msg_src': account.id,
    'cmpp.submit.Src_Id': source,
    'cmpp.submit.DestUsr_tl': '1',
    'cmpp.Dest_terminal_Id': `1380013800${text}`,
  }));

  const [reports, replies] = [true, false].map((isReport) =>
    ofCommand(commands.deliver).filter((pdu) => (pdu['cmpp.deliver.Registered_Delivery']?.[0] === '1') === isReport),
  );
  const answered = valuesOf(ofCommand(commands.submitResponse), 'cmpp.Msg_Id');
  assert.deepEqual(new Set(reports?.map((pdu) => pdu['cmpp.Msg_Id']?.at(-1))), new Set(answered));
  assert.equal(new Set(answered).size, submits);
  assert.ok(reports?.every((pdu) => pdu['cmpp.deliver.Report.Status']?.[0] === 'DELIVRD'));
  assert.deepEqual(
    replies?.map((pdu) => [pdu['cmpp.deliver.Src_terminal_Id']?.[0], pdu['cmpp.TP_udhi']?.[0]]),
    Array.from({ length: replySegments }, () => ['13800138000', '1']),
  );
  assert.ok(
    valuesOf(ofCommand(commands.deliverResponse), 'cmpp.deliver_resp.Result').every((result) => result === '0'),
  );
});

/**
 * The reader of CMPP in tshark 4.0 has the lengths of 3.0 alone. It calls PDUs that are shorter in 2.0
 * malformed, and what follows a shorter field stray.
 */
test('tshark finds every PDU of CMPP 2.0, and reads their fields up to those that 3.0 changed', limits, async () => {
  const { ofCommand, complaints } = await talk('cmpp2');
  assert.deepEqual(valuesOf(ofCommand(commands.connect), 'cmpp.Version'), ['02.00']);
  checkSubmits(ofCommand(commands.submit), headOf);
  const answered = valuesOf(ofCommand(commands.submitResponse), 'cmpp.Msg_Id');
  assert.equal(new Set(answered).size, submits);
  assert.ok(ofCommand(commands.deliver).every((pdu) => pdu['cmpp.deliver.Dest_Id']?.[0] === source));
  const known = ['_ws.malformed', 'Malformed Packet (Exception occurred)', 'Trailing stray characters'];
  assert.deepEqual(new Set(complaints), new Set(known));
});
