import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CommandLine, parseCommandLine } from './arguments.ts';
import { type CommandForm, Usage } from './command.ts';

const forms: readonly CommandForm[] = [
  { name: 'config', summary: '' },
  {
    name: 'thing make',
    summary: '',
    options: {
      name: { type: 'string', required: true, value: 'N', help: '' },
      file: { type: 'string', multiple: true, value: 'FILE', help: '' },
      quick: { type: 'boolean', help: '' },
    },
  },
  { name: 'thing show', summary: '', positionals: [{ name: 'ID', help: '' }] },
  { name: 'thing find', summary: '', positionals: [{ name: 'ID', help: '', optional: true }] },
];

const parse = (...argv: string[]): CommandLine<CommandForm> => parseCommandLine(argv, forms);

function parseCommand(...argv: string[]) {
  const line = parse(...argv);
  assert.equal(line.kind, 'command');
  return line;
}

test('a command takes its options, several of one kind where allowed, and positionals in between', () => {
  const made = parseCommand('thing', 'make', '--file', 'a', '--name=-n', '--quick', '--file', 'b');
  assert.equal(made.command.name, 'thing make');
  assert.equal(made.args.required('name'), '-n');
  assert.deepEqual(made.args.list('file'), ['a', 'b']);
  assert.equal(made.args.flag('quick'), true);
  assert.equal(made.json, false);
  const shown = parseCommand('thing', 'show', '--json', '7', '--env-file', 'x.env');
  assert.equal(shown.args.positional('ID'), '7');
  assert.equal(shown.json, true);
  assert.equal(shown.envFile, 'x.env');
});

test('options of every command may stand before its name', () => {
  const line = parseCommand('--env-file', 'x.env', '--json', 'thing', 'show', '7');
  assert.deepEqual([line.command.name, line.json, line.envFile], ['thing show', true, 'x.env']);
});

test('one value is asked for by its name, and ids by one letter', () => {
  assert.deepEqual(parseCommand('config', '--field', 'name').fields, ['name']);
  assert.deepEqual(parseCommand('config', '-q').fields, ['id', 'batch_id']);
  assert.deepEqual(parseCommand('-q', 'config').fields, ['id', 'batch_id']);
  assert.equal(parseCommand('config', '--json').fields, undefined);
});

test('after -- an argument may begin with a dash', () => {
  assert.equal(parseCommand('thing', 'show', '--', '-7').args.positional('ID'), '-7');
});

test('a dash alone is a value, which stands for stdin', () => {
  assert.equal(parseCommand('thing', 'make', '--name', '-', '--quick').args.required('name'), '-');
});

test('an argument may be left out where the command says so', () => {
  const ids = [parseCommand('thing', 'find'), parseCommand('thing', 'find', '7')];
  assert.deepEqual(
    ids.map(({ args }) => args.optionalPositional('ID')),
    [undefined, '7'],
  );
});

const helps: readonly [argv: string[], topic: string, asked: boolean][] = [
  [[], '', false],
  [['help'], '', true],
  [['--help'], '', true],
  [['-h'], '', true],
  [['help', 'thing'], 'thing', true],
  [['help', 'thing', 'make'], 'thing make', true],
  [['thing'], 'thing', false],
  [['thing', '--help'], 'thing', true],
  [['thing', 'make', '--help'], 'thing make', true],
  [['thing', 'make', '--nmae', '--help'], 'thing make', true],
];
for (const [argv, topic, asked] of helps) {
  test(`"waxwing ${argv.join(' ')}" shows the help on "${topic}", ${asked ? 'as asked' : 'for want of a command'}`, () => {
    assert.deepEqual(parse(...argv), { kind: 'help', topic, asked });
  });
}

test('--version asks for the version', () => {
  assert.deepEqual(parse('--version'), { kind: 'version' });
});

const refused: readonly [argv: string[], message: RegExp][] = [
  [['thnig', 'make'], /no command "thnig"; did you mean "thing make"\?/],
  [['thing', 'mkae'], /no command "thing mkae"; did you mean "thing make"\?/],
  [['confg'], /did you mean "config"\?/],
  [['help', 'nothing'], /no command "nothing"/],
  [['help', 'thing', 'make', 'extra'], /^"extra" is one word too many after "thing make"\.$/],
  [['help', 'config', 'extra'], /^"extra" is one word too many after "config"\.$/],
  [['zzzzzz'], /^There is no command "zzzzzz"$/],
  [['--jsno'], /no option --jsno; did you mean --json\?/],
  [['config', '--jsno'], /no option --jsno; did you mean --json\?/],
  [['thing', 'make', '--nmae=secret'], /no option --nmae; did you mean --name\?/],
  [['config', '--constructor', 'x'], /no option --constructor/],
  [['config', '-j'], /no option -j/],
  [['config', '-q', '--json'], /--json or --quiet, not both/],
  [['config', '--field', 'id', '--json'], /--json or --field, not both/],
  [['thing', 'make'], /Missing: --name N/],
  [['thing', 'show'], /Missing: ID/],
  [['thing', 'make', '--name'], /--name needs a value/],
  [['thing', 'make', '--name', '--quick'], /--name needs a value; write --name=--quick/],
  [['thing', 'make', '--name', ''], /--name has an empty value/],
  [['thing', 'make', '--name', 'a', '--name', 'b'], /--name is given twice/],
  [['thing', 'make', '--name', 'a', '--quick=yes'], /--quick takes no value/],
  [['thing', 'show', '7', '8'], /"8" is one argument too many/],
  [['thing', 'show', ' '], /ID is empty/],
  [['thing', 'find', ' '], /ID is empty/],
  [['thing', 'find', '7', '8'], /"8" is one argument too many/],
];
for (const [argv, message] of refused) {
  test(`"waxwing ${argv.join(' ')}" is wrong usage: ${message.source}`, () => {
    assert.throws(
      () => parse(...argv),
      (error) => error instanceof Usage && message.test(error.message) && !error.message.includes('secret'),
    );
  });
}
