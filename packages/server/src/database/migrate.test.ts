import assert from 'node:assert/strict';
import test from 'node:test';
import { nextMigration } from './migrate.ts';
import { migrations } from './schema/migrations/list.ts';
import { UnsuitableDatabase } from './sql/database-errors.ts';

const known = ['one', 'two', 'three'].map((name, index) => ({ id: index + 1, name, up: async () => {} }));
const journal = (...names: string[]) => names.map((name, index) => ({ id: index + 1, name }));

test('steps are taken in order until none is left', () => {
  assert.equal(nextMigration([], known)?.id, 1);
  assert.equal(nextMigration(journal('one', 'two'), known)?.id, 3);
  assert.equal(nextMigration(journal('one', 'two', 'three'), known), undefined);
});

test('a newer schema is refused with both numbers', () => {
  const newer = journal('one', 'two', 'three', 'four', 'five', 'six', 'seven');
  assert.throws(
    () => nextMigration(newer, known),
    (error) =>
      error instanceof UnsuitableDatabase && /The database has schema 7, this version knows 3:/.test(error.message),
  );
});

test('a schema of another history is refused', () => {
  assert.throws(
    () => nextMigration(journal('one', 'other'), known),
    /schema step 2 "other" where this version has 2 "two"/,
  );
});

test('our own migrations are numbered from 1 without gaps', () => {
  assert.deepEqual(
    migrations.map((migration) => migration.id),
    migrations.map((_, index) => index + 1),
  );
});
