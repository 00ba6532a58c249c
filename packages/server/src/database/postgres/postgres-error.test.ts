import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseError } from 'pg';
import { DatabaseUnavailable, NotWritable, QueryFailed } from '../sql/database-errors.ts';
import { toPostgresError } from './postgres-error.ts';

const kinds: readonly [code: string, kind: typeof NotWritable | typeof DatabaseUnavailable | typeof QueryFailed][] = [
  ['53100', NotWritable],
  ['58030', NotWritable],
  ['25006', NotWritable],
  ['53300', DatabaseUnavailable],
  ['57P01', DatabaseUnavailable],
  ['23505', QueryFailed],
];

for (const [code, kind] of kinds) {
  test(`SQLSTATE ${code} is told as ${kind.name}`, () => {
    const error = new DatabaseError('it cannot', 9, 'error');
    error.code = code;
    assert.equal(toPostgresError(error).constructor, kind);
  });
}
