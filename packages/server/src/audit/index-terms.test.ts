import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyAt, recordBytes, viewOf } from './index-records.ts';
import { hashOf, readTerms, separator } from './index-terms.ts';

const textOf = (...entries: readonly (readonly (string | number)[])[]) =>
  entries.map((fields) => fields.map((field) => `${field}${separator}`).join('')).join('');

function recordsIn(text: string) {
  const { bytes } = readTerms(text, 1).toPages();
  return Array.from({ length: bytes.length / recordBytes }, (_, index) => keyAt(viewOf(bytes), index * recordBytes));
}

const sorted = (records: ReturnType<typeof recordsIn>) => records.sort((one, other) => one.hash - other.hash);

test('an entry has a record for its subject and its organization, and one for its certificate where it has one', () => {
  const first = { link: 12, position: 0 };
  const second = { link: 345_678_901_234, position: 65 };
  assert.deepEqual(
    recordsIn(textOf([12, 0, 'subject', 'organization', ''], [345_678_901_234, 65, 'other', '', ':certificate'])),
    sorted([
      { hash: hashOf('s', 'subject'), ...first },
      { hash: hashOf('o', 'organization'), ...first },
      { hash: hashOf('s', 'other'), ...second },
      { hash: hashOf('o', ''), ...second },
      { hash: hashOf('c', 'certificate'), ...second },
    ]),
  );
});

test('a certificate without a name is one', () => {
  assert.equal(recordsIn(textOf([1, 0, 's', 'o', ':'])).length, 3);
  assert.equal(recordsIn(textOf([1, 0, 's', 'o', ''])).length, 2);
});

test('nothing has no records', () => {
  assert.deepEqual(recordsIn(''), []);
});

test('a term is looked for as the database gives it back', () => {
  assert.equal(hashOf('s', `a${separator}b`), hashOf('s', 'ab'));
  assert.equal(hashOf('s', 'a\ud800'), hashOf('s', 'a\ufffd'));
});
