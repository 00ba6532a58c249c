import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { migrate } from '../database/migrate.ts';
import { migrations } from '../database/schema/migrations/list.ts';
import { onBothDatabases } from '../database/testing.ts';

onBothDatabases('operators of before there were accounts', (open) => {
  test('become accounts without a password, and their table goes', async (t) => {
    const database = await open(t, { empty: true });
    await migrate(database, { migrations: migrations.filter(({ id }) => id < 4) });
    await sql`insert into operator (id, email, created_at) values ('o1', 'ops@example.com', 7)`.execute(database.db);
    await migrate(database);
    const rows = await database.db.selectFrom('account').selectAll().execute();
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        {
          id: 'o1',
          email: 'ops@example.com',
          operator: 1,
          operator_by_sso: 0,
          password: null,
          disabled_at: null,
          created_at: 7,
          updated_at: 7,
        },
      ],
    );
    await assert.rejects(sql`select id from operator`.execute(database.db));
  });
});
