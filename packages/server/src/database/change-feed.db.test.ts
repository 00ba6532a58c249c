import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { type ChangeFeed, createChangeFeed } from './change-feed.ts';
import { type Change, changesPerRead, forgetChanges, noteChanges, readChanges, readRevision } from './change-log.ts';
import { type Database, DatabaseUnavailable } from './database.ts';
import { createDatabaseOutage } from './database-outage.ts';
import { openDatabase } from './open-database.ts';
import { type FreshDatabase, freshDatabase, onBothDatabases } from './testing.ts';

function fakeClock() {
  let time = 1_000;
  let offset = 1_767_225_600_000;
  return {
    now: () => offset + time,
    monotonic: () => time,
    advance: (ms: number) => {
      time += ms;
    },
    /** The wall clock alone: somebody sets it, or the machine sleeps. */
    set: (ms: number) => {
      offset += ms;
    },
  };
}

/** What a feed has told its listener, in order; `everything` for the changes that are not known one by one. */
function heardBy(feed: ChangeFeed): string[] {
  const heard: string[] = [];
  feed.listen((changes) =>
    heard.push(...(changes?.map(({ kind, subjectId }) => `${kind} ${subjectId}`) ?? ['everything'])),
  );
  return heard;
}

const never = () => new Promise<void>(() => {});

/** The database with every question answered by `answer`, which may pass it on. */
function intercepted(database: Database, before: () => Promise<void>): Database {
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await before();
      return result;
    },
  });
  return { ...database, db };
}

onBothDatabases('the change feed', (_open, kind) => {
  async function twoNodes(t: TestContext) {
    const fresh: FreshDatabase = await freshDatabase(kind);
    const second = await openDatabase(fresh.options);
    t.after(async () => {
      await second.close();
      await fresh.close();
    });
    return { first: fresh.database, second };
  }

  test('a write is forgotten by the own listeners before its promise resolves, and by another node with its next question', async (t) => {
    const { first, second } = await twoNodes(t);
    const clock = fakeClock();
    const [here, there] = [createChangeFeed(first, clock, never), createChangeFeed(second, clock, never)];
    const [heardHere, heardThere] = [heardBy(here), heardBy(there)];
    await Promise.all([here.sync(), there.sync()]);
    assert.deepEqual([heardHere, heardThere], [['everything'], ['everything']]);
    const result = await here.write(async (_trx, note) => {
      note('certificate', 'c1');
      note('token', 't1');
      return 'done';
    });
    assert.equal(result, 'done');
    assert.deepEqual(heardHere, ['everything', 'certificate c1', 'token t1']);
    assert.deepEqual(heardThere, ['everything']);
    await there.sync();
    assert.deepEqual(heardThere.sort(), ['certificate c1', 'everything', 'token t1']);
    await there.sync();
    assert.equal(heardThere.length, 3);
  });

  test('a write that fails notes nothing, and one without a note raises nothing', async (t) => {
    const { first } = await twoNodes(t);
    const feed = createChangeFeed(first, fakeClock(), never);
    const fault = new Error('changed my mind');
    await assert.rejects(
      feed.write(async (_trx, note) => {
        note('certificate', 'c1');
        throw fault;
      }),
      fault,
    );
    await feed.write(async () => {});
    assert.equal(await readRevision(first.db), 0);
  });

  test('while twenty writers commit at once, another node misses nothing and hears nothing twice', async (t) => {
    const { first, second } = await twoNodes(t);
    const clock = fakeClock();
    const [here, there] = [createChangeFeed(first, clock, never), createChangeFeed(second, clock, never)];
    const heard = heardBy(there);
    await there.sync();
    heard.length = 0;
    const writers = Array.from({ length: 20 }, (_, writer) =>
      here.write(async (trx, note) => {
        note('deployment', `d${writer}`);
        // A transaction that has its place in time long before it commits.
        await sql`select 1`.execute(trx);
        note('token', `t${writer}`);
      }),
    );
    let writing = true;
    const written = Promise.all(writers).finally(() => {
      writing = false;
    });
    while (writing) await there.sync();
    await written;
    await there.sync();
    const wanted = Array.from({ length: 20 }, (_, writer) => [`deployment d${writer}`, `token t${writer}`]).flat();
    assert.deepEqual(heard.sort(), wanted.sort());
    assert.equal(await readRevision(first.db), 40);
  });

  test('more changes than are read one by one mean everything, exactly as many do not', async (t) => {
    const { first } = await twoNodes(t);
    const start = { revision: 0, note: undefined };
    const many = Array.from({ length: 1_000 }, (_, n): Change => ({ kind: 'token', subjectId: `${n}` }));
    for (let written = 0; written < changesPerRead; written += many.length) {
      await first.transaction((trx) => noteChanges(trx, many, 1));
    }
    assert.equal((await readChanges(first.db, start, changesPerRead))?.length, changesPerRead);
    await first.transaction((trx) => noteChanges(trx, [{ kind: 'token', subjectId: 'one more' }], 1));
    assert.equal(await readChanges(first.db, start, changesPerRead + 1), undefined);
    assert.equal(
      (await readChanges(first.db, { revision: 1, note: '1 token 0' }, changesPerRead + 1))?.length,
      changesPerRead,
    );
  });

  test('changes whose notes were removed, or a counter set back, mean everything', async (t) => {
    const { first, second } = await twoNodes(t);
    const clock = fakeClock();
    const [here, there] = [createChangeFeed(first, clock, never), createChangeFeed(second, clock, never)];
    const heard = heardBy(there);
    await there.sync();
    await here.write(async (_trx, note) => void note('token', 't1'));
    await forgetChanges(first.db, clock.now() + 1);
    await here.write(async (_trx, note) => void note('token', 't2'));
    await there.sync();
    assert.deepEqual(heard, ['everything', 'everything']);
    await first.db.updateTable('change_counter').set({ value: 1 }).execute();
    await there.sync();
    assert.deepEqual(heard, ['everything', 'everything', 'everything']);
  });

  for (const [fresh, what] of [
    [1, 'as many changes as were lost'],
    [2, 'more changes than were lost'],
  ] as const) {
    test(`a standby that took over without the last changes, and has noted ${what} since, means everything`, async (t) => {
      const { first, second } = await twoNodes(t);
      const clock = fakeClock();
      const [here, there] = [createChangeFeed(first, clock, never), createChangeFeed(second, clock, never)];
      const heard = heardBy(there);
      await here.write(async (_trx, note) => void note('token', 'kept'));
      await here.write(async (_trx, note) => void note('token', 'lost'));
      await there.sync();
      // What the standby has never got, before anybody asks it.
      await first.db.deleteFrom('change_log').where('subject_id', '=', 'lost').execute();
      await first.db.updateTable('change_counter').set({ value: 1 }).execute();
      clock.advance(10);
      for (let n = 0; n < fresh; n += 1) await here.write(async (_trx, note) => void note('token', `t${n}`));
      await there.sync();
      assert.deepEqual(heard, ['everything', 'everything']);
      await there.sync();
      assert.equal(heard.length, 2);
    });
  }

  test('whoever was away for as long as notes may be gone forgets everything, whatever number there is now', async (t) => {
    const { first, second } = await twoNodes(t);
    const clock = fakeClock();
    const [here, there] = [createChangeFeed(first, clock, never), createChangeFeed(second, clock, never)];
    const heard = heardBy(there);
    await here.write(async (_trx, note) => void note('token', 'lost'));
    await there.sync();
    // A standby that never had it gives its number to another, and removes that in its time.
    await first.db.deleteFrom('change_log').execute();
    await first.db.updateTable('change_counter').set({ value: 0 }).execute();
    await here.write(async (_trx, note) => void note('token', 'revoked'));
    clock.advance(11 * 60_000);
    await forgetChanges(first.db, clock.now() + 1);
    await there.sync();
    assert.deepEqual(heard, ['everything', 'everything']);
  });

  test('a server that starts, or goes on, after its notes were removed hears of no more than what changes', async (t) => {
    const { first, second } = await twoNodes(t);
    const clock = fakeClock();
    const [here, there] = [createChangeFeed(first, clock, never), createChangeFeed(second, clock, never)];
    const [heardHere, heardThere] = [heardBy(here), heardBy(there)];
    await here.write(async (_trx, note) => void note('token', 't1'));
    await forgetChanges(first.db, clock.now() + 1);
    await Promise.all([here.sync(), there.sync()]);
    await here.write(async (_trx, note) => void note('token', 't2'));
    await there.sync();
    assert.deepEqual(heardHere, ['everything', 'token t2']);
    assert.deepEqual(heardThere, ['everything', 'token t2']);
  });

  test('what is in memory counts as proven since the question left, not since its answer came', async (t) => {
    const { first } = await twoNodes(t);
    const clock = fakeClock();
    const feed = createChangeFeed(
      intercepted(first, async () => clock.advance(400)),
      clock,
      never,
    );
    assert.equal(feed.isProven(1_000_000), false);
    await feed.sync();
    assert.equal(feed.isProven(399), false);
    assert.equal(feed.isProven(400), true);
    clock.advance(600);
    assert.equal(feed.isProven(999), false);
    assert.equal(feed.isProven(1_000), true);
  });

  test('a machine that slept, with its monotonic clock, wakes up with nothing proven; a wall clock set back makes nothing younger', async (t) => {
    const { first } = await twoNodes(t);
    const clock = fakeClock();
    const feed = createChangeFeed(first, clock, never);
    await feed.sync();
    clock.set(1_001);
    assert.equal(feed.isProven(1_000), false);
    await feed.sync();
    assert.equal(feed.isProven(0), true);
    clock.set(-3_600_000);
    assert.equal(feed.isProven(0), true, 'nor older');
    clock.advance(1_001);
    assert.equal(feed.isProven(1_000), false);
  });

  test('a database that does not answer proves nothing, and a committed write does not look failed for it', async (t) => {
    const { first } = await twoNodes(t);
    const clock = fakeClock();
    let isDown = false;
    const feed = createChangeFeed(
      intercepted(first, async () => {
        if (isDown) throw new DatabaseUnavailable('down');
      }),
      clock,
      never,
    );
    const heard = heardBy(feed);
    await feed.sync();
    assert.equal(feed.isProven(1_000), true);
    isDown = true;
    await feed.write(async (_trx, note) => void note('token', 't1'));
    assert.equal(feed.isProven(1_000), false);
    await assert.rejects(feed.sync(), DatabaseUnavailable);
    assert.deepEqual(heard, ['everything']);
    isDown = false;
    await feed.sync();
    assert.equal(feed.isProven(0), true);
    assert.deepEqual(heard, ['everything', 'token t1']);
  });

  test('an outage is told once when it begins, and with its length when the database answers again', async (t) => {
    const { first } = await twoNodes(t);
    const clock = fakeClock();
    const lines: unknown[] = [];
    const log = {
      info: (fields: object, message: string) => void lines.push([message, fields]),
      warn: ({ err }: { err?: unknown }, message: string) => void lines.push([message, err]),
    };
    let fault: Error | undefined;
    const feed = createChangeFeed(
      intercepted(first, async () => {
        if (fault !== undefined) throw fault;
      }),
      clock,
      never,
      { outage: createDatabaseOutage(log, clock) },
    );
    await feed.sync();
    const down = new DatabaseUnavailable('down');
    fault = down;
    for (let second = 0; second < 14; second += 1) {
      await assert.rejects(feed.sync(), down);
      clock.advance(999);
    }
    fault = undefined;
    await feed.sync();
    await feed.sync();
    fault = new Error('a fault of ours, which says nothing of the database');
    await assert.rejects(feed.sync(), fault);
    assert.deepEqual(lines, [
      ['the database does not answer', down],
      ['the database answers again after 14 s', { outage_ms: 13_986 }],
    ]);
  });

  test('who asks while a question is under way gets the answer of a later one, shared with all who asked meanwhile', async (t) => {
    const { first, second } = await twoNodes(t);
    const clock = fakeClock();
    const there = createChangeFeed(second, clock, never);
    let questions = 0;
    let hold: Promise<void> | undefined;
    const reached = Promise.withResolvers<void>();
    const feed = createChangeFeed(
      intercepted(first, async () => {
        questions += 1;
        reached.resolve();
        await hold;
      }),
      clock,
      never,
    );
    const heard = heardBy(feed);
    await feed.sync();
    const gate = Promise.withResolvers<void>();
    hold = gate.promise;
    questions = 0;
    const early = feed.sync();
    await reached.promise;
    // The early question has its answer already when this is committed.
    while (questions === 0) await new Promise(setImmediate);
    await there.write(async (_trx, note) => void note('token', 'late'));
    const late = Promise.all([feed.sync(), feed.sync(), feed.sync()]);
    hold = undefined;
    gate.resolve();
    await early;
    assert.deepEqual(heard, ['everything']);
    await late;
    assert.deepEqual(heard, ['everything', 'token late']);
    // The early one, then counter and notes for the three together.
    assert.equal(questions, 3);
  });

  test('a listener that fails leaves nothing proven, and the next question tells everybody again', async (t) => {
    const { first } = await twoNodes(t);
    const feed = createChangeFeed(first, fakeClock(), never);
    await feed.sync();
    let fails = true;
    feed.listen(() => {
      if (fails) throw new Error('a fault of ours');
    });
    const heard = heardBy(feed);
    await feed.write(async (_trx, note) => void note('token', 't1'));
    assert.equal(feed.isProven(1_000_000), false);
    assert.deepEqual(heard, []);
    fails = false;
    await feed.sync();
    assert.deepEqual(heard, ['token t1']);
    assert.equal(feed.isProven(0), true);
  });

  test('the worker asks again and again, goes on through an outage, and removes old notes', async (t) => {
    const { first } = await twoNodes(t);
    const clock = fakeClock();
    let isDown = false;
    const rounds: boolean[] = [];
    const stop = new AbortController();
    const feed: ChangeFeed = createChangeFeed(
      intercepted(first, async () => {
        if (isDown) throw new DatabaseUnavailable('down');
      }),
      clock,
      async (ms) => {
        assert.ok(ms <= 500, 'the contract allows half a second');
        rounds.push(feed.isProven(0));
        clock.advance(61_000);
        isDown = rounds.length === 1;
        if (rounds.length === 14) stop.abort();
      },
    );
    await first.transaction((trx) => noteChanges(trx, [{ kind: 'token', subjectId: 'old' }], clock.now()));
    await feed.worker.run(stop.signal);
    assert.deepEqual(rounds, [true, false, ...Array<boolean>(12).fill(true)]);
    assert.deepEqual(await first.db.selectFrom('change_log').selectAll().execute(), []);
  });
});
