import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createBatcher } from '../../runtime/batcher.ts';
import { onBothDatabases } from '../testing.ts';
import { isUniqueViolation, UnstorableValue } from './database-errors.ts';
import { eachRow, insertingRows } from './row-source.ts';

onBothDatabases('given rows as a table', (open) => {
  const columns = { id: 'text', count: 'bigint' } as const;

  test('texts and numbers arrive as they were given, null included, in any number of rows', async (t) => {
    const { db, rowSource } = await open(t);
    const given = [
      ['a"b\\c\'d', 1],
      ['\u{1f600}\u0001 好 \n', 9_007_199_254_740_991],
      ['', -1],
      [null, null],
    ];
    for (const rows of [given, [], given.slice(0, 1)]) {
      const found = await sql<{ id: string; count: number }>`
        select id, count from ${rowSource('given', columns, rows)}`.execute(db);
      assert.deepEqual(
        found.rows.map((row) => [row.id, row.count]),
        rows,
      );
    }
  });

  test('rows that are at hand as text arrive the same, counted from 0', async (t) => {
    const { db, rowSource } = await open(t);
    const given = [
      ['a"b\\c\'d', 1],
      ['\u{1f600}\u0001 好 \n \\u0000 [1]', 9_007_199_254_740_991],
      ['17', -1],
      [null, null],
    ];
    for (const rows of [given, [], given.slice(0, 1)]) {
      const found = await sql<{ ordinal: number; id: string; count: number }>`
        select ordinal, id, count from ${rowSource('given', columns, JSON.stringify(rows))}`.execute(db);
      assert.deepEqual(
        found.rows.map((row) => [row.ordinal, row.id, row.count]),
        rows.map((row, index) => [index, ...row]),
      );
    }
  });

  test('are inserted with the types of the columns, all or none', async (t) => {
    const database = await open(t);
    const organization = { id: 'text', name: 'text', created_at: 'bigint', suspended_at: 'bigint' } as const;
    const insert = (...rows: (readonly unknown[])[]) =>
      insertingRows(database, 'organization', organization, rows).execute(database.db);
    const text = `quote " backslash \\ newline \n 😀 {"json":[null]}`;
    await insert(['a', text, 2 ** 52, null], ['b', '', 1, 2]);
    await insert();
    await assert.rejects(insert(['c', 'c', 1, 1], ['a', 'twice', 1, 1]), isUniqueViolation);
    const rows = await database.db.selectFrom('organization').selectAll().orderBy('id').execute();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { id: 'a', name: text, created_at: 2 ** 52, suspended_at: null },
        { id: 'b', name: '', created_at: 1, suspended_at: 2 },
      ],
    );
  });

  test('half a character becomes U+FFFD, as it would in a column', async (t) => {
    const { db, rowSource } = await open(t);
    const { rows } = await sql<{ id: string }>`
      select id from ${rowSource('given', columns, [['a\ud800b', 1]])}`.execute(db);
    assert.deepEqual(rows, [{ id: 'a\ufffdb' }]);
  });

  test('what cannot be held is refused before anything is sent, and named by row and column', async (t) => {
    const { rowSource } = await open(t);
    const faults: readonly (readonly [row: readonly unknown[], words: RegExp])[] = [
      [['a\0b', 1], /^row 1, column id holds U\+0000/],
      [[Buffer.from('x'), 1], /^row 1, column id is bytes/],
      [['a', 2 ** 60], /^row 1, column count is a number/],
      [['a', undefined], /^row 1, column count is undefined/],
      [['a'], /^row 1 has 1 values for 2 columns/],
    ];
    for (const [row, words] of faults) {
      assert.throws(
        () => rowSource('given', columns, [['fine', 1], row]),
        (error: unknown) => error instanceof UnstorableValue && words.test(error.message),
      );
    }
  });

  test('in a group one row with U+0000 fails alone, and its neighbours are committed', async (t) => {
    const database = await open(t);
    const batcher = createBatcher<string, void>({
      maxGroup: 100,
      maxWaiting: 100,
      async commit(ids) {
        const given = database.rowSource(
          'given',
          { id: 'text' },
          ids.map((id) => [id]),
        );
        const query = sql`insert into blocked_word (organization_id, word, created_at)
          select 'o', given.id, 1 from ${given} where true`;
        await database.runBatch([query.compile(database.db)]);
        return new Array<void>(ids.length);
      },
    });
    const words = ['a', 'b', 'c\0', 'd', 'e'];
    const results = await Promise.allSettled(words.map((word) => batcher.offer(word)));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    const rows = await database.db.selectFrom('blocked_word').select('word').orderBy('word').execute();
    assert.deepEqual(
      rows.map(({ word }) => word),
      ['a', 'b', 'd', 'e'],
    );
  });
});

test('rows of JSON are told apart by what the version of SQLite has', () => {
  const versions = ['3.50.4', '3.51.0', '3.53.4', '4.0.0', '3'];
  assert.deepEqual(versions.map(eachRow), ['json_each', 'jsonb_each', 'jsonb_each', 'jsonb_each', 'json_each']);
});
