import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommandLine } from '../command-line.ts';
import { commands } from '../command-table.ts';
import { fakeTerminal, temporaryFolder } from '../terminal.testing.ts';
import { completions } from './completion-command.ts';

async function scriptFor(shell: string): Promise<string> {
  const terminal = fakeTerminal('/');
  assert.equal(await runCommandLine(['completion', shell], terminal), 0, terminal.written.err);
  return terminal.written.out;
}

const hasShell = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;
const without = (shell: string) => !hasShell(shell) && `there is no ${shell}`;

test('bash completes commands, options, known values and files', { skip: without('bash') }, async (t) => {
  const script = await scriptFor('bash');
  const folder = temporaryFolder(t);
  /** What bash offers behind the line. */
  const offered = (line: string): string[] => {
    const words = line.split(' ');
    const program = `${script}
      cd '${folder}' && touch leaf.crt leaf.key
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1}
      compopt() { :; }
      _waxwing && printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', program], { encoding: 'utf8' });
    assert.equal(stderr, '', line);
    return stdout.split('\n').filter((each) => each !== '');
  };
  assert.deepEqual(offered('waxwing cert'), ['certificate']);
  assert.deepEqual(offered('waxwing certificate rev'), ['revoke']);
  assert.deepEqual(offered('waxwing --json certificate re'), ['rename', 'revoke', 'request', 'renew', 'request-again']);
  assert.deepEqual(offered('waxwing push-setting set --ki'), ['--kind']);
  assert.deepEqual(offered('waxwing push-setting set --kind '), ['status', 'uplink']);
  assert.deepEqual(offered('waxwing push-setting set --kind status --enab'), ['--enable']);
  assert.deepEqual(offered('waxwing certificate import --key leaf.k'), ['leaf.key']);
  assert.deepEqual(offered('waxwing deployment show web --f'), ['--field']);
  assert.deepEqual(offered('waxwing help certif'), ['certificate']);
  assert.deepEqual(offered('waxwing organization sus'), [], 'a former name is not offered');
  const groups = new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''));
  assert.deepEqual(new Set(offered('waxwing ')), new Set([...groups, 'help']));
});

for (const shell of ['zsh', 'fish']) {
  test(`${shell} reads its script`, { skip: without(shell) }, async (t) => {
    const file = join(temporaryFolder(t), 'script');
    writeFileSync(file, await scriptFor(shell));
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });
}

test('fish completes commands, options and known values', { skip: without('fish') }, async (t) => {
  const file = join(temporaryFolder(t), 'script');
  writeFileSync(file, await scriptFor('fish'));
  const offered = (line: string): string[] => {
    const { stdout, stderr } = spawnSync('fish', ['-N', '-c', `source ${file}; complete -C '${line}'`], {
      encoding: 'utf8',
    });
    assert.equal(stderr, '', line);
    return stdout.split('\n').filter((each) => each !== '');
  };
  assert.deepEqual(offered('waxwing cert'), ['certificate']);
  assert.deepEqual(offered('waxwing --json certificate re'), ['rename', 'renew', 'request', 'request-again', 'revoke']);
  assert.deepEqual(offered('waxwing push-setting set --ki'), ['--kind']);
  assert.deepEqual(offered('waxwing push-setting set --kind '), ['status', 'uplink']);
  assert.deepEqual(offered('waxwing certificate list --organization '), [], 'nothing is known of its values');
});

test('every script knows every command and every option, and no other shell is taken', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = await scriptFor(shell);
    for (const { name, options = {} } of commands) {
      assert.ok(script.includes(name), `${shell}: ${name}`);
      for (const option of Object.keys(options)) assert.ok(script.includes(option), `${shell}: ${name} --${option}`);
    }
  }
  const terminal = fakeTerminal('/');
  assert.equal(await runCommandLine(['completion', 'sh'], terminal), 2);
  assert.match(terminal.written.err, /SHELL must be bash, zsh or fish/);
});

test('no option takes a value in one command and none in another, as the scripts suppose', () => {
  const { valued } = completions(commands);
  const flags = commands.flatMap(({ options = {} }) =>
    Object.entries(options).flatMap(([name, { type }]) => (type === 'boolean' ? [`--${name}`] : [])),
  );
  assert.deepEqual(
    flags.filter((flag) => valued.includes(flag)),
    [],
  );
});
