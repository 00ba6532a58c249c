import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  createRecordBatch,
  findRecord,
  isBefore,
  keyAt,
  lastPosition,
  type PackedPages,
  placesBefore,
  type RecordKey,
  recordBytes,
  viewOf,
} from './index-records.ts';

const anyKey: fc.Arbitrary<RecordKey> = fc
  .tuple(
    fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 2 ** 40 - 1 })),
    fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2 ** 40 - 1 })),
    fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: lastPosition })),
  )
  .map(([hash, link, position]) => ({ hash, link, position }));
const inOrder = (one: RecordKey, other: RecordKey) => Number(isBefore(other, one)) - Number(isBefore(one, other));

function keysIn(records: Uint8Array): RecordKey[] {
  const view = viewOf(records);
  return Array.from({ length: records.length / recordBytes }, (_, index) => keyAt(view, index * recordBytes));
}

const pagesOf = ({ bytes, pages }: PackedPages) =>
  pages.map(({ start, length, ...first }) => ({ first, keys: keysIn(bytes.subarray(start, start + length)) }));

/** Of each hash and link the first. */
function unique(keys: readonly RecordKey[]): RecordKey[] {
  const lastFirst = keys.toSorted(inOrder).reverse();
  return [...new Map(lastFirst.map((key) => [JSON.stringify([key.hash, key.link]), key])).values()];
}

function batchOf(keys: readonly RecordKey[]) {
  const batch = createRecordBatch(1);
  for (const { hash, link, position } of keys) batch.add(hash, link, position);
  return batch;
}

/** As entries are read: in the order of their places. */
const asRead = (keys: readonly RecordKey[]) =>
  keys.toSorted((one, other) => one.link - other.link || one.position - other.position);

test('pages hold the first record of each hash and link, in their order, and say their first one', () => {
  const perPage = 7;
  const isKept = (keys: RecordKey[]) => {
    const pages = pagesOf(batchOf(asRead(keys)).toPages(perPage));
    assert.deepEqual(
      pages.flatMap((page) => page.keys),
      unique(keys).sort(inOrder),
    );
    for (const [index, page] of pages.entries()) {
      assert.deepEqual(page.first, page.keys[0]);
      if (index < pages.length - 1) assert.equal(page.keys.length, perPage);
    }
  };
  fc.assert(fc.property(fc.array(anyKey, { maxLength: 60 }), isKept));
});

test('the bytes of records are in the order of the records', () => {
  const isKept = (keys: RecordKey[]) => {
    const { bytes } = batchOf(asRead(keys)).toPages();
    const all = Array.from({ length: bytes.length / recordBytes }, (_, index) =>
      Buffer.from(bytes.subarray(index * recordBytes, (index + 1) * recordBytes)),
    );
    assert.deepEqual(all, all.toSorted(Buffer.compare));
  };
  fc.assert(fc.property(fc.array(anyKey, { maxLength: 60 }), isKept));
});

test('a position that does not fit is the last one', () => {
  const batch = createRecordBatch(4);
  for (const [index, position] of [65_534, 65_535, 65_536, 1_000_000].entries()) batch.add(1, index + 1, position);
  const [page] = pagesOf(batch.toPages());
  assert.deepEqual(
    page?.keys.map(({ position }) => position),
    [65_534, 65_535, 65_535, 65_535],
  );
});

test('a page tells the places of a hash before a place, the last one first', () => {
  const isRight = (keys: RecordKey[], end: RecordKey) => {
    const sorted = unique(keys).sort(inOrder);
    const { bytes } = batchOf(asRead(keys)).toPages(100);
    const before = sorted.filter((key) => isBefore(key, end));
    assert.equal(findRecord(viewOf(bytes), end), before.length * recordBytes);
    const { places, goesOn } = placesBefore(bytes, end);
    const expected = before.filter(({ hash }) => hash === end.hash).reverse();
    assert.deepEqual(
      places,
      expected.map(({ link, position }) => ({ link, position })),
    );
    assert.equal(goesOn, before.length === expected.length);
  };
  fc.assert(fc.property(fc.array(anyKey, { minLength: 1, maxLength: 60 }), anyKey, isRight));
});
