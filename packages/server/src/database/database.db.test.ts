import assert from 'node:assert/strict';
import test from 'node:test';
import { type CompiledQuery, sql } from 'kysely';
import type { Database, Db } from './database.ts';
import { DatabaseUnavailable, isUniqueViolation, QueryFailed, UnstorableValue } from './sql/database-errors.ts';
import { insertingRows } from './sql/row-source.ts';
import { onBothDatabases } from './testing.ts';

/** What `runBatch` is given to insert organizations. */
function inserting(database: Database, ...ids: readonly string[]): CompiledQuery {
  const columns = { id: 'text', name: 'text', created_at: 'bigint' } as const;
  const rows = ids.map((id) => [id, id, 1]);
  return insertingRows(database, 'organization', columns, rows).compile(database.db);
}

function addOperator(db: Db, id: string): Promise<unknown> {
  const row = { id, name: `${id}@example.com`, created_at: 1 };
  return db.insertInto('organization').values(row).execute();
}

async function organizations(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('organization').select('id').orderBy('id').execute();
  return rows.map((row) => row.id);
}

/** A promise to be settled from outside, to hold a transaction open as long as a test needs. */
function gate() {
  return Promise.withResolvers<void>();
}

onBothDatabases('a database', (open) => {
  test('keeps a transaction when its work ends well, and nothing of it when it throws', async (t) => {
    const database = await open(t);
    const result = await database.transaction(async (trx) => {
      await addOperator(trx, 'a');
      return 7;
    });
    assert.equal(result, 7);
    const fault = new Error('changed my mind');
    const failing = database.transaction(async (trx) => {
      await addOperator(trx, 'b');
      throw fault;
    });
    await assert.rejects(failing, fault);
    assert.deepEqual(await organizations(database.db), ['a']);
  });

  test('reads beside an open transaction without waiting and without seeing into it', async (t) => {
    const database = await open(t);
    await database.transaction(async (trx) => {
      await addOperator(trx, 'a');
      assert.deepEqual(await organizations(trx), ['a']);
      assert.deepEqual(await organizations(database.db), []);
    });
    assert.deepEqual(await organizations(database.db), ['a']);
  });

  test('lets concurrent transactions on one row take turns', async (t) => {
    const database = await open(t);
    const raise = () =>
      database.transaction((trx) => trx.updateTable('change_counter').set({ value: sql<number>`value + 1` }).execute());
    await Promise.all(Array.from({ length: 50 }, raise));
    const { value } = await database.db.selectFrom('change_counter').select('value').executeTakeFirstOrThrow();
    assert.equal(value, 50);
  });

  test('tells the violated constraint kinds apart, on both alike', async (t) => {
    const database = await open(t, { empty: true });
    await database.maintain(async (trx) => {
      await sql`create table parent (id integer primary key, text text not null, size integer check (size > 0))`.execute(
        trx,
      );
      await sql`create table child (parent_id integer references parent (id))`.execute(trx);
    });
    const run = (text: string) => sql.raw(text).execute(database.db);
    await run(`insert into parent values (1, 'a', 1)`);
    const name = 'QueryFailed';
    await assert.rejects(run(`insert into parent values (1, 'b', 1)`), { name, violation: 'unique' });
    await assert.rejects(run(`insert into parent values (2, null, 1)`), { name, violation: 'not_null' });
    await assert.rejects(run(`insert into parent values (2, 'b', 0)`), { name, violation: 'check' });
    await assert.rejects(run('insert into child values (9)'), { name, violation: 'foreign_key' });
    await assert.rejects(run('select nonsense'), { name, violation: undefined });
  });

  test('reveals no value of a refused row', async (t) => {
    const database = await open(t);
    await addOperator(database.db, 'a');
    const row = { id: 'b', name: 'a@example.com', created_at: 1 };
    const error = await database.db
      .insertInto('organization')
      .values(row)
      .execute()
      .catch((thrown: unknown) => thrown);
    assert.ok(isUniqueViolation(error));
    const all = JSON.stringify([error, error.message, error.stack, String(error.cause)]);
    assert.ok(!all.includes('a@example.com'), all);
  });

  test('runs nothing more in a transaction once a statement has failed, and does not commit it', async (t) => {
    const database = await open(t);
    const swallowing = database.transaction(async (trx) => {
      await addOperator(trx, 'a');
      await assert.rejects(addOperator(trx, 'a'), isUniqueViolation);
      await assert.rejects(addOperator(trx, 'b'), QueryFailed);
    });
    await assert.rejects(swallowing);
    assert.deepEqual(await organizations(database.db), []);
    await addOperator(database.db, 'c');
  });

  test('gives integers of any column and sum back as numbers, and bytes as Buffer', async (t) => {
    const database = await open(t);
    const at = Number.MAX_SAFE_INTEGER;
    await database.db.insertInto('organization').values({ id: 'a', name: 'a', created_at: at }).execute();
    const row = await database.db
      .selectFrom('organization')
      .select(({ fn }) => ['created_at', fn.sum<number>('created_at').as('sum'), fn.countAll<number>().as('count')])
      .groupBy('created_at')
      .executeTakeFirst();
    assert.deepEqual({ ...row }, { created_at: at, sum: at, count: 1 });
    const value = Buffer.from('ab');
    await database.db.insertInto('instance_fact').values({ name: 'small', value }).execute();
    const fact = await database.db.selectFrom('instance_fact').selectAll().executeTakeFirstOrThrow();
    assert.ok(Buffer.isBuffer(fact.value));
    assert.deepEqual(fact.value, value);
  });

  test('refuses what it cannot store alike before anything is sent', async (t) => {
    const database = await open(t);
    for (const value of [undefined, true, 1n, 'a\0b', new Date(0)]) {
      const inserting = sql`insert into organization (id, name, created_at) values ('a', ${value}, 1)`.execute(
        database.db,
      );
      await assert.rejects(inserting, UnstorableValue, String(value));
    }
    assert.deepEqual(await organizations(database.db), []);
  });

  test('counts changed rows', async (t) => {
    const database = await open(t);
    await Promise.all(['a', 'b', 'c'].map((id) => addOperator(database.db, id)));
    const [result] = await database.db
      .updateTable('organization')
      .set({ created_at: 2 })
      .where('id', '<', 'c')
      .execute();
    assert.equal(result?.numUpdatedRows, 2n);
    const [removed] = await database.db.deleteFrom('organization').execute();
    assert.equal(removed?.numDeletedRows, 3n);
  });
});

onBothDatabases('runBatch', (open) => {
  const queries = (database: Database, ids: string[]) => [
    inserting(database, ...ids),
    database.db.updateTable('audit_head').set({ link: 5 }).compile(),
    database.db.selectFrom('organization').select('id').orderBy('id').compile(),
  ];

  test('commits all and resolves with the results in order', async (t) => {
    const database = await open(t);
    const [inserted, updated, selected] = await database.runBatch(queries(database, ['a', 'b']));
    assert.equal(inserted?.numAffectedRows, 2n);
    assert.equal(updated?.numAffectedRows, 1n);
    assert.deepEqual(
      selected?.rows.map((row) => ({ ...(row as object) })),
      [{ id: 'a' }, { id: 'b' }],
    );
    assert.deepEqual(await organizations(database.db), ['a', 'b']);
  });

  test('leaves no trace when one of them fails', async (t) => {
    const database = await open(t);
    await addOperator(database.db, 'b');
    const [insert, update] = queries(database, ['a', 'b']);
    assert.ok(insert !== undefined && update !== undefined);
    await assert.rejects(database.runBatch([update, insert]), isUniqueViolation);
    assert.deepEqual(await organizations(database.db), ['b']);
    const head = await database.db.selectFrom('audit_head').select('link').executeTakeFirst();
    assert.equal(head?.link, 0);
  });

  test('goes on with what is made of the first results, in the same transaction', async (t) => {
    const database = await open(t);
    const [first, second] = await database.runBatch(
      [database.db.updateTable('audit_head').set({ link: 7 }).returning('link').compile()],
      ([advanced]) => {
        const rows = advanced?.rows as { link: number }[];
        return [inserting(database, `after ${rows[0]?.link}`)];
      },
    );
    assert.equal(first?.rows.length, 1);
    assert.equal(second?.numAffectedRows, 1n);
    assert.deepEqual(await organizations(database.db), ['after 7']);
  });

  for (const [what, next] of [
    [
      'throws',
      () => {
        throw new Error('no second part');
      },
    ],
    ['makes a statement that fails', (database: Database) => [inserting(database, 'b')]],
  ] as const) {
    test(`leaves no trace when what follows ${what}, and the next batch runs`, async (t) => {
      const database = await open(t);
      await addOperator(database.db, 'b');
      const advance = database.db.updateTable('audit_head').set({ link: 7 }).compile();
      await assert.rejects(database.runBatch([advance], () => next(database)));
      const head = await database.db.selectFrom('audit_head').select('link').executeTakeFirst();
      assert.equal(head?.link, 0);
      await database.runBatch([advance], () => []);
      assert.deepEqual(await organizations(database.db), ['b']);
    });
  }

  test('leaves no trace when its first part fails, though something was to follow', async (t) => {
    const database = await open(t);
    await addOperator(database.db, 'b');
    const twice = inserting(database, 'b');
    await assert.rejects(
      database.runBatch([twice], () => assert.fail('nothing follows')),
      isUniqueViolation,
    );
    await database.runBatch([inserting(database, 'c')], () => []);
    assert.deepEqual(await organizations(database.db), ['b', 'c']);
  });

  test('many at once stay apart from each other, from those in two parts, and from transactions', async (t) => {
    const database = await open(t);
    const raise = sql<{ value: number }>`update change_counter set value = value + 1 returning value`;
    const add = (id: string) => inserting(database, id);
    const whole = (id: string) => database.runBatch([raise.compile(database.db), add(id)]);
    const refused = () => database.runBatch([raise.compile(database.db), add('taken')]);
    const inTwo = () => database.runBatch([raise.compile(database.db)], () => [raise.compile(database.db)]);
    const transaction = () =>
      database.transaction(async (trx) => {
        const { rows: before } = await raise.execute(trx);
        const { rows: after } = await raise.execute(trx);
        assert.equal(Number(after[0]?.value), Number(before[0]?.value) + 1);
      });
    await addOperator(database.db, 'taken');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 80 }, (_, index) =>
        index % 5 === 1 ? transaction() : index % 5 === 2 ? inTwo() : index % 5 === 3 ? refused() : whole(`w${index}`),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 16);
    const { value } = await database.db.selectFrom('change_counter').select('value').executeTakeFirstOrThrow();
    assert.equal(Number(value), 16 * 2 + 16 * 2 + 32);
    assert.equal((await organizations(database.db)).length, 1 + 32);
  });

  test('takes its turn among transactions', async (t) => {
    const database = await open(t);
    const { promise: opened, resolve: tellOpened } = gate();
    const { promise: mayEnd, resolve: letEnd } = gate();
    const holding = database.transaction(async (trx) => {
      await trx.updateTable('audit_head').set({ link: 1 }).execute();
      tellOpened();
      await mayEnd;
    });
    await opened;
    const batch = database.runBatch(queries(database, ['a']));
    letEnd();
    await Promise.all([holding, batch]);
    const head = await database.db.selectFrom('audit_head').select('link').executeTakeFirst();
    assert.equal(head?.link, 5);
  });
});

onBothDatabases('closing', (open) => {
  test('lets a running transaction end, and refuses what comes later', async (t) => {
    const database = await open(t);
    await database.ping();
    const { promise: opened, resolve: tellOpened } = gate();
    const running = database.transaction(async (trx) => {
      await addOperator(trx, 'a');
      tellOpened();
      await addOperator(trx, 'b');
    });
    await opened;
    await Promise.all([running, database.close()]);
    await assert.rejects(organizations(database.db), DatabaseUnavailable);
    await assert.rejects(database.ping(), DatabaseUnavailable);
    await assert.rejects(database.transaction(organizations), DatabaseUnavailable);
  });
});
