import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';
import { sql } from 'kysely';
import type { Clock } from '../runtime/clock.ts';
import { migrate, readSchema } from './migrate.ts';
import type { Migration } from './schema/migration.ts';
import { migrations } from './schema/migrations/list.ts';
import { UnsuitableDatabase } from './sql/database-errors.ts';
import { freshDatabase, onBothDatabases } from './testing.ts';

const createItem: Migration = {
  id: 1,
  name: 'create item',
  up: async (db) => {
    await sql`create table item (id integer primary key)`.execute(db);
  },
};
const failing: Migration = {
  id: 2,
  name: 'fail half-way',
  up: async (db) => {
    await sql`alter table item add column note text`.execute(db);
    throw new Error('half-way');
  },
};
const addNote: Migration = { id: 2, name: 'add note', up: (db) => failing.up(db, 'sqlite').catch(() => {}) };
const clock: Clock = { now: () => 1_700_000_000_000, monotonic: () => 0 };

onBothDatabases('migrate', (open, kind) => {
  test('takes our own steps once', async (t) => {
    const database = await open(t, { empty: true });
    assert.deepEqual(await readSchema(database), { current: 0, known: migrations.length });
    assert.deepEqual(await migrate(database), migrations);
    assert.deepEqual(await migrate(database), []);
    assert.deepEqual(await readSchema(database), { current: migrations.length, known: migrations.length });
  });

  test('keeps the steps before one that fails, and nothing of that one', async (t) => {
    const database = await open(t, { empty: true });
    await assert.rejects(migrate(database, { migrations: [createItem, failing], clock }), /half-way/);
    const journal = await database.db.selectFrom('schema_migration').selectAll().execute();
    assert.deepEqual(
      journal.map((row) => ({ ...row })),
      [{ id: 1, name: 'create item', applied_at: 1_700_000_000_000 }],
    );
    await assert.rejects(sql`select note from item`.execute(database.db));
  });

  test('later statements see the new columns', async (t) => {
    const database = await open(t, { empty: true });
    await migrate(database, { migrations: [createItem], clock });
    await sql`insert into item (id) values (1)`.execute(database.db);
    const read = async () =>
      (await sql`select * from item`.execute(database.db)).rows.map((row) => ({ ...(row as object) }));
    assert.deepEqual(await read(), [{ id: 1 }]);
    await migrate(database, { migrations: [createItem, addNote], clock });
    assert.deepEqual(await read(), [{ id: 1, note: null }]);
  });

  test('refuses a newer schema and changes nothing', async (t) => {
    const database = await open(t, { empty: true });
    await migrate(database, { migrations: [createItem, addNote], clock });
    await assert.rejects(
      migrate(database, { migrations: [createItem], clock }),
      (error) => error instanceof UnsuitableDatabase && /has schema 2, this version knows 1:/.test(error.message),
    );
  });

  test('processes that start together share the steps between them', async () => {
    const fresh = await freshDatabase(kind, { empty: true });
    try {
      const counts = await Promise.all([1, 2, 3].map(() => migrateInProcess(fresh.options)));
      const sum = counts.reduce((total, count) => total + count, 0);
      assert.equal(sum, migrations.length, `steps taken by each: ${counts.join(' ')}`);
    } finally {
      await fresh.close();
    }
  });
});

/** Resolves with the number of steps that another process took. */
async function migrateInProcess(options: object): Promise<number> {
  const script = `
    import { openDatabase } from ${JSON.stringify(new URL('./open-database.ts', import.meta.url).href)};
    import { migrate } from ${JSON.stringify(new URL('./migrate.ts', import.meta.url).href)};
    const database = await openDatabase(${JSON.stringify(options)});
    process.stdout.write(String((await migrate(database)).length));
    await database.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (text) => {
    said += String(text);
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  return Number(said);
}
