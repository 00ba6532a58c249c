import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../open-database.ts';
import { movedOrphansOf, moveOrphansAside, orphansOf } from './orphaned-log.ts';

const now = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const time = '2026-01-02T030405.006Z';

function fileIn(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-orphans-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'a.db');
}

/** A database as a killed server leaves it, whose log holds what was committed; and the same without the log. */
function killed(file: string): { readonly database: Buffer; readonly wal: Buffer } {
  const connection = new DatabaseSync(file);
  connection.exec('pragma journal_mode = wal; create table t (n integer); insert into t values (7)');
  const left = { database: readFileSync(file), wal: readFileSync(`${file}-wal`) };
  connection.close();
  rmSync(file);
  return left;
}

test('a log is an orphan where its database is gone or empty, and where a backup lies in its place', (context) => {
  const file = fileIn(context);
  const { database, wal } = killed(file);
  writeFileSync(`${file}-wal`, wal);
  writeFileSync(`${file}-shm`, '');
  const both = [`${file}-wal`, `${file}-shm`];
  assert.deepEqual(orphansOf(file), both);
  writeFileSync(file, '');
  assert.deepEqual(orphansOf(file), both);
  writeFileSync(file, database);
  assert.deepEqual(orphansOf(file), [], 'its own');
  writeFileSync(file, 'something else that is at least as long');
  assert.deepEqual(orphansOf(file), [], 'of what is damaged nothing is known');
  rmSync(file);
  const backup = new DatabaseSync(file);
  rmSync(`${file}-wal`);
  backup.exec('create table t (n integer)');
  backup.close();
  writeFileSync(`${file}-wal`, wal);
  assert.deepEqual(orphansOf(file), both);
});

test('an empty log is nothing, and where there is none nothing is moved', (context) => {
  const file = fileIn(context);
  writeFileSync(`${file}-wal`, '');
  assert.deepEqual([orphansOf(file), moveOrphansAside(file, now), movedOrphansOf(file)], [[], [], []]);
  assert.deepEqual(orphansOf(join(file, 'nowhere')), []);
  assert.deepEqual(movedOrphansOf(join(file, 'nowhere', 'a.db')), []);
});

test('orphans get names with the time, and overwrite none that were moved before', (context) => {
  const file = fileIn(context);
  for (const content of ['first', 'second']) {
    writeFileSync(`${file}-wal`, content);
    writeFileSync(`${file}-journal`, content);
    moveOrphansAside(file, now);
  }
  assert.deepEqual(
    movedOrphansOf(file).map((path) => [path.slice(file.length), readFileSync(path, 'utf8')]),
    [
      [`-journal.${time}`, 'first'],
      ['-journal.2026-01-02T030405.007Z', 'second'],
      [`-wal.${time}`, 'first'],
      ['-wal.2026-01-02T030405.007Z', 'second'],
    ],
  );
  assert.deepEqual(orphansOf(file), []);
});

test('a database made in the place of one that is gone leaves its log whole, and tells of it', async (context) => {
  const file = fileIn(context);
  const { database, wal } = killed(file);
  writeFileSync(`${file}-wal`, wal);
  const told: string[] = [];
  const made = await openDatabase({ kind: 'sqlite', file }, { onMovedAside: (files) => told.push(...files) });
  await made.close();
  assert.deepEqual(told, movedOrphansOf(file));
  assert.equal(told.length, 1);
  const moved = told[0] ?? '';
  assert.deepEqual(readFileSync(moved), wal);
  // Put together again it is the database that was lost.
  writeFileSync(file, database);
  writeFileSync(`${file}-wal`, readFileSync(moved));
  const rescued = new DatabaseSync(file);
  assert.equal(rescued.prepare('select n from t').get()?.n, 7);
  rescued.close();
  assert.ok(existsSync(moved), readdirSync(join(file, '..')).join());
});
