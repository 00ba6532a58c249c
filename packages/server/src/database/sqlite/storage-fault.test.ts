import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { storageFault } from './storage-fault.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: no`), { code, syscall: 'open' });
}

function sqliteError(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}

const sound = import.meta.filename;

test('what the system says is put into words, with a remedy', () => {
  const reasons = ['EROFS', 'ENOSPC', 'EACCES', 'EPERM', 'ENOTDIR', 'EIO'].map(
    (code) => storageFault(sound, systemError(code))?.reason,
  );
  assert.deepEqual(reasons, [
    'the disk is read-only (EROFS)',
    'the disk is full (ENOSPC)',
    'this account may not write there (EACCES)',
    'this account may not write there (EPERM)',
    'a part of its path is a file (ENOTDIR)',
    'EIO',
  ]);
});

test('a fault that SQLite does not explain is looked for at its place', () => {
  const cannotOpen = sqliteError('unable to open database file', 14);
  const below = join(sound, 'below');
  assert.match(storageFault(below, cannotOpen)?.reason ?? '', /^a part of its path is a file \(SQLite: unable to open/);
  assert.deepEqual(storageFault(sound, cannotOpen), {
    reason: 'SQLite: unable to open database file, 14',
    remedy: 'Is the folder there, is its disk sound, and may this account write there?',
  });
});

test('looking at the place of a file that is missing makes none', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-fault-'));
  context.after(() => rmSync(folder, { recursive: true }));
  storageFault(join(folder, 'waxwing.db'), sqliteError('unable to open database file', 14));
  assert.deepEqual(readdirSync(folder), []);
});

test('an error that is not about the file is left to others', () => {
  for (const error of [sqliteError('database is locked', 5), new RangeError('other'), 'text', undefined]) {
    assert.equal(storageFault(sound, error), undefined);
  }
});

const asRoot = ['unshare', '--user', '--map-root-user', '--mount'] as const;

/** A disk of one's own needs a system that lets this account mount one. */
function reasonToSkip(): string | false {
  const [program, ...flags] = asRoot;
  const tried = spawnSync(program, [...flags, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  return tried.status === 0 ? false : 'SKIPPED: this account may not mount a file system of its own';
}

/** Opens a database and takes a lock on a small disk, after a command that spoils the disk. */
async function refusalsOn(spoil: string): Promise<string[]> {
  const moduleUrl = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `
    import { openDatabase } from ${moduleUrl('../open-database.ts')};
    import { takeServeLock } from ${moduleUrl('./serve-lock.ts')};
    import { storageFault } from ${moduleUrl('./storage-fault.ts')};
    const [file, lock] = ['/mnt/waxwing.db', '/mnt/serve.lock'];
    await openDatabase({ kind: 'sqlite', file }).catch((error) => console.log(error.message));
    await takeServeLock(lock).catch((error) => console.log(storageFault(lock, error)?.reason));`;
  const command = `mount -t tmpfs -o size=64k tmpfs /mnt && ${spoil}; exec "$0" --input-type=module -e "$1"`;
  const [program, ...flags] = asRoot;
  const { stdout } = await promisify(execFile)(program, [...flags, 'sh', '-c', command, process.execPath, script]);
  return stdout.trim().split('\n');
}

test('a full disk and a read-only disk are called by their names', { skip: reasonToSkip() }, async () => {
  const [full = '', lockOnFull = ''] = await refusalsOn('head -c 100000 /dev/zero >/mnt/filler 2>/dev/null');
  assert.match(
    full,
    /^The database \/mnt\/waxwing\.db \(WAXWING_DATA\) cannot be used: the disk is full \(SQLite: .*Make room/,
  );
  assert.match(lockOnFull, /^the disk is full \(SQLite: /);
  const [readOnly = '', lockOnReadOnly = ''] = await refusalsOn('mount -o remount,ro /mnt');
  assert.match(readOnly, /^The database .* cannot be used: the disk is read-only \(EROFS\)\. Mount it writable/);
  assert.match(lockOnReadOnly, /^the disk is read-only \(SQLite: unable to open database file, 14\)/);
});
