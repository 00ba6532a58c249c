import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Problem } from '../runtime/problem.ts';
import { makeFolder, readFiles, writePrivateFiles } from './person-files.ts';
import { temporaryFolder } from './terminal.testing.ts';

test('all files that cannot be read are named at once', (context) => {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'good.crt'), 'good');
  const paths = [join(folder, 'good.crt'), join(folder, 'missing.crt'), folder];
  assert.throws(
    () => readFiles('certificate', paths, 100_000),
    (error) => {
      assert.ok(error instanceof Problem);
      assert.deepEqual(
        error.faults.map(({ field }) => field),
        paths.slice(1),
      );
      return true;
    },
  );
});

test('files are read up to the limit for all together', (context) => {
  const folder = temporaryFolder(context);
  const paths = ['a.crt', 'b.key'].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, '12345');
  assert.deepEqual(
    readFiles('certificate', paths, 10).map(({ name, bytes }) => [name, bytes.toString()]),
    [
      ['a.crt', '12345'],
      ['b.key', '12345'],
    ],
  );
  assert.throws(
    () => readFiles('certificate', paths, 9),
    (error) => {
      return error instanceof Problem && /10 bytes .*WAXWING_IMPORT_LIMIT/.test(error.faults[0]?.message ?? '');
    },
  );
});

test('exported files and their folder are for their owner alone', (context) => {
  const folder = join(temporaryFolder(context), 'new', 'deep');
  makeFolder('out', folder);
  const paths = writePrivateFiles(folder, [{ name: 'a.key', bytes: Buffer.from('key') }]);
  assert.deepEqual(paths, [join(folder, 'a.key')]);
  assert.equal(statSync(join(folder, 'a.key')).mode & 0o777, 0o600);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(readFileSync(join(folder, 'a.key'), 'utf8'), 'key');
});

test('a folder that cannot be made is named with its setting, the reason and a remedy', (context) => {
  const file = join(temporaryFolder(context), 'file');
  writeFileSync(file, '');
  const folder = join(file, 'new');
  assert.throws(() => makeFolder('WAXWING_DATA', folder), {
    code: 'invalid_parameter',
    field: 'WAXWING_DATA',
    message: `The folder ${folder} cannot be made (WAXWING_DATA): a part of its path is a file (EEXIST). Choose another folder.`,
  });
});

test('nothing is overwritten, and nothing half written stays', (context) => {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'b.key'), 'old');
  const files = ['a.crt', 'b.key'].map((name) => ({ name, bytes: Buffer.from('new') }));
  assert.throws(() => writePrivateFiles(folder, files), /b\.key exists already; it was left as it is/);
  assert.deepEqual(readdirSync(folder), ['b.key']);
  assert.equal(readFileSync(join(folder, 'b.key'), 'utf8'), 'old');
});

test('a name can not lead out of the folder', (context) => {
  const folder = temporaryFolder(context);
  makeFolder('out', join(folder, 'in'));
  const files = [{ name: '../out.key', bytes: Buffer.from('key') }];
  assert.deepEqual(writePrivateFiles(join(folder, 'in'), files), [join(folder, 'in', 'out.key')]);
});
