import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globalOptions } from './arguments.ts';
import { applicationCommands, commands } from './command-table.ts';
import { helpText } from './help-text.ts';

for (const command of commands) {
  test(`the help of "${command.name}" names all it takes`, () => {
    const help = helpText(command.name, commands);
    assert.match(help, new RegExp(`^Usage: waxwing ${command.name} `));
    for (const name of Object.keys({ ...command.options, ...globalOptions })) {
      assert.match(help, new RegExp(`^  --${name}\\b.*  \\S`, 'm'));
    }
    for (const { name } of command.positionals ?? []) assert.match(help, new RegExp(`^  ${name} {2,}\\S`, 'm'));
  });

  test(`"${command.name}" is described in one line, and no option of it hides one that all have`, () => {
    assert.match(command.summary, /^[A-Z][^\n]{1,120}[^.]$/);
    const own = Object.entries(command.options ?? {});
    assert.deepEqual(
      own.filter(([name]) => name in globalOptions || !/^[a-z]+(?:-[a-z]+)*$/.test(name)),
      [],
    );
    assert.ok(own.every(([, option]) => (option.type === 'string') === (option.value !== undefined)));
  });
}

test('an argument that may be left out stands in brackets', () => {
  assert.match(helpText('push resend', commands), /^Usage: waxwing push resend \[ID\] \[options\]/);
});

test('the list of all commands names each, and the help on a group its own alone', () => {
  const all = helpText('', commands);
  for (const { name, summary } of commands) assert.ok(all.includes(name) && all.includes(summary));
  const group = helpText('certificate', commands);
  assert.match(group, /certificate import/);
  assert.doesNotMatch(group, /deployment create/);
});

test('a former name has as many words as the name, and no other command has it', () => {
  const names = new Set(commands.map(({ name }) => name));
  for (const { name, formerly } of commands) {
    if (formerly === undefined) continue;
    assert.equal(formerly.split(' ').length, name.split(' ').length);
    assert.ok(!names.has(formerly));
    assert.ok(!helpText('', commands).includes(formerly));
    assert.equal(helpText(name, commands).startsWith(`Usage: waxwing ${name}`), true);
  }
});

test('what needs the machine itself is about its files and keys, and its first people', () => {
  assert.deepEqual(applicationCommands.flatMap(({ name, machine }) => (machine === true ? [name] : [])).sort(), [
    ...['backup', 'certificate export', 'master-key rotate'],
    ...['operator create', 'operator disable', 'operator enable', 'operator reset'],
  ]);
});

test('no name of a command is the beginning of another, which would never be reached', () => {
  const names = commands.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => names.some((other) => other.startsWith(`${name} `))),
    [],
  );
  assert.equal(new Set(names).size, names.length);
});
