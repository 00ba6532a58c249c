import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exampleDeliver } from './cmpp-values.testing.ts';
import { cmpp2, cmpp3 } from './cmpp-version.ts';
import { statMeaning } from './stat-meaning.ts';
import { isStatusReport, readStatusReport, type StatusReport, writeStatusReport } from './status-report.ts';

const report: StatusReport = {
  messageId: '14339461213547661057',
  stat: 'DELIVRD',
  submitTime: '2601021504',
  doneTime: '2601021505',
  destination: '13800138000',
  smscSequence: 0x0102_0304,
};

test('a report has the fields of §8.4.5.1, of 60 octets in 2.0 and 71 in 3.0', () => {
  const [second, third] = [writeStatusReport(report, cmpp2), writeStatusReport(report, cmpp3)];
  assert.deepEqual([second.length, third.length], [60, 71]);
  const text = (from: number, to: number) => Buffer.from(third.subarray(from, to)).toString('latin1');
  assert.equal(Buffer.from(third.subarray(0, 8)).readBigUInt64BE().toString(), report.messageId);
  assert.equal(text(8, 15), 'DELIVRD');
  assert.equal(text(15, 35), '26010215042601021505');
  assert.equal(text(35, 67), '13800138000'.padEnd(32, '\0'));
  assert.equal(text(67, 71), '\x01\x02\x03\x04');
  assert.deepEqual(readStatusReport(second), report);
  assert.deepEqual(readStatusReport(third), report);
});

test('only Registered_Delivery 1 makes a report', () => {
  const reports = [0, 1, 2, 255].filter((registeredDelivery) => {
    return isStatusReport({ ...exampleDeliver, registeredDelivery });
  });
  assert.deepEqual(reports, [1]);
});

test('a report with a few octets more or less is read as far as it is clear', () => {
  const octets = writeStatusReport(report, cmpp3);
  const unclear = { ...report, smscSequence: 0 };
  assert.deepEqual(readStatusReport(octets.subarray(0, 67)), unclear);
  assert.deepEqual(readStatusReport(Buffer.concat([octets, Buffer.alloc(3)])), unclear);
  assert.deepEqual(readStatusReport(octets.subarray(0, 46)), unclear);
  assert.deepEqual(readStatusReport(octets.subarray(0, 35)), { ...unclear, destination: '' });
  const bare = { ...unclear, destination: '', submitTime: '', doneTime: '' };
  assert.deepEqual(readStatusReport(octets.subarray(0, 34)), bare);
  assert.deepEqual(readStatusReport(octets.subarray(0, 15)), bare);
  assert.equal(readStatusReport(octets.subarray(0, 14)), undefined);
});

test('every report of both versions is read as it was written', () => {
  const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength });
  const reports = fc.record(
    {
      messageId: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
      stat: fc.constantFrom('DELIVRD', 'MA:0001', 'X', ''),
      submitTime: digits(10),
      doneTime: digits(10),
      destination: digits(21),
      smscSequence: fc.nat(0xffff_ffff),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(reports, fc.constantFrom(cmpp2, cmpp3), (each, version) => {
      assert.deepEqual(readStatusReport(writeStatusReport(each, version)), each);
    }),
    { seed: 845, numRuns: 1000 },
  );
});

test('no content makes the reading fail', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 255 }), (content) => {
      const read = readStatusReport(content);
      assert.equal(read === undefined, content.length < 15);
      if (read !== undefined) statMeaning(read.stat);
    }),
    { seed: 845, numRuns: 5000 },
  );
});

test('each Stat of table 1 has its state', () => {
  for (const [stat, state] of [
    ['DELIVRD', 2],
    ['EXPIRED', 3],
    ['DELETED', 4],
    ['UNDELIV', 5],
    ['ACCEPTD', 6],
    ['REJECTD', 8],
    ['UNKNOWN', 1],
    ['ENROUTE', 1],
    ['delivrd', 2],
  ] as const) {
    const networkError = [3, 4, 5, 8].includes(state) ? stat : undefined;
    assert.deepEqual(statMeaning(stat), { state, networkError }, stat);
  }
  for (const system of ['MA', 'MB', 'MC', 'CA', 'CB', 'DA', 'DB', 'SA', 'SB', 'IA', 'IB', 'IC', 'ID', 'XX']) {
    assert.deepEqual(statMeaning(`${system}:0054`), { state: 5, networkError: `${system}:0054` });
  }
  assert.deepEqual(statMeaning('0012   '), { state: 5, networkError: '0012' });
  assert.deepEqual(statMeaning(''), { state: 5, networkError: undefined });
});
