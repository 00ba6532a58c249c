import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbersInFile } from './numbers-in-file.ts';

test('numbers are found one a line, and in a column among others', () => {
  assert.deepEqual(numbersInFile('+8613800138000\r\n13800138001\n'), ['+8613800138000', '13800138001']);
  assert.deepEqual(numbersInFile('\u{feff}name,mobile,city\n张三,"+86 138 0013 8000",上海\nBob,(020) 1234-5678,x\n'), [
    '+86 138 0013 8000',
    '(020) 1234-5678',
  ]);
});

test('an apostrophe of a spreadsheet goes, and nobody is named twice', () => {
  assert.deepEqual(numbersInFile("'+8613800138000\n+8613800138000"), ['+8613800138000']);
});

test('what cannot be a number is left out', () => {
  assert.deepEqual(numbersInFile('1,22,name,2026-01-31T08:00,12345678901234567890,---'), []);
});
