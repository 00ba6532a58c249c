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

test('a term has one record for each link, where it stands first', () => {
  const entries = [0, 1, 2, 3].map((position) => [
    7,
    position,
    position === 2 ? 'other' : 'subject',
    'organization',
    '',
  ]);
  const next = [8, 0, 'subject', 'organization', ''];
  assert.deepEqual(
    recordsIn(textOf(...entries, next)),
    [
      { hash: hashOf('s', 'subject'), link: 7, position: 0 },
      { hash: hashOf('o', 'organization'), link: 7, position: 0 },
      { hash: hashOf('s', 'other'), link: 7, position: 2 },
      { hash: hashOf('s', 'subject'), link: 8, position: 0 },
      { hash: hashOf('o', 'organization'), link: 8, position: 0 },
    ].sort((one, other) => one.hash - other.hash || one.link - other.link),
  );
});

test('what a former link ends with is none of the next one', () => {
  const [first, second] = [
    [1, 0, 's', 'o', ':certificate'],
    [2, 0, 'another', 'o', ''],
  ];
  const records = recordsIn(textOf(first, second, [2, 1, 's', 'o', ':certificate']));
  assert.deepEqual(
    records.filter(({ hash }) => hash === hashOf('c', 'certificate')).map(({ link, position }) => [link, position]),
    [
      [1, 0],
      [2, 1],
    ],
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
