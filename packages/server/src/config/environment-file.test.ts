import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withEnvironmentFile } from './environment-file.ts';

test('the real environment wins over the file, unless it is empty there', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-env-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'waxwing.env');
  writeFileSync(path, 'WAXWING_LISTEN=127.0.0.1:1\nWAXWING_DATA="from file"\nWAXWING_TIME_ZONE=Asia/Shanghai\n');

  const read = withEnvironmentFile({ WAXWING_LISTEN: '127.0.0.1:2', WAXWING_DATA: '' }, path);

  assert.ok(read.ok);
  assert.deepEqual(
    { ...read.environment },
    { WAXWING_LISTEN: '127.0.0.1:2', WAXWING_DATA: 'from file', WAXWING_TIME_ZONE: 'Asia/Shanghai' },
  );
});

test('a file that is not there is a problem, not an empty file', () => {
  const read = withEnvironmentFile({}, '/nowhere/waxwing.env');
  assert.deepEqual(read, {
    ok: false,
    problems: [{ name: '--env-file', message: 'cannot read /nowhere/waxwing.env (ENOENT)' }],
  });
});
