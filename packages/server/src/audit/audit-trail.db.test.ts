import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open-database.ts';
import { freshDatabase, onBothDatabases } from '../database/testing.ts';

import { createAuditRetention } from './audit-retention.ts';
import { type AuditTrail, createAuditTrail, type RecordedEvent } from './audit-trail.ts';

const key = randomBytes(32);
const dayMs = 86_400_000;
const noon = Date.UTC(2026, 0, 10, 12);

function event(subject: string, at = noon, changes: Partial<RecordedEvent> = {}): RecordedEvent {
  return { organizationId: 'o1', actor: 'cli', action: 'push.resend', subject, at, detail: '{"a":1}', ...changes };
}

async function record(database: Database, trail: AuditTrail, ...events: RecordedEvent[]): Promise<void> {
  await database.transaction((trx) => trail.record(trx, events));
}

async function assertSound(trail: AuditTrail): Promise<{ link: number; mac: string }> {
  const verdict = await trail.verify();
  assert.deepEqual(verdict.faults, []);
  return verdict.head;
}

onBothDatabases('the audit trail', (open, kind) => {
  test('is sound while it is empty', async (t) => {
    const trail = createAuditTrail(await open(t), key);
    assert.deepEqual(await trail.verify(), {
      faults: [],
      head: { link: 0, mac: '' },
      links: 0,
      entries: 0,
      prunedDays: 0,
    });
    assert.deepEqual(await trail.verify({ link: 0, mac: '' }), await trail.verify());
  });

  // On SQLite all share the one connection that writes.
  if (kind === 'postgres')
    test('nobody waits for an entry whose connection has fallen silent', async (t) => {
      const database = await open(t);
      const silent = Promise.withResolvers<never>();
      let calls = 0;
      const runBatch: Database['runBatch'] = (...batch) => {
        calls += 1;
        return calls === 1 ? silent.promise : database.runBatch(...batch);
      };
      const trail = createAuditTrail({ ...database, runBatch }, key);
      const first = assert.rejects(trail.append([event('a')]));
      await trail.append([event('b')]);
      silent.reject(new Error('no answer'));
      await first;
      assert.deepEqual(
        (await trail.list({ limit: 10 })).map(({ subject }) => subject),
        ['b'],
      );
    });

  test('what is recorded is listed newest first, by organization and by subject', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    const events = [event('a'), event('b', noon + 1, { organizationId: 'o2' }), event('a', noon + 2)];
    await record(database, trail, events[0] as RecordedEvent, events[1] as RecordedEvent);
    await record(database, trail, events[2] as RecordedEvent);
    const all = await trail.list({ limit: 10 });
    assert.deepEqual(all, [
      { ...events[2], link: 2, position: 0 },
      { ...events[1], link: 1, position: 1 },
      { ...events[0], link: 1, position: 0 },
    ]);
    assert.deepEqual(
      (await trail.list({ subject: 'a', limit: 10 })).map((entry) => entry.link),
      [2, 1],
    );
    assert.deepEqual(
      (await trail.list({ organizationId: 'o2', limit: 10 })).map((entry) => entry.subject),
      ['b'],
    );
    assert.equal((await trail.list({ limit: 1 })).length, 1);
    for (const filter of [{}, { subject: 'a' }, { organizationId: 'o1' }]) {
      const whole = await trail.list({ ...filter, limit: 10 });
      for (const [index, { link, position }] of whole.entries()) {
        assert.deepEqual(
          await trail.list({ ...filter, before: { link, position }, limit: 10 }),
          whole.slice(index + 1),
        );
      }
    }
    const verdict = await trail.verify();
    assert.deepEqual([verdict.links, verdict.entries, verdict.head.link], [2, 3, 2]);
  });

  test('nothing to record makes no link, and what a transaction rolls back leaves none', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    await record(database, trail);
    const fault = new Error('changed my mind');
    await assert.rejects(
      database.transaction(async (trx) => {
        await trail.record(trx, [event('a')]);
        throw fault;
      }),
      fault,
    );
    assert.equal((await assertSound(trail)).link, 0);
  });

  test('a batch of a thousand, and texts of every kind, verify', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    await record(database, trail, ...Array.from({ length: 1_000 }, (_, n) => event(`s${n}`, noon + n)));
    const texts = ['', 'é\u{1f426}', 'a"b\\c\n', '\ud800 half a character', '\u2028', '; drop table audit_entry'];
    for (const text of texts) await record(database, trail, event(text, noon, { actor: text, detail: text }));
    for (let n = 0; n < 8; n += 1) {
      await record(database, trail, ...Array.from({ length: 1_000 }, (_, i) => event(`t${n}.${i}`)));
    }
    const verdict = await trail.verify();
    assert.deepEqual(verdict.faults, []);
    assert.deepEqual([verdict.links, verdict.entries], [1 + texts.length + 8, 9_000 + texts.length]);
  });

  test('a verification tells how many links of how many it has checked, those of removed days not among them', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    for (let n = 0; n < 700; n += 1) await trail.append([event(`s${n}`, noon + n)]);
    const told: (readonly [number, number])[] = [];
    await trail.verify(undefined, (links, ofLinks) => told.push([links, ofLinks]));
    assert.deepEqual(told, [
      [0, 700],
      [500, 700],
      [700, 700],
    ]);
    await trail.closeDays(noon + 86_400_000);
    await trail.prune(noon + 86_400_000, noon + 86_400_000);
    for (let n = 0; n < 3; n += 1) await trail.append([event(`t${n}`, noon + 86_400_000 + n)]);
    await trail.verify(undefined, (...now) => told.push(now));
    assert.deepEqual(told.slice(3), [
      [0, 3],
      [3, 3],
    ]);
  });

  test('another key finds fault with every link, and a hundred faults are enough', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    for (let n = 0; n < 120; n += 1) await record(database, trail, event(`s${n}`));
    const verdict = await createAuditTrail(database, randomBytes(32)).verify();
    assert.equal(verdict.faults.length, 100);
    assert.equal(verdict.links, 120);
  });

  test('records of several nodes at once chain without a gap, and verifying meanwhile raises no false alarm', async (t) => {
    const fresh = await freshDatabase(kind);
    // On SQLite one server holds the file; its many callers take turns.
    const second = kind === 'postgres' ? await openDatabase(fresh.options) : fresh.database;
    t.after(async () => {
      if (second !== fresh.database) await second.close();
      await fresh.close();
    });
    const databases = [fresh.database, second];
    const trails = databases.map((database) => createAuditTrail(database, key));
    let done = 0;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const [database, trail] = [databases[writer % 2] as Database, trails[writer % 2] as AuditTrail];
      for (let n = 0; n < 15; n += 1) await record(database, trail, event(`w${writer}`), event(`w${writer}.${n}`));
      done += 1;
    });
    let verifications = 0;
    while (done < writers.length) {
      assert.deepEqual((await (trails[verifications % 2] as AuditTrail).verify()).faults, []);
      verifications += 1;
    }
    await Promise.all(writers);
    assert.ok(verifications > 2, `${verifications} verifications`);
    const verdict = await (trails[0] as AuditTrail).verify();
    assert.deepEqual([verdict.faults, verdict.links, verdict.entries], [[], 120, 240]);
  });

  test('days that are over are closed once, in order, also when days between have no entries', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    await record(database, trail, event('a', noon), event('b', noon));
    await record(database, trail, event('c', noon + 1));
    await record(database, trail, event('d', noon + 3 * dayMs));
    await record(database, trail, event('e', noon + 5 * dayMs));
    assert.deepEqual(await trail.closeDays(noon), []);
    const closed = await trail.closeDays(noon + 5 * dayMs);
    assert.deepEqual(
      closed.map(({ day, firstLink, lastLink, entries, prunedAt }) => [day, firstLink, lastLink, entries, prunedAt]),
      [
        ['2026-01-10', 1, 2, 3, null],
        ['2026-01-13', 3, 3, 1, null],
      ],
    );
    assert.equal(closed[1]?.formerMac, closed[0]?.mac);
    assert.deepEqual(await trail.closeDays(noon + 5 * dayMs), []);
    await assertSound(trail);
    await record(database, trail, event('f', noon + 6 * dayMs));
    assert.equal((await trail.closeDays(noon + 7 * dayMs)).length, 2);
    await assertSound(trail);
  });

  test('a node whose clock is behind does not append to a day that another node has closed', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    await record(database, trail, event('a', noon));
    assert.equal((await trail.closeDays(noon + dayMs)).length, 1);
    await record(database, trail, event('late', noon + 1));
    await assertSound(trail);
    const closed = await trail.closeDays(noon + 2 * dayMs);
    assert.deepEqual(
      closed.map(({ day, firstLink }) => [day, firstLink]),
      [['2026-01-11', 2]],
    );
    assert.deepEqual((await trail.list({ limit: 1 }))[0]?.at, noon + 1);
    await assertSound(trail);
  });

  test('an append finds its place whatever has moved the head since the one before it', async (t) => {
    const database = await open(t);
    const [trail, other] = [createAuditTrail(database, key), createAuditTrail(database, key)];
    await trail.append([event('first')]);
    await trail.append([event('onto a head that is known')]);
    await record(database, trail, event('in a transaction'));
    await trail.append([event('after the transaction')]);
    await other.append([event('by another')]);
    await Promise.all([trail.append([event('after the other')]), trail.append([event('at once')])]);
    await trail.closeDays(noon + dayMs);
    await trail.append([event('late', noon + 1)]);
    const verdict = await trail.verify();
    assert.deepEqual([verdict.faults, verdict.links, verdict.entries], [[], 8, 8]);
    const segments = await trail.closeDays(noon + 2 * dayMs);
    assert.deepEqual(
      segments.map(({ day, firstLink }) => [day, firstLink]),
      [['2026-01-11', 8]],
    );
  });

  test('appends that are sent before the last one is on disk chain all the same, whatever moves the head between them', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    const other = createAuditTrail(database, key);
    const subjects = Array.from({ length: 120 }, (_, index) => `s${index}`);
    const recorded: Promise<void>[] = [];
    for (const [index, subject] of subjects.entries()) {
      if (index % 7 === 3) recorded.push(record(database, trail, event(subject)));
      else if (index % 11 === 5) recorded.push(other.append([event(subject)]));
      else recorded.push(trail.append([event(subject)]));
      // Two or three are under way at any time.
      if (index >= 2) await recorded[index - 2];
    }
    await Promise.all(recorded);
    await assertSound(trail);
    const listed = await trail.list({ limit: 1_000 });
    assert.deepEqual(listed.map(({ subject }) => subject).toSorted(), subjects.toSorted());
  });

  test('an append that the database refuses takes none of those with it that were chained to it', async (t) => {
    const trail = createAuditTrail(await open(t), key);
    await trail.append([event('first')]);
    const outcomes = await Promise.allSettled([
      trail.append([event('second')]),
      trail.append([event('bad', noon, { at: null as unknown as number })]),
      trail.append([event('third')]),
      trail.append([event('fourth')]),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    await assertSound(trail);
    assert.equal((await trail.list({ limit: 10 })).length, 4);
  });

  test('nodes that close days and append at the same time agree on the days', async (t) => {
    const fresh = await freshDatabase(kind);
    const second = kind === 'postgres' ? await openDatabase(fresh.options) : fresh.database;
    t.after(async () => {
      if (second !== fresh.database) await second.close();
      await fresh.close();
    });
    const [here, there] = [createAuditTrail(fresh.database, key), createAuditTrail(second, key)];
    let closed = 0;
    for (let day = 0; day < 5; day += 1) {
      const at = noon + day * dayMs;
      await record(fresh.database, here, event('first', at));
      const [one, other] = await Promise.all([
        here.closeDays(at + dayMs),
        there.closeDays(at + dayMs),
        ...Array.from({ length: 4 }, (_, n) => record(second, there, event(`late ${n}`, at))),
      ]);
      closed += one.length + other.length;
    }
    closed += (await here.closeDays(noon + 9 * dayMs)).length;
    const days = await fresh.database.db.selectFrom('audit_segment').select('day').execute();
    assert.equal(days.length, closed);
    await assertSound(here);
  });

  test('retention removes closed days that are old enough, and the chain still verifies from there', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    for (let day = 0; day < 4; day += 1) await record(database, trail, event(`s${day}`, noon + day * dayMs));
    const now = noon + 3 * dayMs;
    const closed = await trail.closeDays(now);
    assert.equal(await trail.prune(Date.UTC(2026, 0, 11) - 1, now), 0);
    assert.equal(await trail.prune(Date.UTC(2026, 0, 12), now), 2);
    const verdict = await trail.verify();
    assert.deepEqual([verdict.faults, verdict.links, verdict.prunedDays], [[], 2, 2]);
    assert.deepEqual(
      (await trail.list({ limit: 10 })).map((entry) => entry.subject),
      ['s3', 's2'],
    );
    assert.equal(await trail.prune(Date.UTC(2026, 0, 12), now), 0);
    // Heads that were noted when days were closed stay good, those within removed days cannot be checked any more.
    for (const { lastLink, mac } of closed) {
      assert.deepEqual((await trail.verify({ link: lastLink, mac })).faults, []);
    }
    const wrong = await trail.verify({ link: 1, mac: closed[1]?.mac ?? '' });
    assert.match(wrong.faults[0]?.reason ?? '', /does not pass through the expected head/);
    assert.equal(wrong.faults[0]?.code, 'expected_head_not_passed');
    await record(database, trail, event('after', now));
    await assertSound(trail);
  });

  test('when everything was removed the chain goes on from the last summary', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    await record(database, trail, event('a', noon), event('b', noon));
    await record(database, trail, event('c', noon));
    await trail.closeDays(noon + dayMs);
    await trail.prune(noon + 2 * dayMs, noon + 2 * dayMs);
    assert.equal((await assertSound(trail)).link, 2);
    const within = await trail.verify({ link: 1, mac: 'ab' });
    assert.match(within.faults[0]?.reason ?? '', /within a day whose entries were removed/);
    assert.equal(within.faults[0]?.code, 'expected_head_removed');
    await record(database, trail, event('d', noon + 2 * dayMs));
    const verdict = await trail.verify();
    assert.deepEqual([verdict.faults, verdict.head.link, verdict.links], [[], 3, 1]);
  });

  test('a process killed between marking a day and deleting it leaves a sound chain, and the next round deletes the rest', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    for (let n = 0; n < 3; n += 1) await record(database, trail, event(`s${n}`, noon), event(`t${n}`, noon));
    await record(database, trail, event('kept', noon + dayMs));
    await trail.closeDays(noon + dayMs);
    const killed = { ...database, transaction: () => Promise.reject(new Error('killed')) };
    await assert.rejects(createAuditTrail(killed, key).prune(noon + dayMs, noon + dayMs), /killed/);
    await assertSound(trail);
    assert.deepEqual(
      (await trail.list({ limit: 10 })).map((entry) => entry.subject),
      ['kept'],
    );
    // Killed once more after a first chunk.
    await database.db.deleteFrom('audit_entry').where('link', '=', 1).execute();
    await database.db.deleteFrom('audit_link').where('link', '=', 1).execute();
    await assertSound(trail);
    assert.equal(await trail.prune(noon + dayMs, noon + dayMs), 0);
    assert.equal((await database.db.selectFrom('audit_entry').select('link').execute()).length, 1);
    await assertSound(trail);
  });

  test('verifying while retention removes days raises no false alarm', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    for (let day = 0; day < 30; day += 1) await record(database, trail, event(`s${day}`, noon + day * dayMs));
    const now = noon + 30 * dayMs;
    await trail.closeDays(now);
    let pruning = true;
    const pruned = (async () => {
      for (let day = 1; day <= 30; day += 10) await trail.prune(noon + day * dayMs, now);
      pruning = false;
    })();
    while (pruning) assert.deepEqual((await trail.verify()).faults, []);
    await pruned;
    await assertSound(trail);
  });

  test('the retention worker closes, logs the heads that verification takes, and removes', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    for (let day = 0; day < 3; day += 1) await record(database, trail, event(`s${day}`, noon + day * dayMs));
    const lines: { fields: Record<string, unknown>; message: string }[] = [];
    const log = {
      info: (fields: Record<string, unknown>, message: string) => void lines.push({ fields, message }),
    };
    const stop = new AbortController();
    const clock = { now: () => noon + 2 * dayMs, monotonic: () => 0 };
    const worker = createAuditRetention(trail, clock, clock, dayMs, log as never, async () => stop.abort());
    await worker.run(stop.signal);
    assert.deepEqual(
      lines.map(({ message, fields }) => [message, fields.day ?? fields.days]),
      [
        ['audit day closed', '2026-01-10'],
        ['audit day closed', '2026-01-11'],
        ['audit days removed', 1],
      ],
    );
    for (const { fields } of lines.slice(0, 2)) {
      const [link, mac = ''] = String(fields.head).split(':');
      assert.deepEqual((await trail.verify({ link: Number(link), mac })).faults, []);
    }
  });

  test('the retention worker ends where it is asked to, however much is to be removed, and goes on the next time', async (t) => {
    const database = await open(t);
    const trail = createAuditTrail(database, key);
    for (let n = 0; n < 4; n += 1) {
      await record(database, trail, ...Array.from({ length: 200 }, (_, i) => event(`s${n}.${i}`)));
    }
    await record(database, trail, event('kept', noon + dayMs));
    await trail.closeDays(noon + dayMs);
    const stop = new AbortController();
    const stopping: Database = {
      ...database,
      async transaction(work) {
        const result = await database.transaction(work);
        stop.abort();
        return result;
      },
    };
    const clock = { now: () => noon + dayMs, monotonic: () => 0 };
    const log = { info: () => {} };
    const worker = createAuditRetention(createAuditTrail(stopping, key), clock, clock, dayMs / 4, log, async () =>
      stop.abort(),
    );
    await worker.run(stop.signal);
    const left = async () => (await database.db.selectFrom('audit_entry').select('link').execute()).length;
    assert.equal(await left(), 601);
    await assertSound(trail);
    assert.deepEqual(
      (await trail.list({ limit: 10 })).map((entry) => entry.subject),
      ['kept'],
    );
    assert.equal(await trail.prune(noon + dayMs, noon + dayMs), 0);
    assert.equal(await left(), 1);
    await assertSound(trail);
  });
});
