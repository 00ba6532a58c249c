import assert from 'node:assert/strict';
import { test } from 'node:test';
import { segmentsOf } from '@waxwing/smpp/text.ts';
import fc from 'fast-check';
import { encodeText, formatsFor, messageFormats, textRoom } from './cmpp-content.ts';
import { cutText, joinedContent, readUserData } from './cmpp-segments.ts';

const { ascii, ucs2, gbk } = messageFormats;
const runs = { seed: 923, numRuns: 500 };
const longText = fc
  .tuple(fc.array(fc.constantFrom('a', '[', '中', '國', 'é', '😀', '€'), { maxLength: 400 }), fc.boolean())
  .map(([characters, isAscii]) => (isAscii ? 'x'.repeat(characters.length * 3) : characters.join('')));

test('a text is cut where its format has no more room', () => {
  const lengths = (text: string, format: 0 | 8 | 15) => cutText(text, format).map(({ length }) => length);
  assert.deepEqual(lengths('a'.repeat(160), ascii), [160]);
  assert.deepEqual(lengths('a'.repeat(161), ascii), [153, 8]);
  assert.deepEqual(lengths('中'.repeat(70), ucs2), [70]);
  assert.deepEqual(lengths('中'.repeat(71), ucs2), [67, 4]);
  assert.deepEqual(lengths('中'.repeat(71), gbk), [67, 4]);
  assert.deepEqual(lengths('a'.repeat(141), gbk), [134, 7]);
  // Neither two surrogates nor the two octets of a character are separated.
  assert.deepEqual(lengths(`${'中'.repeat(66)}😀😀😀`, ucs2), [66, 6]);
  assert.deepEqual(lengths(`a${'中'.repeat(70)}`, gbk), [67, 4]);
  assert.deepEqual(lengths('', ucs2), [0]);
});

test(`segments join to the text, each fits, and none could take more (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(longText, (text) => {
      for (const format of formatsFor(text)) {
        const segments = cutText(text, format);
        assert.equal(segments.join(''), text);
        const room = textRoom(format, segments.length === 1 ? 0 : 6);
        for (const [index, segment] of segments.entries()) {
          const size = encodeText(segment, format).length;
          assert.ok(size <= room);
          const [next = ''] = segments[index + 1] ?? '';
          if (next !== '') assert.ok(size + encodeText(next, format).length > room);
        }
      }
    }),
    runs,
  );
});

test(`a part that was cut for any carrier fits into one submit if it is ASCII or UCS-2 (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(longText, (text) => {
      const { encoding, segments } = segmentsOf(text);
      for (const segment of segments) {
        const [format = ucs2] = formatsFor(segment);
        if (encoding === 'gsm' && format !== ascii) continue;
        assert.ok(encodeText(segment, format).length <= textRoom(format, segments.length === 1 ? 0 : 6));
      }
    }),
    runs,
  );
});

test('the header of a segment is read as it was written', () => {
  const concatenation = { reference: 255, total: 3, number: 2 };
  const content = joinedContent(Uint8Array.of(0x4e, 0x2d), concatenation);
  assert.equal(Buffer.from(content).toString('hex'), '050003ff03024e2d');
  assert.deepEqual(readUserData(content), { concatenation, octets: Uint8Array.of(0x4e, 0x2d) });
});

test('headers of phones are read: other elements, and references of 16 bits', () => {
  const read = (hex: string) => {
    const { concatenation, octets } = readUserData(Uint8Array.fromHex(hex));
    return [concatenation, Buffer.from(octets).toString('hex')];
  };
  assert.deepEqual(read('060804123402014e2d'), [{ reference: 0x1234, total: 2, number: 1 }, '4e2d']);
  assert.deepEqual(read('0b050400010002000307020241'), [{ reference: 7, total: 2, number: 2 }, '41']);
  // A port only, an impossible segment, an element that is cut off.
  assert.deepEqual(read('0605040001000241'), [undefined, '41']);
  assert.deepEqual(read('050003070203' + '41'), [undefined, '41']);
  assert.deepEqual(read('050003070200' + '41'), [undefined, '41']);
  assert.deepEqual(read('0300030741'), [undefined, '41']);
});

test('a header that is longer than the content is text', () => {
  const content = Uint8Array.of(9, 0, 3, 1, 2, 1);
  assert.deepEqual(readUserData(content), { concatenation: undefined, octets: content });
  assert.deepEqual(readUserData(new Uint8Array(0)), { concatenation: undefined, octets: new Uint8Array(0) });
});

test(`no content makes the reading fail (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (content) => {
      const { concatenation, octets } = readUserData(content);
      assert.ok(octets.length <= content.length);
      if (concatenation !== undefined) assert.ok(concatenation.number <= concatenation.total);
    }),
    { seed: runs.seed, numRuns: 5000 },
  );
});
