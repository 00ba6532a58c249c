import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { type Database, DatabaseUnavailable } from '../../database/database.ts';
import type { Tables } from '../../database/schema/tables.ts';
import { sqliteKeyedJoin } from '../../database/sql/keyed-join.ts';
import { sqliteRowSource } from '../../database/sql/row-source.ts';
import { movingClock } from '../push-world.testing.ts';
import type { Settlement } from './settlement-store.ts';
import { createSettler } from './settler.ts';

test('outcomes wait for a database that is away, and are recorded when it is back', async () => {
  let away = 3;
  const { settler, batches, log } = settlerOn(() => {
    if (away-- > 0) throw new DatabaseUnavailable('PostgreSQL: gone');
  });
  assert.equal(await settler.record(settlement('p1'), never), 'recorded');
  assert.equal(batches(), 4);
  assert.equal(log.length, 3);
});

test('they wait no longer than their lease', async () => {
  const lost = new AbortController();
  const { settler } = settlerOn(() => {
    lost.abort();
    throw new DatabaseUnavailable('PostgreSQL: gone');
  });
  assert.equal(await settler.record(settlement('p1'), lost.signal), 'given up');
});

test('one that is refused is put off for an hour, without its attempt', async () => {
  const { settler, clock, log } = settlerOn((texts) => {
    if (texts.includes('"delivered"')) throw new Error('a constraint');
    assert.ok(texts.includes(String(clock.now() + 3_600_000)), texts);
  });
  assert.equal(await settler.record(settlement('p1'), never), 'parked');
  assert.deepEqual(log, ['the outcome of a push cannot be recorded; it comes again in 1 h']);
});

test('one that cannot even be put off is kept, and recorded as it was once the database takes it', async () => {
  let refusals = 5;
  const waits: number[] = [];
  const { settler, batches } = settlerOn(
    () => {
      if (refusals-- > 0) throw new Error('read-only');
    },
    (ms) => waits.push(ms),
  );
  assert.equal(await settler.record(settlement('p1'), never), 'parked');
  assert.equal(batches(), 6);
  assert.deepEqual(
    waits.filter((ms) => ms > 1_000),
    [60_000, 60_000],
  );
});

test('it is kept no longer than its lease', async () => {
  const lost = new AbortController();
  const { settler } = settlerOn(
    () => {
      throw new Error('a constraint');
    },
    (ms) => {
      if (ms > 1_000) lost.abort();
    },
  );
  assert.equal(await settler.record(settlement('p1'), lost.signal), 'given up');
});

test('outcomes of the same moment are one commit', async () => {
  const { settler, batches } = settlerOn(() => {});
  const ids = Array.from({ length: 100 }, (_, index) => `p${index}`);
  await Promise.all(ids.map((id) => settler.record(settlement(id), never)));
  assert.equal(batches(), 1);
});

test('many outcomes leave room for other writers, each organization in one commit where it can be', async () => {
  const written: string[] = [];
  const { settler, batches } = settlerOn((texts) => written.push(texts));
  const outcomes = Array.from({ length: 240 }, (_, index) => settlement(`p${index}`, `org-${index % 6}`));
  await Promise.all(outcomes.map((outcome) => settler.record(outcome, never)));
  assert.equal(batches(), 3);
  for (let number = 0; number < 6; number += 1) {
    assert.equal(written.filter((texts) => texts.includes(`"org-${number}"`)).length, 1);
  }
  for (const { id } of outcomes) assert.equal(written.filter((texts) => texts.includes(`"${id}"`)).length, 1);
});

test('outcomes that fall behind are recorded in whole groups', async () => {
  const { settler, batches } = settlerOn(() => {});
  const ids = Array.from({ length: 1_000 }, (_, index) => `p${index}`);
  await Promise.all(ids.map((id) => settler.record(settlement(id), never)));
  // The first with as many behind it as one commit takes, the second with none.
  assert.equal(batches(), 1 + 5);
});

const never = new AbortController().signal;

function settlement(id: string, organizationId = 'o'): Settlement {
  const end = { state: 'delivered', at: 1 } as const;
  return { organizationId, id, lease: 'push/1', epoch: 1, attempts: 0, attempt: undefined, end };
}

/** @param run what the database does with a batch, by the texts of its parameters */
function settlerOn(run: (parameters: string) => void, onWait: (ms: number) => void = () => {}) {
  let count = 0;
  const log: string[] = [];
  const write = (_fields: object, message: string) => {
    log.push(message);
  };
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const database = {
    dialect: 'sqlite',
    db,
    rowSource: sqliteRowSource,
    lookUp: sqliteKeyedJoin,
    async runBatch(queries: readonly { parameters: readonly unknown[] }[]) {
      count += 1;
      run(queries.flatMap(({ parameters }) => parameters).join(' '));
      return [];
    },
  } as unknown as Database;
  const clock = movingClock();
  const wait = async (ms: number) => {
    onWait(ms);
    await setImmediate();
  };
  const settler = createSettler({ database, clock, log: { info: write, warn: write, error: write }, wait });
  return { settler, clock, log, batches: () => count };
}
