import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberAt, typedNumbers } from './typed-numbers.ts';

test('numbers stand a line each or between commas of either script, and come once', () => {
  assert.deepEqual(typedNumbers('+86 138 0013 8000\n13800138001，13800138002;13800138001\r\n\n、 '), [
    '+86 138 0013 8000',
    '13800138001',
    '13800138002',
  ]);
  assert.deepEqual(typedNumbers(' \n, '), []);
});

test('the field of a problem leads to the number that is at fault', () => {
  assert.equal(numberAt(['a', 'b'], 'mobiles[1]'), 'b');
  for (const other of [undefined, 'content', 'mobiles', 'mobiles[2]'])
    assert.equal(numberAt(['a', 'b'], other), undefined);
});
