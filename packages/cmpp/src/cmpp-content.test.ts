import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeText, encodeText, formatsFor, messageFormats, textRoom } from './cmpp-content.ts';

const { ascii, ucs2, gbk } = messageFormats;
const anyText = fc.string({ unit: fc.constantFrom('a', '~', '\n', '中', '國', '—', 'ñ', '😀', '€'), maxLength: 60 });
const runs = { seed: 843, numRuns: 1000 };

test('a text goes into the formats that have all its characters', () => {
  assert.deepEqual(formatsFor('code 1234'), [ascii, ucs2, gbk]);
  assert.deepEqual(formatsFor('验证码 1234'), [ucs2, gbk]);
  assert.deepEqual(formatsFor('mañana'), [ucs2]);
  assert.deepEqual(formatsFor('😀'), [ucs2]);
  assert.deepEqual(formatsFor(''), [ascii, ucs2, gbk]);
});

test(`a text is read as it was written, in each of its formats (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const format of formatsFor(text)) assert.equal(decodeText(encodeText(text, format), format), text);
    }),
    runs,
  );
});

test('a character that the format lacks is never sent as another', () => {
  for (const [text, format] of [
    ['é', ascii],
    ['ñ', gbk],
    ['😀', gbk],
  ] as const) {
    assert.throws(() => encodeText(text, format), { name: 'CmppFieldFault', field: 'Msg_Content' });
  }
});

test('the octets are those of the formats', () => {
  assert.deepEqual([...encodeText('A~', ascii)], [0x41, 0x7e]);
  assert.deepEqual([...encodeText('中A', ucs2)], [0x4e, 0x2d, 0x00, 0x41]);
  assert.deepEqual([...encodeText('中A', gbk)], [0xd6, 0xd0, 0x41]);
});

test('only text is read as text, and any octets are', () => {
  for (const format of [messageFormats.simCard, messageFormats.binary, 245]) {
    assert.equal(decodeText(Uint8Array.of(1, 2), format), undefined);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 255 }), (octets) => {
      for (const format of [ascii, ucs2, gbk]) assert.equal(typeof decodeText(octets, format), 'string');
    }),
    runs,
  );
});

test('a segment has room for 160 octets of ASCII or 140 of others, less its header', () => {
  assert.deepEqual([textRoom(ascii, 0), textRoom(ascii, 6), textRoom(ascii, 7)], [160, 153, 152]);
  assert.deepEqual([textRoom(ucs2, 0), textRoom(ucs2, 6), textRoom(gbk, 0), textRoom(gbk, 6)], [140, 134, 140, 134]);
});
