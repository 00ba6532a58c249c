import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReceiptIds, type ReceiptIds } from './receipt-ids.ts';

const phone = '+8613800138000';

/** Has so many receipts find their answers by hexadecimal ids of decimal ones. */
function teach(ids: ReceiptIds, count: number, from = 1_000_000): void {
  for (let number = from; number < from + count; number += 1) {
    ids.accepted(String(number), phone);
    assert.equal(ids.find(number.toString(16), phone), String(number));
  }
}

test('what a setting says is not learned', () => {
  const ids = createReceiptIds('decimal-to-hex');
  assert.equal(ids.find('4D2', phone), '1234');
  assert.equal(createReceiptIds('text').find('0004D2', phone), '4d2');
});

test('a receipt that fits no answer says so while the form is not known', () => {
  const ids = createReceiptIds('auto');
  assert.equal(ids.find('4d2', phone), undefined);
  assert.equal(ids.assumed('4d2'), '4d2');
});

test('three receipts teach the form, which then finds ids that were never seen here', () => {
  const ids = createReceiptIds('auto');
  teach(ids, 3);
  assert.equal(ids.find('4d2', phone), '1234');
});

test('what was learned before a restart is known after it', () => {
  const before = createReceiptIds('auto');
  teach(before, 3);
  const after = createReceiptIds('auto');
  after.resume(before.tally);
  assert.equal(after.find('4d2', phone), '1234');
});

test('of several answers that fit, the one to the phone that the receipt names is meant', () => {
  const ids = createReceiptIds('auto');
  ids.accepted('123', '+8613800138001');
  ids.accepted('291', '+8613800138002');
  assert.equal(ids.find('123', '13800138002'), '291');
  assert.equal(ids.find('123', '8613800138001'), '123');
});

test('no more than ten thousand answers are remembered', () => {
  const ids = createReceiptIds('auto');
  for (let number = 0; number < 10_001; number += 1) ids.accepted(`id-${number}`, phone);
  assert.equal(ids.find('id-0', phone), undefined);
  assert.equal(ids.find('id-1', phone), 'id-1');
});
