import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabaseFileWatch, rememberFile } from './database-file.ts';

test('a file is in its place until its path names none, or another one', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-file-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const [file, former] = [join(folder, 'a'), join(folder, 'b')];
  writeFileSync(file, 'one');
  const isInPlace = await rememberFile(file);
  writeFileSync(file, 'changed');
  assert.equal(await isInPlace(), true);
  renameSync(file, former);
  assert.equal(await isInPlace(), false);
  copyFileSync(former, file);
  assert.equal(await isInPlace(), false);
  renameSync(former, file);
  assert.equal(await isInPlace(), true);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  assert.equal(await isInPlace(), false);
});

test('so is one whose -wal is the one that was there first', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-file-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a');
  writeFileSync(file, 'one');
  const isInPlace = await rememberFile(file);
  assert.equal(await isInPlace(), true, 'before anything is written there is none');
  writeFileSync(`${file}-wal`, 'pages');
  assert.equal(await isInPlace(), true);
  renameSync(`${file}-wal`, join(folder, 'b'));
  assert.equal(await isInPlace(), false);
  writeFileSync(`${file}-wal`, 'others');
  assert.equal(await isInPlace(), false);
});

test('each change is logged once', async () => {
  const looks = [true, false, false, true, true, false];
  const stopping = new AbortController();
  const lines: string[] = [];
  const log = {
    info: (_: unknown, message?: string) => lines.push(`info ${message}`),
    error: (_: unknown, message?: string) => lines.push(`error ${message?.slice(0, 25)}`),
  };
  const wait = async () => {
    if (looks.length === 0) stopping.abort();
  };
  const isInPlace = async () => looks.shift() === true;
  await createDatabaseFileWatch({ isInPlace }, '/data/waxwing.db', log, wait).run(stopping.signal);
  assert.deepEqual(lines, [
    'error The database file /data/w',
    'info the database file is in its place again',
    'error The database file /data/w',
  ]);
});
