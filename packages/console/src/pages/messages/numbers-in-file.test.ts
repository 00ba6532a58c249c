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

const row = '"Smith, Bob",2026-01-31,1000234567,1234.50,203.0.113.77,13800138000';
const tables: readonly [text: string, numbers: readonly string[]][] = [
  [`name,date,order,amount,ip,mobile\n${row}`, ['13800138000']],
  ['name,order number,手机号码\nBob,1000234567,13800138000', ['13800138000']],
  ['订单,号码\n1000234567,13800138000', ['13800138000']],
  ['phone brand;Phone;mobile\nAcme;13800138001;\nAcme;13800138002;', ['13800138001', '13800138002']],
  [
    'Ann\t31.01.2026\t12,50\t13800138001\nBob\t01.02.2026\t8,00\t\nEve\t1.2.2026\t7\t13800138002',
    ['13800138001', '13800138002'],
  ],
  ['who,ref,contact\nAnn,12345,13800138001\nBob,x2,13800138002', ['13800138001', '13800138002']],
  [',13800138001,x\n,13800138002,y', ['13800138001', '13800138002']],
  ['13800138001,13800138002;+49.3012345678', ['13800138001', '13800138002', '+49.3012345678']],
  ['mobile\n13800138001\nnone\n13800138002', ['13800138001', '13800138002']],
];
for (const [text, numbers] of tables) {
  test(`of ${JSON.stringify(text)} one column is taken`, () => {
    assert.deepEqual(numbersInFile(text), numbers);
  });
}
