import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { children, DerFields, readDer } from './der.ts';
import { objectIdentifier, octets, smallInteger, stringValue, timeValue, unsignedInteger } from './der-values.ts';
import * as write from './der-writer.ts';

const runs = { seed: 11, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 10_000 : 300 };
const hex = (text: string) => Buffer.from(text.replace(/ /g, ''), 'hex');

test(`what is written reads back the same (seed ${runs.seed})`, () => {
  const second = fc
    .integer({ min: Date.UTC(1950, 0), max: Date.UTC(9999, 11, 31) })
    .map((ms) => Math.floor(ms / 1000) * 1000);
  const identifier = fc.tuple(fc.constantFrom('0', '1', '2'), fc.nat(39), fc.array(fc.nat(), { maxLength: 8 }));
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 4096n }),
      fc.uint8Array(),
      second,
      identifier,
      (number, bytes, at, [a, b, rest]) => {
        const dotted = [a, b, ...rest].join('.');
        const element = readDer(
          write.sequence(
            write.integer(number),
            write.octetString(bytes),
            write.time(at),
            write.objectIdentifier(dotted),
          ),
        );
        const fields = new DerFields(element);
        assert.equal(BigInt(`0x${unsignedInteger(fields.take()).toString('hex')}`), number);
        assert.deepEqual([...octets(fields.take())], [...bytes]);
        assert.equal(timeValue(fields.take()), at);
        assert.equal(objectIdentifier(fields.take()), dotted);
        fields.end();
      },
    ),
    runs,
  );
});

test('DER allows one encoding only', () => {
  const refused = {
    'an overlong length': '04 81 01 00',
    'a length with a leading zero': '04 82 00 01 00',
    'an indefinite length': '30 80 00 00',
    'a length beyond the end': '04 02 00',
    'a length without its octets': '04 82 01',
    'a length of five octets': '04 85 00 00 00 00 01 00',
    'something behind the end': '05 00 00',
    'nothing at all': '',
    'a tag of several octets': '1f 81 01 00',
  };
  for (const [what, bytes] of Object.entries(refused))
    assert.throws(() => readDer(hex(bytes)), { reason: 'damaged' }, what);
});

test('values are refused in forms that DER does not have', () => {
  const refused: Record<string, () => unknown> = {
    'a negative integer': () => smallInteger(readDer(hex('02 01 80'))),
    'a padded integer': () => smallInteger(readDer(hex('02 02 00 01'))),
    'an empty integer': () => smallInteger(readDer(hex('02 00'))),
    'a large small integer': () => smallInteger(readDer(hex('02 05 01 00 00 00 00'))),
    'a padded identifier': () => objectIdentifier(readDer(hex('06 03 2a 80 01'))),
    'a cut identifier': () => objectIdentifier(readDer(hex('06 02 2a 80'))),
    '30 February': () => timeValue(readDer(Buffer.from('\x17\x0d260230000000Z', 'latin1'))),
    'a time with an offset': () => timeValue(readDer(Buffer.from('\x17\x11260101000000+0100', 'latin1'))),
    'a time without seconds': () => timeValue(readDer(Buffer.from('\x17\x0b2601010000Z', 'latin1'))),
    'children of a value': () => children(readDer(hex('04 00'))),
  };
  for (const [what, read] of Object.entries(refused)) assert.throws(read, { reason: 'damaged' }, what);
});

test('two-digit years end in 2049', () => {
  const at = (text: string) => new Date(timeValue(readDer(Buffer.from(`\x17\x0d${text}`, 'latin1')))).getUTCFullYear();
  assert.deepEqual([at('491231235959Z'), at('500101000000Z')], [2049, 1950]);
});

test('BER adds indefinite lengths and strings in pieces', () => {
  const element = readDer(hex('30 80 24 80 04 01 61 04 02 62 63 00 00 04 81 01 64 00 00'), 'ber');
  assert.deepEqual(
    children(element).map((child) => octets(child).toString()),
    ['abc', 'd'],
  );
});

test('endless nesting is cut off', () => {
  assert.throws(() => readDer(Buffer.alloc(100_000, hex('30 80')), 'ber'), { reason: 'damaged' });
});

test('strings of every type become text, malformed ones nothing', () => {
  assert.equal(stringValue(readDer(write.utf8String('naïve'))), 'naïve');
  assert.equal(stringValue(readDer(write.bmpString('Ωmega'))), 'Ωmega');
  assert.equal(stringValue(readDer(hex('0c 01 ff'))), undefined);
  assert.equal(stringValue(readDer(hex('13 01 e9'))), undefined);
  assert.equal(stringValue(readDer(hex('1e 01 41'))), undefined);
});
