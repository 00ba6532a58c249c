import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRecordBatch, keyAt, type RecordKey, recordBytes, viewOf } from './index-records.ts';
import { createRunMerge } from './run-merge.ts';

const perPage = 3;

/** Of each run the terms of some entries; later runs are of later links. */
const anyRuns = fc.array(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 25 }), { minLength: 1, maxLength: 5 });

/** One for each entry: of a link there is one record of a term. */
const linkOf = (run: number, entry: number) => 100 * run + entry + 1;

function pagesOf(hashes: readonly number[], run: number): Uint8Array[] {
  const batch = createRecordBatch(hashes.length);
  for (const [index, hash] of hashes.entries()) batch.add(hash, linkOf(run, index), index);
  const { bytes, pages } = batch.toPages(perPage);
  return pages.map(({ start, length }) => bytes.subarray(start, start + length));
}

function keysIn(records: Uint8Array): RecordKey[] {
  return Array.from({ length: records.length / recordBytes }, (_, index) =>
    keyAt(viewOf(records), index * recordBytes),
  );
}

/** All records in their order. */
function merged(runs: readonly (readonly number[])[]): RecordKey[] {
  const all = runs.flatMap((hashes, run) =>
    hashes.map((hash, position) => ({ hash, link: linkOf(run, position), position })),
  );
  return all.sort((one, other) => one.hash - other.hash || one.link - other.link || one.position - other.position);
}

/** Merges bit by bit, from pages that come a few at a time. */
function mergeAll(runs: readonly (readonly number[])[], atOnce: number, after?: RecordKey): RecordKey[] {
  const waiting = runs.map(pagesOf);
  const merge = createRunMerge(runs.length, after, perPage);
  const found: RecordKey[] = [];
  for (let turn = 0; !merge.isOver; turn += 1) {
    assert.ok(turn < 1_000, 'it comes to an end');
    for (const run of merge.hungry()) {
      const pages = waiting[run]?.splice(0, atOnce) ?? [];
      merge.feed(run, pages, pages.length < atOnce);
    }
    merge.merge(2);
    const isLast = merge.isOver;
    const { bytes, pages } = merge.take();
    const sizes = pages.map(({ length }) => length / recordBytes);
    assert.ok((isLast ? sizes.slice(0, -1) : sizes).every((size) => size === perPage));
    assert.deepEqual(
      pages.map(({ start, length: _, ...first }) => [start / recordBytes, first]),
      pages.map(({ start }) => [start / recordBytes, keyAt(viewOf(bytes), start)]),
    );
    found.push(...keysIn(bytes));
  }
  return found;
}

test('all records come in their order, however few pages are at hand', () => {
  const isMerged = (runs: number[][], atOnce: number) => assert.deepEqual(mergeAll(runs, atOnce), merged(runs));
  fc.assert(fc.property(anyRuns, fc.integer({ min: 1, max: 4 }), isMerged));
});

test('what was merged before is passed over', () => {
  const isResumed = (runs: number[][], share: number) => {
    const all = merged(runs);
    const done = Math.floor(all.length * share);
    assert.deepEqual(mergeAll(runs, 2, all[done - 1]), all.slice(Math.max(done, 0)));
  };
  fc.assert(fc.property(anyRuns, fc.double({ min: 0, max: 1, noNaN: true }), isResumed));
});

test('waits for a run of which nothing is at hand', () => {
  const merge = createRunMerge(2, undefined, perPage);
  merge.feed(0, pagesOf([1, 2, 3, 4, 5, 6], 0), true);
  merge.merge(9);
  assert.deepEqual([merge.full, merge.isOver, merge.hungry()], [0, false, [1]]);
  merge.feed(1, pagesOf([3], 1), true);
  merge.merge(9);
  assert.deepEqual([merge.full, merge.isOver], [3, true]);
});

test('stops when so many pages are full', () => {
  const merge = createRunMerge(1, undefined, perPage);
  merge.feed(0, pagesOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0), true);
  merge.merge(2);
  assert.deepEqual([merge.full, merge.isOver], [2, false]);
  merge.take();
  merge.merge(9);
  assert.deepEqual([merge.full, merge.isOver], [2, true]);
});
