import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerField } from './answer-field.ts';
import { runCommandLine } from './command-line.ts';
import { fakeTerminal, temporaryFolder } from './terminal.testing.ts';

const cases: readonly [answer: object, field: string, text: string][] = [
  [{ id: 'a', name: 'b' }, 'name', 'b\n'],
  [[{ id: 'a' }, { id: 'b' }], 'id', 'a\nb\n'],
  [[], 'id', ''],
  [{ expires_at: null }, 'expires_at', '\n'],
  [{ enabled: false, count: 0 }, 'enabled', 'false\n'],
  [{ domains: ['a', 'b'] }, 'domains', '["a","b"]\n'],
  [{ name: 'a\u001b[2Jb\nc' }, 'name', 'a\uFFFD[2Jb\uFFFDc\n'],
];
for (const [answer, field, text] of cases) {
  test(`${field} of ${JSON.stringify(answer)} is ${JSON.stringify(text)}`, () => {
    assert.equal(answerField(answer, [field]), text);
  });
}

test('a field that is not there is an error that names those that are', () => {
  assert.throws(
    () => answerField({ id: 'a', name: 'b' }, ['toString']),
    /It was done.* no "toString"; it has: id, name\./,
  );
});

test('a script reads one value by --field, and ids by -q', async (context) => {
  const folder = temporaryFolder(context);
  const umask = process.umask();
  context.after(() => process.umask(umask));
  const run = async (...argv: string[]) => {
    const terminal = fakeTerminal(folder);
    const code = await runCommandLine(argv, terminal);
    return [code, terminal.written.out];
  };
  await run('migrate');
  const [, id] = await run('organization', 'create', '--name', 'Shop', '-q');
  assert.match(String(id), /^[0-9a-f-]{36}\n$/);
  assert.deepEqual(await run('organization', 'list', '--field', 'name'), [0, 'Shop\n']);
  assert.deepEqual(await run('-q', 'organization', 'list'), [0, id]);
  assert.deepEqual(await run('certificate', 'list', '-q'), [0, '']);
});

test('an id is printed by the name that the answer has for it', () => {
  assert.equal(answerField({ batch_id: 'b' }, ['id', 'batch_id']), 'b\n');
  assert.equal(answerField({ batch_id: 'b', id: 'a' }, ['id', 'batch_id']), 'a\n');
  assert.throws(() => answerField({ name: 'c' }, ['id', 'batch_id']), /no "id" or "batch_id"; it has: name\./);
});

test('an answer without the field is printed whole, so that a token in it is not lost', async (context) => {
  const folder = temporaryFolder(context);
  const umask = process.umask();
  context.after(() => process.umask(umask));
  const run = async (...argv: string[]) => {
    const terminal = fakeTerminal(folder);
    return { code: await runCommandLine(argv, terminal), ...terminal.written };
  };
  await run('migrate');
  const key = ['management-key', 'create', '--name', 'robot', '--role', 'operator', '--allow', '192.0.2.1'];
  const { code, out, err } = await run(...key, '--field', 'tokn');
  assert.equal(code, 1);
  assert.match(JSON.parse(out).token, /^wxa_/);
  assert.match(err, /^error: It was done, but the answer has no "tokn"; it has: .*token/);
});

test('the version is a command as well, wherever a server is', async (context) => {
  const version = async (...argv: string[]) => {
    const terminal = fakeTerminal(temporaryFolder(context), '', { WAXWING_SERVER: 'https://waxwing.example.com' });
    assert.equal(await runCommandLine(argv, terminal), 0, terminal.written.err);
    return terminal.written.out;
  };
  assert.match(await version('version'), /^\d+\.\d+\.\d+\S*\n$/);
  assert.equal(await version('version', '--field', 'version'), await version('--version'));
});
