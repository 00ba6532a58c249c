import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeGsm, encodeGsm, isGsm } from './gsm-alphabet.ts';
import { decodeUcs2, encodeUcs2, segmentsOf } from './text.ts';

const runs = { seed: 160, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 1_000 };

const gsmCharacters = [...'@£$èéòÇ\nØ_ΦΩ !"#%&AZaz09äöñüà^{}\\[~]|€€€'];
const gsmText = fc.string({ unit: fc.constantFrom(...gsmCharacters), maxLength: 700 });
const anyText = fc
  .tuple(
    fc.string({ unit: fc.constantFrom('中', 'a', '€', '😀', '𝒳', '\u0301', 'é'), maxLength: 400 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  .map(([front, back]) => front + back);

function lengthsOf(content: string): readonly number[] {
  const { encoding, segments } = segmentsOf(content);
  return segments.map((segment) => (encoding === 'gsm' ? encodeGsm(segment).length : segment.length));
}

test('the limits are 160 and 153 septets, 70 and 67 units', () => {
  assert.deepEqual(lengthsOf(''), [0]);
  for (const [character, alone, joined] of [
    ['a', 160, 153],
    ['中', 70, 67],
  ] as const) {
    assert.deepEqual(lengthsOf(character.repeat(alone)), [alone]);
    assert.deepEqual(lengthsOf(character.repeat(alone + 1)), [joined, alone + 1 - joined]);
    assert.deepEqual(lengthsOf(character.repeat(2 * joined)), [joined, joined]);
    assert.deepEqual(lengthsOf(character.repeat(2 * joined + 1)), [joined, joined, 1]);
    assert.equal(lengthsOf(character.repeat(10 * joined)).length, 10);
    assert.equal(lengthsOf(character.repeat(10 * joined + 1)).length, 11);
  }
});

test('an extended character at the edge moves over as a whole', () => {
  assert.deepEqual(lengthsOf(`${'a'.repeat(158)}€`), [160]);
  assert.deepEqual(lengthsOf(`${'a'.repeat(159)}€`), [153, 8]);
  assert.deepEqual(lengthsOf(`${'a'.repeat(152)}€${'a'.repeat(20)}`), [152, 22]);
  assert.deepEqual(lengthsOf('€'.repeat(80)), [160]);
  assert.deepEqual(lengthsOf('€'.repeat(81)), [152, 10]);
});

test('a surrogate pair at the edge moves over as a whole', () => {
  assert.deepEqual(lengthsOf(`${'中'.repeat(68)}😀`), [70]);
  assert.deepEqual(lengthsOf(`${'中'.repeat(66)}😀${'中'.repeat(10)}`), [66, 12]);
  assert.deepEqual(lengthsOf('😀'.repeat(35)), [70]);
  assert.deepEqual(lengthsOf('😀'.repeat(36)), [66, 6]);
});

test('one character outside the alphabet turns the whole text to UCS-2', () => {
  assert.equal(segmentsOf('Grüße, €5').encoding, 'gsm');
  assert.equal(segmentsOf('façade').encoding, 'ucs2');
  assert.equal(segmentsOf(`${'a'.repeat(100)}\u0000`).encoding, 'ucs2');
});

test(`GSM segments join to the content, in characters and in septets (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(gsmText, (content) => {
      const { encoding, segments } = segmentsOf(content);
      assert.equal(encoding, 'gsm');
      assert.equal(segments.map((segment) => decodeGsm(encodeGsm(segment))).join(''), content);
      for (const length of lengthsOf(content)) assert.ok(length <= (segments.length === 1 ? 160 : 153));
      assert.deepEqual(
        segments.flatMap((segment) => [...encodeGsm(segment)]),
        [...encodeGsm(content)],
      );
    }),
    runs,
  );
});

test(`UCS-2 segments join to the content and keep every pair together (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(anyText, (content) => {
      const { encoding, segments } = segmentsOf(content);
      assert.equal(encoding, isGsm(content) ? 'gsm' : 'ucs2');
      assert.equal(segments.join(''), content);
      assert.deepEqual(
        segments.flatMap((segment) => [...segment]),
        [...content],
      );
      if (encoding === 'ucs2') {
        for (const segment of segments) {
          assert.ok(segment.length <= (segments.length === 1 ? 70 : 67));
          assert.equal(decodeUcs2(encodeUcs2(segment)), segment);
        }
      }
    }),
    runs,
  );
});

test(`no cutting has fewer segments: none could take the first character of the next (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(fc.oneof(gsmText, anyText), (content) => {
      const { encoding, segments } = segmentsOf(content);
      const lengths = lengthsOf(content);
      for (const [index, next] of segments.slice(1).entries()) {
        const [first = ''] = next;
        const size = encoding === 'gsm' ? encodeGsm(first).length : first.length;
        assert.ok((lengths[index] ?? 0) + size > (encoding === 'gsm' ? 153 : 67));
      }
    }),
    runs,
  );
});

test('UCS-2 is big-endian, and an odd octet at the end is dropped', () => {
  assert.deepEqual([...encodeUcs2('中€')], [0x4e, 0x2d, 0x20, 0xac]);
  assert.equal(decodeUcs2(Uint8Array.of(0x4e, 0x2d, 0x20)), '中');
  const held = Uint8Array.of(0x00, 0x41);
  assert.equal(decodeUcs2(held), 'A');
  assert.deepEqual([...held], [0x00, 0x41]);
});
