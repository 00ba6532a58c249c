import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createErasableTexts, type KeptText } from './erasable-texts.ts';

const mebibyte = 2 ** 20;

test('what was kept is read as it was, whatever text it is', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 2_000 })), (given) => {
      const texts = createErasableTexts(mebibyte);
      const kept = given.map((text) => texts.keep(text.toWellFormed()));
      assert.deepEqual(
        kept.map((place) => texts.read(place as KeptText)),
        given.map((text) => text.toWellFormed()),
      );
      const target = Buffer.alloc(20_000);
      for (const [index, place] of kept.entries()) {
        const { bytes, encoding } = place as KeptText;
        texts.copy(place as KeptText, target, 10);
        assert.equal(target.toString(encoding, 10, 10 + bytes), given[index]?.toWellFormed());
      }
    }),
    { seed: 20_261_123, numRuns: 200 },
  );
});

test('nothing is left of a text once all are erased, and the room is free again', (t) => {
  const alloc = t.mock.method(Buffer, 'alloc');
  const texts = createErasableTexts(2 * mebibyte);
  const secret = 'a private key '.repeat(40_000);
  for (let count = 0; count < 2; count += 1) assert.notEqual(texts.keep(secret), undefined);
  assert.equal(texts.keep(secret), undefined, 'there is no room for a third');
  const chunks = alloc.mock.calls.map(({ result }) => result as Buffer);
  assert.equal(chunks.length, 2);
  assert.ok(chunks.every((chunk) => chunk.includes('a private key ')));
  texts.eraseAll();
  assert.ok(chunks.every((chunk) => chunk.every((byte) => byte === 0)));
  const kept = texts.keep(secret);
  assert.equal(texts.read(kept as KeptText), secret);
  assert.equal(alloc.mock.callCount(), 2, 'in the memory that was there');
});

test('memory that one round did not need is given back', (t) => {
  const alloc = t.mock.method(Buffer, 'alloc');
  const texts = createErasableTexts(8 * mebibyte);
  const half = 'x'.repeat(mebibyte / 2);
  const round = (count: number) => {
    for (let kept = 0; kept < count; kept += 1) texts.keep(half);
    texts.eraseAll();
    return alloc.mock.callCount();
  };
  assert.equal(round(16), 8);
  assert.equal(round(16), 8);
  assert.equal(round(2), 8);
  assert.equal(round(4), 9, 'one of the eight was kept');
});

test('a text that is larger than a chunk has no place, and takes none', () => {
  const texts = createErasableTexts(mebibyte);
  assert.equal(texts.keep('x'.repeat(mebibyte + 1)), undefined);
  const kept = texts.keep('y'.repeat(mebibyte));
  assert.equal(texts.read(kept as KeptText).length, mebibyte);
});
