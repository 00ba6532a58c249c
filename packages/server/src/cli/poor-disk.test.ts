import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { type Ended, runProgram, startServe } from './program.testing.ts';
import { smallDisk, withoutSmallDisks } from './small-disk.testing.ts';
import { temporaryFolder } from './terminal.testing.ts';

const skip = withoutSmallDisks;
const anyPort = { WAXWING_LISTEN: '127.0.0.1:0' };

async function serveOn(context: TestContext, data: string): Promise<Ended> {
  return runProgram(temporaryFolder(context), ['serve'], { ...anyPort, WAXWING_DATA: data });
}

async function makeInstance(context: TestContext, data: string): Promise<void> {
  const server = await startServe(context, temporaryFolder(context), { WAXWING_DATA: data });
  server.signal('SIGTERM');
  assert.equal((await server.ended).code, 0);
}

/** One line that names the place, the cause and a remedy, and nothing of how we are made. */
function assertRefused({ code, out, err }: Ended, place: string, ...words: readonly RegExp[]): void {
  assert.deepEqual([code, out], [1, ''], err);
  assert.match(err, /^error: [^\n]*\n$/);
  assert.ok(err.includes(place), err);
  for (const word of words) assert.match(err, word);
}

test('an instance on a disk that became read-only is refused with place, cause and remedy', {
  skip,
}, async (context) => {
  const disk = smallDisk(context, 4096);
  const data = join(disk.folder, 'data');
  await makeInstance(context, data);
  disk.makeReadOnly();
  assertRefused(await serveOn(context, data), data, /read-only/, /WAXWING_DATA/);
  const environment = { WAXWING_DATA: data };
  const migrated = await runProgram(temporaryFolder(context), ['migrate'], environment);
  assertRefused(migrated, data, /read-only/, /WAXWING_DATA/);
});

test('a new instance on a read-only disk is refused with place and cause', { skip }, async (context) => {
  const disk = smallDisk(context, 4096);
  disk.makeReadOnly();
  const data = join(disk.folder, 'data');
  assertRefused(await serveOn(context, data), data, /read-only|EROFS/);
});

test('a new instance on a full disk is refused with place and cause', { skip }, async (context) => {
  const disk = smallDisk(context, 4096);
  disk.fill();
  const data = join(disk.folder, 'data');
  assertRefused(await serveOn(context, data), data, /full|ENOSPC/);
});

test('a disk that is too small for the database is refused, and with room the same folder serves', {
  skip,
}, async (context) => {
  const disk = smallDisk(context, 100);
  const data = join(disk.folder, 'data');
  assertRefused(await serveOn(context, data), data, /full/, /WAXWING_DATA/);
  disk.grow(4096);
  await makeInstance(context, data);
  assert.ok(existsSync(join(data, 'master.key')));
});

test('an instance on a full disk starts anew when there is room again', { skip }, async (context) => {
  const disk = smallDisk(context, 4096);
  const data = join(disk.folder, 'data');
  await makeInstance(context, data);
  disk.fill();
  assertRefused(await serveOn(context, data), data, /full|ENOSPC/);
  disk.grow(8192);
  await makeInstance(context, data);
});

test('a server on a full disk is not ready until there is room again', { skip }, async (context) => {
  const disk = smallDisk(context, 4096);
  const environment = { WAXWING_DATA: join(disk.folder, 'data'), WAXWING_MODULES: 'messaging' };
  const server = await startServe(context, temporaryFolder(context), environment);
  const readiness = async () => (await fetch(new URL('/readyz', server.url))).status;
  assert.equal(await readiness(), 200);
  disk.fill();
  await server.logged('the database cannot be written');
  assert.equal(await readiness(), 503);
  disk.grow(8192);
  await server.logged('the database can be written again');
  assert.equal(await readiness(), 200);
});

test('a server that was killed comes up again on a full disk, and records again when there is room', {
  skip,
}, async (context) => {
  const disk = smallDisk(context, 4096);
  const folder = temporaryFolder(context);
  const environment = { WAXWING_DATA: join(disk.folder, 'data') };
  const create = (name: string) => runProgram(folder, ['organization', 'create', '--name', name], environment);
  const killed = await startServe(context, folder, environment);
  assert.equal((await create('One')).code, 0);
  killed.signal('SIGKILL');
  await killed.ended;
  disk.fill();
  await startServe(context, folder, environment);
  assert.equal((await create('Two')).code, 1);
  disk.grow(8192);
  assert.equal((await create('Three')).code, 0);
});

test('a server on a full disk is backed up to another one, and its log tells who asked for it', {
  skip,
}, async (context) => {
  const disk = smallDisk(context, 4096);
  const folder = temporaryFolder(context);
  const environment = { WAXWING_DATA: join(disk.folder, 'data') };
  const server = await startServe(context, folder, environment);
  assert.equal((await runProgram(folder, ['organization', 'create', '--name', 'One'], environment)).code, 0);
  disk.fill();
  const { code, out, err } = await runProgram(folder, ['backup', '--out', 'copy.db'], environment);
  assert.equal(code, 0, err);
  assert.match(out, /The audit trail could not be written and does not tell of this backup; the log does\./);
  const copy = new DatabaseSync(join(folder, 'copy.db'), { readOnly: true });
  context.after(() => copy.close());
  assert.equal(copy.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
  assert.equal(copy.prepare('select name from organization').get()?.name, 'One');
  server.signal('SIGTERM');
  const { log } = await server.ended;
  const told = log.split('\n').find((line) => line.includes('the audit trail does not tell of')) ?? '';
  assert.match(told, /"actor":"cli:.*"file":"[^"]*copy\.db"/);
});

test('a rotation whose key file lies on a full or read-only disk says so, and is done when that is mended', {
  skip,
}, async (context) => {
  const disk = smallDisk(context, 64);
  const folder = temporaryFolder(context);
  const environment = { WAXWING_MASTER_KEY_FILE: join(disk.folder, 'keys', 'master.key') };
  const rotate = () => runProgram(folder, ['master-key', 'rotate'], environment);
  assert.equal((await runProgram(folder, ['migrate'], environment)).code, 0);
  assert.equal((await runProgram(folder, ['organization', 'create', '--name', 'One'], environment)).code, 0);
  const before = readFileSync(environment.WAXWING_MASTER_KEY_FILE);
  disk.fill();
  const key = environment.WAXWING_MASTER_KEY_FILE;
  assertRefused(await rotate(), key, /the disk is full \(ENOSPC\)/, /run the command again/);
  disk.grow(128);
  disk.makeReadOnly();
  assertRefused(await rotate(), key, /the disk is read-only \(EROFS\)/, /run the command again/);
  assert.deepEqual(readFileSync(key), before);
  disk.makeWritable();
  assert.equal((await rotate()).code, 0);
});

test('a PostgreSQL that does not answer is refused by the name of its setting, without its password', async (context) => {
  const environment = { ...anyPort, WAXWING_DATABASE_URL: 'postgres://waxwing:sesame@127.0.0.1:1/waxwing' };
  for (const command of ['serve', 'migrate']) {
    const ended = await runProgram(temporaryFolder(context), [command], environment);
    assertRefused(ended, 'WAXWING_DATABASE_URL', /ECONNREFUSED/, /See that it runs/);
    assert.doesNotMatch(ended.err, /sesame/);
  }
});
