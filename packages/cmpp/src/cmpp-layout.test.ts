import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeCmpp } from './cmpp-codec.ts';
import type { CmppPdu } from './cmpp-pdu.ts';
import { exampleDeliver, exampleSubmit } from './cmpp-values.testing.ts';
import { cmpp2, cmpp3 } from './cmpp-version.ts';

/** Hexadecimal digits of a text and the zeros behind it. */
function padded(text: string, size: number): string {
  return Buffer.from(text.padEnd(size, '\0'), 'latin1').toString('hex');
}

function assertLayout(pdu: CmppPdu, second: readonly string[], third: readonly string[] = second): void {
  assert.equal(encodeCmpp(pdu, cmpp2).toString('hex'), second.join(''), `${pdu.command} of 2.0`);
  assert.equal(encodeCmpp(pdu, cmpp3).toString('hex'), third.join(''), `${pdu.command} of 3.0`);
}

test('CMPP_SUBMIT has the fields of §8.4.3.1 in their order and sizes', () => {
  const fields = (size: number, type: string, tail: number) => [
    '00000004',
    '01020304',
    ...['0000000000000000', '02', '01', '01', '03'],
    ...[padded('HELP', 10), '02', padded('13900139000', size), type, '00', '01', '08'],
    ...[padded('901234', 6), padded('01', 2), padded('10', 6)],
    ...[padded('260101120000032+', 17), padded('', 17), padded('10690000', 21)],
    ...['02', padded('13800138000', size), padded('13800138001', size), type],
    ...['08', '0500030702014e2d', padded('', tail)],
  ];
  // 138 octets of fixed fields in 2.0 and 163 in 3.0, two receivers, and a content of 8.
  const [second, third] = [138 + 2 * 21 + 8, 163 + 2 * 32 + 8];
  assertLayout(
    exampleSubmit,
    [second.toString(16).padStart(8, '0'), ...fields(21, '', 8)],
    [third.toString(16).padStart(8, '0'), ...fields(32, '00', 20)],
  );
});

test('CMPP_DELIVER has the fields of §8.4.5.1 in their order and sizes', () => {
  const front = ['00000005', '00000009', 'ffffffffffffffff', padded('10690000', 21), padded('HELP', 10), '00000f'];
  assertLayout(
    exampleDeliver,
    ['00000057', ...front, padded('13800138000', 21), '00', '02', 'd6d0', padded('', 8)],
    ['0000006f', ...front, padded('13800138000', 32), '00', '00', '02', 'd6d0', padded('', 20)],
  );
});

test('the results of responses have one octet in 2.0 and four in 3.0', () => {
  const authenticator = new Uint8Array(16).fill(0xab);
  const mac = 'ab'.repeat(16);
  assertLayout(
    { command: 'connect_resp', sequence: 1, status: 3, authenticator, version: 0x20 },
    ['0000001e', '80000001', '00000001', '03', mac, '20'],
    ['00000021', '80000001', '00000001', '00000003', mac, '20'],
  );
  assertLayout(
    { command: 'submit_resp', sequence: 3, messageId: '258', result: 8 },
    ['00000015', '80000004', '00000003', '0000000000000102', '08'],
    ['00000018', '80000004', '00000003', '0000000000000102', '00000008'],
  );
  assertLayout(
    { command: 'deliver_resp', sequence: 3, messageId: '258', result: 0 },
    ['00000015', '80000005', '00000003', '0000000000000102', '00'],
    ['00000018', '80000005', '00000003', '0000000000000102', '00000000'],
  );
  assertLayout(
    { command: 'cancel_resp', sequence: 4, result: 1 },
    ['0000000d', '80000007', '00000004', '01'],
    ['00000010', '80000007', '00000004', '00000001'],
  );
});

test('the other messages are the same in both versions', () => {
  const authenticator = new Uint8Array(16).fill(0xab);
  assertLayout(
    { command: 'connect', sequence: 1, sourceAddress: '901234', authenticator, version: 0x30, timestamp: 1021080510 },
    ['00000027', '00000001', '00000001', '393031323334', 'ab'.repeat(16), '30', '3cdc73be'],
  );
  assertLayout({ command: 'terminate', sequence: 2 }, ['0000000c', '00000002', '00000002']);
  assertLayout({ command: 'terminate_resp', sequence: 2 }, ['0000000c', '80000002', '00000002']);
  assertLayout({ command: 'active_test', sequence: 5 }, ['0000000c', '00000008', '00000005']);
  assertLayout({ command: 'active_test_resp', sequence: 5 }, ['0000000d', '80000008', '00000005', '00']);
  assertLayout({ command: 'cancel', sequence: 4, messageId: '258' }, [
    ...['00000014', '00000007', '00000004'],
    '0000000000000102',
  ]);
  const question = { sequence: 6, day: '20260102', queryType: 1, queryCode: 'HELP' } as const;
  const asked = [padded('20260102', 8), '01', padded('HELP', 10)];
  assertLayout({ ...question, command: 'query' }, ['00000027', '00000006', '00000006', ...asked, padded('', 8)]);
  const counts = {
    submittedMessages: 1,
    submittedDestinations: 2,
    forwarded: 3,
    waiting: 4,
    failed: 5,
    delivered: 6,
    deliveryWaiting: 7,
    deliveryFailed: 8,
  };
  const counted = [1, 2, 3, 4, 5, 6, 7, 8].map((count) => `0000000${count}`);
  const answer: CmppPdu = { ...question, ...counts, command: 'query_resp' };
  assertLayout(answer, ['0000003f', '80000006', '00000006', ...asked, ...counted]);
});
