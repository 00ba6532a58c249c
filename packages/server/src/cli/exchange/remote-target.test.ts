import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { issueToken } from '../../secrets/token.ts';
import { parseCommandLine } from '../arguments.ts';
import { type CommandForm, Usage } from '../command.ts';
import { runCommandLine } from '../command-line.ts';
import { startServe } from '../program.testing.ts';
import { type FakeTerminal, fakeTerminal, temporaryFolder } from '../terminal.testing.ts';
import { namesServer, remoteTarget } from './remote-target.ts';

const form: CommandForm = {
  name: 'thing show',
  summary: '',
  options: { 'password-stdin': { type: 'boolean', help: '' } },
};
const token = issueToken('management').clear.reveal();

function argsOf(...words: string[]) {
  const line = parseCommandLine(['thing', 'show', ...words], [form]);
  assert.ok(line.kind === 'command');
  return line.args;
}

function targetOf(terminal: FakeTerminal, words: readonly string[], allowsPlainHttp = false) {
  const { environment } = terminal;
  return remoteTarget({ args: argsOf(...words), terminal, environment, allowsPlainHttp });
}

const usage = (message: RegExp) => (error: unknown) => error instanceof Usage && message.test(error.message);

test('the server and its key come from options, else from the environment', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'key'), `${token}\n`, { mode: 0o600 });
  const environment = { WAXWING_SERVER: 'https://one.example.com/', WAXWING_TOKEN_FILE: 'key', WAXWING_CA_FILE: ' ' };
  const terminal = fakeTerminal(folder, '', environment);
  const one = await targetOf(terminal, []);
  assert.deepEqual([one.url, one.token.reveal(), one.ca], ['https://one.example.com', token, undefined]);
  assert.equal(
    (await targetOf(terminal, ['--server', 'https://two.example.com:8443'])).url,
    'https://two.example.com:8443',
  );
  assert.equal(namesServer({ args: argsOf(), environment }), true);
  assert.equal(namesServer({ args: argsOf(), environment: { WAXWING_SERVER: '' } }), false);
  assert.equal(terminal.written.err, '');
});

test('a key comes from stdin, unless that holds another secret', async (t) => {
  const given = ['--server', 'https://localhost', '--token-file', '-'];
  const terminal = fakeTerminal(temporaryFolder(t), `${token}\n`);
  assert.equal((await targetOf(terminal, given)).token.reveal(), token);
  await assert.rejects(targetOf(terminal, [...given, '--password-stdin']), usage(/not both/));
});

test('a key goes over plain http to this machine alone, unless that is allowed', async (t) => {
  const given = (server: string) => ['--server', server, '--token-file', '-'];
  const terminal = () => fakeTerminal(temporaryFolder(t), `${token}\n`);
  for (const near of ['http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:1']) {
    assert.equal((await targetOf(terminal(), given(near))).url, near);
  }
  for (const far of ['http://waxwing.example.com', 'http://localhost.example.com', 'http://10.0.0.1']) {
    await assert.rejects(targetOf(terminal(), given(far)), usage(/must be an https address/));
  }
  assert.equal((await targetOf(terminal(), given('http://10.0.0.1'), true)).url, 'http://10.0.0.1');
});

for (const address of ['waxwing.example.com', 'ftp://x', 'https://x/api', 'https://x?y', 'https://user:secret@x']) {
  test(`${address} is no address of a server`, async (t) => {
    const terminal = fakeTerminal(temporaryFolder(t), `${token}\n`);
    const refused = targetOf(terminal, ['--server', address, '--token-file', '-']);
    await assert.rejects(refused, usage(/^--server must be an address such as [^@]*$/));
  });
}

test('what is missing or no key is named, and never shown', async (t) => {
  const folder = temporaryFolder(t);
  const terminal = fakeTerminal(folder);
  const server = ['--server', 'https://localhost'];
  await assert.rejects(targetOf(terminal, server), usage(/Say where the management key is/));
  await assert.rejects(
    targetOf(terminal, [...server, '--token-file', 'none']),
    usage(/none cannot be read \(ENOENT\)/),
  );
  const others = issueToken('messaging').clear.reveal();
  writeFileSync(join(folder, 'wrong'), others, { mode: 0o600 });
  await assert.rejects(targetOf(terminal, [...server, '--token-file', 'wrong']), (error: Error) => {
    assert.match(error.message, /holds no management key/);
    return !error.message.includes(others);
  });
});

for (const [words, message] of [
  [['serve', '--server', 'https://x'], /"serve" needs the machine itself/],
  [['backup', '--out', 'x', '--server', 'https://x'], /"backup" needs the machine itself/],
  [['organization', 'list', '--token-file', 'x'], /--token-file goes with --server alone/],
] as const) {
  test(`"${words.join(' ')}" is wrong usage`, async (t) => {
    const terminal = fakeTerminal(temporaryFolder(t));
    assert.equal(await runCommandLine(words, terminal), 2);
    assert.match(terminal.written.err, message);
  });
}

for (const words of [['doctor'], ['config'], ['migrate'], ['backup', '--out', 'x']]) {
  test(`"${words.join(' ')}" is not done here when WAXWING_SERVER names a server, also by --env-file`, async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'file'), 'WAXWING_SERVER=https://x');
    const named = fakeTerminal(folder, '', { WAXWING_SERVER: 'https://x' });
    const filed = fakeTerminal(folder);
    const codes = [
      await runCommandLine(words, named),
      await runCommandLine([...words, '--env-file', join(folder, 'file')], filed),
    ];
    assert.deepEqual(codes, [2, 2]);
    for (const { written } of [named, filed]) assert.match(written.err, /without --server and WAXWING_SERVER/);
    assert.deepEqual(readdirSync(folder), ['file']);
  });
}

test('a server starts where WAXWING_SERVER names another', async (t) => {
  const server = await startServe(t, temporaryFolder(t), { WAXWING_SERVER: 'https://waxwing.example.com' });
  assert.equal((await fetch(new URL('/readyz', server.url))).status, 200);
});
