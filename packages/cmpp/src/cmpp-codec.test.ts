import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeCmpp, encodeCmpp } from './cmpp-codec.ts';
import { cmppCommands } from './cmpp-command.ts';
import { CmppFieldFault } from './cmpp-fault.ts';
import type { CmppSubmit } from './cmpp-pdu.ts';
import { cmppPdus, exampleDeliver as deliver, exampleSubmit as submit } from './cmpp-values.testing.ts';
import { type CmppVersion, cmpp2, cmpp3 } from './cmpp-version.ts';

const runs = { seed: 7890, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 2_000 };

for (const version of [cmpp2, cmpp3]) {
  test(`every message of ${version.name} survives being written and read (seed ${runs.seed})`, () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(cmppPdus(version), (pdu) => {
        seen.add(pdu.command);
        assert.deepEqual(decodeCmpp(encodeCmpp(pdu, version), version), { kind: 'pdu', pdu });
      }),
      runs,
    );
    assert.deepEqual([...seen].sort(), Object.keys(cmppCommands).sort());
  });
}

test('a value that does not fit is refused by the name of its field, and is not told', () => {
  const rows: readonly (readonly [change: Partial<CmppSubmit>, version: CmppVersion, field: string])[] = [
    [{ serviceId: 'HELP1234567' }, cmpp3, 'Service_Id'],
    [{ sourceId: '中' }, cmpp3, 'Src_Id'],
    [{ sourceId: 'a\0b' }, cmpp3, 'Src_Id'],
    [{ destinations: ['1'.repeat(22)] }, cmpp2, 'Dest_terminal_Id'],
    [{ destinations: ['1'.repeat(33)] }, cmpp3, 'Dest_terminal_Id'],
    [{ destinations: [] }, cmpp3, 'DestUsr_tl'],
    [{ destinations: new Array<string>(101).fill('1') }, cmpp3, 'DestUsr_tl'],
    [{ content: new Uint8Array(256) }, cmpp3, 'Msg_Length'],
    [{ messageId: '18446744073709551616' }, cmpp3, 'Msg_Id'],
    [{ messageId: '-1' }, cmpp3, 'Msg_Id'],
    [{ messageId: '' }, cmpp3, 'Msg_Id'],
    [{ format: 256 }, cmpp3, 'Msg_Fmt'],
    [{ level: 0.5 }, cmpp3, 'Msg_level'],
    [{ sequence: 2 ** 32 }, cmpp3, 'Sequence_Id'],
    [{ feeTerminalType: 1 }, cmpp2, 'Fee_terminal_type'],
    [{ destinationType: 1 }, cmpp2, 'Dest_terminal_type'],
    [{ linkId: 'a' }, cmpp2, 'LinkID'],
  ];
  for (const [change, version, field] of rows) {
    const isOurs = (error: unknown) => error instanceof CmppFieldFault && error.field === field;
    assert.throws(() => encodeCmpp({ ...submit, ...change }, version), isOurs, field);
  }
});

test('the most receivers and the longest content fit', () => {
  const largest = {
    ...submit,
    destinations: new Array<string>(100).fill('1'.repeat(32)),
    content: Buffer.alloc(255),
  };
  assert.equal(encodeCmpp(largest, cmpp3).length, 3618);
  assert.deepEqual(decodeCmpp(encodeCmpp(largest, cmpp3), cmpp3), { kind: 'pdu', pdu: largest });
});

test('what is behind the first NUL of a text is not read', () => {
  const octets = encodeCmpp({ ...deliver, destinationId: '106x9' }, cmpp3);
  octets[12 + 8 + 3] = 0;
  const read = decodeCmpp(octets, cmpp3);
  assert.ok(read.kind === 'pdu' && read.pdu.command === 'deliver');
  assert.equal(read.pdu.destinationId, '106');
});

test('a message keeps nothing of the octets it was read from', () => {
  const octets = encodeCmpp(deliver, cmpp3);
  const read = decodeCmpp(octets, cmpp3);
  octets.fill(0xee);
  assert.deepEqual(read, { kind: 'pdu', pdu: deliver });
});

test('a response with the result of the other version is read', () => {
  for (const [written, read] of [
    [cmpp2, cmpp3],
    [cmpp3, cmpp2],
  ] as const) {
    for (const pdu of [
      { command: 'connect_resp', sequence: 1, status: 4, authenticator: Buffer.alloc(16), version: 0x20 },
      { command: 'submit_resp', sequence: 1, messageId: '77', result: 8 },
      { command: 'deliver_resp', sequence: 1, messageId: '77', result: 0 },
      { command: 'cancel_resp', sequence: 1, result: 1 },
    ] as const) {
      assert.deepEqual(decodeCmpp(encodeCmpp(pdu, written), read), { kind: 'pdu', pdu });
    }
  }
});

test('the reserved octet of an answered active test may be missing', () => {
  const octets = Buffer.from('0000000c8000000800000005', 'hex');
  assert.deepEqual(decodeCmpp(octets, cmpp3), { kind: 'pdu', pdu: { command: 'active_test_resp', sequence: 5 } });
});
