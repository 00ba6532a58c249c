import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { withEnvironmentFile } from './environment-file.ts';

function fileOf(context: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-env-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'waxwing.env');
  writeFileSync(path, text);
  return path;
}

test('the real environment wins over the file, unless it is empty there', (context) => {
  const text = 'WAXWING_LISTEN=127.0.0.1:1\nWAXWING_DATA="from file"\nWAXWING_TIME_ZONE=Asia/Shanghai\n';
  const path = fileOf(context, text);

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

const files: readonly [what: string, text: string, variables: Record<string, string>, unread?: string][] = [
  ['spaces and comments', '# c\n\n  A = 1 # c\n\t#\nB=#\n', { A: '1', B: '' }],
  ['no newline at the end', 'A=1', { A: '1' }],
  ['lines that end as on Windows', 'A=1\r\n\r\nB="x\r\ny"\r\n', { A: '1', B: 'x\ny' }],
  ['export', 'export A=1\nexport\tB=2\nexport=3\n', { A: '1', B: '2', export: '3' }],
  ['quotes over several lines', 'A="x\n=y" # c\nB=`\'"`\nC=\'#\n\'\n', { A: 'x\n=y', B: '\'"', C: '#\n' }],
  ['a quote within a value', `A=it"s\nB=x 'y\n`, { A: 'it"s', B: "x 'y" }],
  ['a byte order mark', '\uFEFFA=1\nB=2\n', { A: '1', B: '2' }],
  ['nothing but a space behind a name', 'A= \nB=2\n', { A: '', B: '2' }],
  ['what is no entry', 'A 1\nB: 2\n\nC=3\n=4\nD E=5\nF', { C: '3' }, '1, 2, 5, 6, 7'],
  ['lines after a value of several', 'A="x\ny"\nB\n', { A: 'x\ny' }, '3'],
  ['a quote that does not end', 'A=1\nB="x\nC=3\n', { A: '1', C: '3' }, '2'],
  ['a quote that ends too early', `A='it's'\nB="x\nC="3"\nD=4\n`, { C: '3', D: '4' }, '1, 2'],
];
for (const [what, text, variables, unread] of files) {
  test(`a file with ${what} is read, or its lines are named`, (context) => {
    const path = fileOf(context, text);
    const read = withEnvironmentFile({}, path);
    assert.ok(read.ok);
    assert.deepEqual({ ...read.environment }, variables);
    const message = `${path} has lines that are not NAME=value, or whose quotes are not in order: ${unread}`;
    assert.deepEqual(read.problems, unread === undefined ? [] : [{ name: '--env-file', message }]);
  });
}
