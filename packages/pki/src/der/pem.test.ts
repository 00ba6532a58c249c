import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maxPemBlocks, readPem, writePem } from './pem.ts';

const runs = { seed: 12, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 10_000 : 300 };

const block = fc.record({
  label: fc.constantFrom('CERTIFICATE', 'PRIVATE KEY', 'RSA PRIVATE KEY', 'X509 CRL'),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 300 }),
});
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const surrounding = fc.string({ unit: 'binary', maxLength: 80 }).filter((text) => !text.includes('-----'));

test(`blocks are found in any text, in their order, whatever ends their lines (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 6 }),
      lineEnd,
      fc.array(surrounding, { minLength: 7, maxLength: 7 }),
      (blocks, end, around) => {
        const text = blocks
          .map(({ label, bytes }, index) => around[index] + writePem(label, bytes).replaceAll('\n', end))
          .join('');
        const found = readPem(text + around[6]);
        assert.deepEqual(found.faults, []);
        assert.deepEqual(
          found.blocks.map(({ label, bytes }) => ({ label, bytes: [...bytes] })),
          blocks.map(({ label, bytes }) => ({ label, bytes: [...bytes] })),
        );
      },
    ),
    runs,
  );
});

test(`no text at all makes it throw (seed ${runs.seed})`, () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '-----BEGIN ',
      '-----END ',
      '-----',
      'CERTIFICATE',
      '-----BEGIN CERTIFICATE-----',
      'QUJD',
      '=',
      ':',
      '\n',
      '\r\n',
    ),
    fc.string({ unit: 'binary', maxLength: 10 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const { blocks, faults } = readPem(pieces.join(''));
      assert.ok(blocks.length + faults.length <= pieces.length);
    }),
    runs,
  );
});

test('blocks are found where files were joined without a line feed', () => {
  const one = writePem('CERTIFICATE', Buffer.from('one')).trimEnd();
  const two = writePem('CERTIFICATE', Buffer.from('two'));
  assert.deepEqual(
    readPem(one + two).blocks.map((found) => found.bytes.toString()),
    ['one', 'two'],
  );
});

test('header lines are told from data, and only before it', () => {
  const text =
    '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nQUJD\n-----END RSA PRIVATE KEY-----';
  const [found] = readPem(text).blocks;
  assert.deepEqual(found?.headers.get('DEK-Info'), 'AES-128-CBC,00');
  assert.equal(found?.bytes.toString(), 'ABC');
  assert.equal(readPem(text.replace('QUJD', 'QUJD\nX: y')).faults.length, 1);
});

test('damaged blocks are told, and do not hide the sound ones after them', () => {
  const sound = writePem('CERTIFICATE', Buffer.from('sound'));
  const damaged = {
    'cut off': '-----BEGIN CERTIFICATE-----\nQUJD\n',
    'with another END': '-----BEGIN CERTIFICATE-----\nQUJD\n-----END PRIVATE KEY-----\n',
    'not base64': '-----BEGIN CERTIFICATE-----\nQU*D\n-----END CERTIFICATE-----\n',
    'base64 of the wrong length': '-----BEGIN CERTIFICATE-----\nQUJDR\n-----END CERTIFICATE-----\n',
    empty: '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n',
  };
  for (const [what, text] of Object.entries(damaged)) {
    const { blocks, faults } = readPem(text + sound);
    assert.equal(faults.length, 1, what);
    assert.equal(blocks[0]?.bytes.toString(), 'sound', what);
  }
});

test('a flood of blocks is refused as a whole', () => {
  const { blocks, faults } = readPem('-----BEGIN CERTIFICATE-----'.repeat(maxPemBlocks + 1));
  assert.equal(blocks.length, 0);
  assert.equal(faults.length, 1);
});
