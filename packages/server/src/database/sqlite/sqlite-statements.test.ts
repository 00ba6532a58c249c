import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import test, { type TestContext } from 'node:test';
import { createSqliteStatements } from './sqlite-statements.ts';

function open(t: TestContext) {
  const connection = new DatabaseSync(':memory:');
  t.after(() => connection.close());
  connection.exec('create table item (id integer primary key, text text not null)');
  const prepare = t.mock.method(connection, 'prepare');
  return { connection, prepared: () => prepare.mock.callCount(), statements: createSqliteStatements(connection, 2) };
}

test('a statement is prepared once, until others have pushed it out', (t) => {
  const { statements, prepared } = open(t);
  const run = (sql: string) => statements.run('alone', [[sql, []]]);
  run('select 1');
  run('select 1');
  assert.equal(prepared(), 1);
  run('select 2');
  run('select 1');
  run('select 3');
  run('select 1');
  assert.equal(prepared(), 3, 'the one used last stays');
  run('select 2');
  assert.equal(prepared(), 4, 'the one not used for longest was dropped');
  statements.run('forget', []);
  run('select 2');
  assert.equal(prepared(), 5);
});

test('rows and changed rows are counted, with and without returning', (t) => {
  const { statements } = open(t);
  const results = statements.run('whole', [
    ['insert into item (text) values (?), (?)', ['a', 'b']],
    ['update item set text = ? returning id', ['c']],
    ['select id, text from item order by id', []],
  ]);
  assert.deepEqual(results, [
    [2, [], []],
    [2, ['id'], [[1], [2]]],
    [
      2,
      ['id', 'text'],
      [
        [1, 'c'],
        [2, 'c'],
      ],
    ],
  ]);
});

test('a whole that fails leaves no trace and no open transaction', (t) => {
  const { connection, statements } = open(t);
  const insert = 'insert into item (id, text) values (1, ?)';
  assert.throws(
    () =>
      statements.run('whole', [
        [insert, ['a']],
        [insert, ['b']],
      ]),
    /UNIQUE/,
  );
  assert.equal(connection.isTransaction, false);
  assert.deepEqual(statements.run('alone', [['select * from item', []]])[0]?.[2], []);
});

test('after SQLite has rolled back by itself nothing slips through outside the transaction', (t) => {
  const { connection, statements } = open(t);
  statements.run('begin', [['select 1', []]]);
  connection.exec('rollback');
  const insert = ['insert into item (text) values (?)', ['a']] as const;
  assert.throws(() => statements.run('within', [insert]), /rolled back/);
  assert.throws(() => statements.run('commit', []), /rolled back/);
  statements.run('rollback', []);
});
