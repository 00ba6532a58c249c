import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../open-database.ts';
import { createFairLock } from './fair-lock.ts';
import { createSqliteCheckpointer } from './sqlite-checkpointer.ts';
import type { Statement, StatementResult } from './sqlite-message.ts';

const mebibyte = 2 ** 20;

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-checkpoint-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A checkpointer of a WAL that is as long as one says; keeps what is asked of whom. */
function open(options: { readonly walBytes: number; readonly fail?: () => boolean }) {
  const state = { inLog: 5_000, moved: 0, asked: [] as string[], faults: [] as string[] };
  const thread = (name: string) => ({
    async send(_step: string, [statement]: readonly Statement[]): Promise<readonly StatementResult[]> {
      const mode = /\((\w+)\)/.exec(statement?.[0] ?? '')?.[1];
      state.asked.push(`${name} ${mode}`);
      if (options.fail?.() === true) throw new Error('database or disk is full');
      if (mode === 'passive') state.moved = state.inLog;
      return [[1, ['busy', 'log', 'checkpointed'], [[0, state.inLog, state.moved]]]];
    },
    close: async () => void state.asked.push(`${name} close`),
  });
  const writing = createFairLock({ maxWaitMs: 1_000, maxWaiting: 10 });
  const checkpointer = createSqliteCheckpointer({
    walBytes: async () => options.walBytes,
    writing,
    writer: thread('writer'),
    startThread: async () => thread('aside'),
    onFault: (error) => state.faults.push(error.message),
  });
  const write = async (transactions: number) => {
    for (let count = 0; count < transactions; count += 1) checkpointer.written();
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  };
  return { checkpointer, state, writing, write };
}

test('a full WAL is moved by a thread of its own, and what was committed meanwhile by the writer', async () => {
  const { checkpointer, state, write } = open({ walBytes: 20 * mebibyte });
  await write(63);
  assert.deepEqual(state.asked, []);
  await write(1);
  assert.deepEqual(state.asked, ['aside noop', 'aside passive', 'aside passive', 'writer passive']);
  await write(64);
  assert.deepEqual(state.asked.slice(4), ['aside noop'], 'nothing is left to be moved');
  await checkpointer.close();
  assert.deepEqual(state.asked.slice(5), ['aside close']);
});

test('no thread is started for a WAL that is short', async () => {
  const { checkpointer, state, write } = open({ walBytes: mebibyte });
  await write(1_000);
  await checkpointer.close();
  assert.deepEqual(state.asked, []);
});

test('the writer waits for the transaction that is open', async () => {
  const { checkpointer, state, writing, write } = open({ walBytes: 20 * mebibyte });
  const release = await writing.acquire();
  await write(64);
  assert.deepEqual(state.asked, ['aside noop', 'aside passive', 'aside passive']);
  release();
  await checkpointer.close();
  assert.deepEqual(state.asked.slice(3), ['writer passive', 'aside close']);
});

test('a disk that is full is told of once, and tried again much later', async () => {
  let isFull = true;
  const { checkpointer, state, write } = open({ walBytes: 20 * mebibyte, fail: () => isFull });
  await write(64);
  await write(99_999);
  assert.deepEqual(state.faults, ['database or disk is full']);
  isFull = false;
  await write(1);
  assert.equal(state.asked.at(-1), 'writer passive');
  await checkpointer.close();
});

test('a WAL that is written without a pause begins anew before the writer has to move it', async (t) => {
  const file = join(temporaryFolder(t), 'waxwing.db');
  const faults: Error[] = [];
  const database = await openDatabase({ kind: 'sqlite', file }, { log: (_message, error) => faults.push(error) });
  const looker = new DatabaseSync(file);
  try {
    await sql`create table item (id integer primary key, bytes blob)`.execute(database.db);
    const row = randomBytes(40_000);
    const length = () => Number((looker.prepare('pragma wal_checkpoint(noop)').get() as { log: number }).log);
    let before = length();
    let rows = 0;
    // So many that SQLite's own checkpoint, at 16,000 pages, would come first.
    for (; rows < 1_800; rows += 1) {
      await sql`insert into item (bytes) values (${row})`.execute(database.db);
      const now = length();
      if (now < before) break;
      before = now;
    }
    assert.ok(before >= 4_000 && before < 16_000, `the WAL began anew at ${before} pages`);
    assert.ok(rows < 1_800);
    const count = sql<{ count: number }>`select count(*) as count from item where length(bytes) = 40000`;
    assert.equal((await count.execute(database.db)).rows[0]?.count, rows + 1);
  } finally {
    looker.close();
    await database.close();
  }
  assert.throws(() => statSync(`${file}-wal`), { code: 'ENOENT' });
  assert.deepEqual(faults, []);
});
