import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkName } from '../../organizations/organization.ts';
import { Problem } from '../../runtime/problem.ts';
import { checkEmail, emailKey } from './account.ts';

const zeroWidthSpace = '\u200b';
const [rightToLeft, lineSeparator, paragraphSeparator, byteOrderMark] = ['\u202e', '\u2028', '\u2029', '\ufeff'];

const isRefused = (field: string) => (error: unknown) =>
  error instanceof Problem && error.code === 'invalid_parameter' && error.field === field;

test('mail addresses that look the same are the same', () => {
  const fullWidth = 'ｏwner@ｅxample.com';
  const longS = 'ownerſ@example.com';
  assert.deepEqual([fullWidth, longS, ' OWNER@Example.COM '].map(checkEmail), [
    'owner@example.com',
    'owners@example.com',
    'owner@example.com',
  ]);
  assert.equal(emailKey(fullWidth), 'owner@example.com', 'also where somebody signs in');
});

test('a mail address with anything invisible in it, or a dot at its end, is none', () => {
  for (const sign of [zeroWidthSpace, rightToLeft, lineSeparator, paragraphSeparator, byteOrderMark, '\u00ad']) {
    assert.throws(() => checkEmail(`ow${sign}ner@example.com`), isRefused('email'), sign.codePointAt(0)?.toString(16));
  }
  assert.throws(() => checkEmail('owner@example.com.'), isRefused('email'));
  for (const short of ['a@b', 'a.@b.c', 'ä@bücher.example']) assert.equal(checkEmail(short), short);
});

test('a name has nothing invisible in it', () => {
  for (const sign of [zeroWidthSpace, rightToLeft, lineSeparator, paragraphSeparator, byteOrderMark]) {
    assert.throws(() => checkName('name', `Ac${sign}me`), isRefused('name'), sign.codePointAt(0)?.toString(16));
  }
  for (const name of ['示例科技 Acme', 'Straße 7', 'שלום', '👍']) assert.equal(checkName('name', ` ${name} `), name);
});
