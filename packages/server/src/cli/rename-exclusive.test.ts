import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { renameExclusive } from './rename-exclusive.ts';
import { temporaryFolder } from './terminal.testing.ts';

function refusing(code: string): () => Promise<never> {
  return async () => {
    throw Object.assign(new Error(`${code}: no`), { code, syscall: 'link' });
  };
}

function wholeFile(context: TestContext) {
  const folder = temporaryFolder(context);
  const [whole, file] = [join(folder, 'copy.db.partial'), join(folder, 'copy.db')];
  writeFileSync(whole, 'whole');
  return { folder, whole, file };
}

test('a file gets its name also where there are no hard links, whatever the file system calls that', async (context) => {
  for (const code of ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']) {
    const { whole, file } = wholeFile(context);
    await renameExclusive(whole, file, refusing(code));
    assert.equal(readFileSync(file, 'utf8'), 'whole');
  }
});

test('what has the name is never replaced, with hard links or without', async (context) => {
  const { whole, file } = wholeFile(context);
  writeFileSync(file, 'precious');
  await assert.rejects(renameExclusive(whole, file), { code: 'EEXIST' });
  await assert.rejects(renameExclusive(whole, file, refusing('EPERM')), { code: 'EEXIST' });
  assert.equal(readFileSync(file, 'utf8'), 'precious');
});

test('a name that could not be given is left free', async (context) => {
  const { folder, whole, file } = wholeFile(context);
  await assert.rejects(renameExclusive(whole, file, refusing('EIO')), { code: 'EIO' });
  rmSync(whole);
  await assert.rejects(renameExclusive(whole, file, refusing('EPERM')), { code: 'ENOENT' });
  assert.deepEqual(readdirSync(folder), []);
});
