import { parseArgs } from 'node:util';
import { nearestName } from '../config/nearest-name.ts';
import { type Arguments, type CommandForm, type Option, Usage } from './command.ts';

/** Taken by every command, before its name or after it. */
export const globalOptions = {
  json: { type: 'boolean', help: 'Print JSON, for scripts' },
  field: { type: 'string', value: 'NAME', help: 'Print one value of the answer alone; of a list a line for each' },
  quiet: { type: 'boolean', short: 'q', help: 'Print ids alone' },
  'env-file': { type: 'string', value: 'FILE', help: 'Read settings from FILE too; the environment wins over it' },
  server: {
    type: 'string',
    value: 'URL',
    help: 'Do it at this server, by its management API; also WAXWING_SERVER',
  },
  'token-file': {
    type: 'string',
    value: 'FILE',
    help: 'Where the management key for --server is, "-" for stdin; also WAXWING_TOKEN_FILE',
  },
  help: { type: 'boolean', help: 'Show this help' },
} as const satisfies Record<string, Option>;

export type CommandLine<Form extends CommandForm> =
  | { readonly kind: 'version' }
  /** Help on all commands, on those that begin with these words, or on one; `asked` unless it stands in for a command. */
  | { readonly kind: 'help'; readonly topic: string; readonly asked: boolean }
  | {
      readonly kind: 'command';
      readonly command: Form;
      readonly args: Arguments;
      readonly json: boolean;
      /** The one value of the answer that is printed. */
      readonly fields: readonly string[] | undefined;
      readonly envFile: string | undefined;
    };

/**
 * Reads a command line.
 * @param argv without the program's name
 * @throws Usage that says what was meant where that can be guessed
 */
export function parseCommandLine<Form extends CommandForm>(
  argv: readonly string[],
  forms: readonly Form[],
): CommandLine<Form> {
  const { leading, rest } = splitLeadingOptions(argv);
  if (rest[0] === '--version') return { kind: 'version' };
  if (rest[0] === 'help') return { kind: 'help', topic: helpTopic(rest.slice(1), forms), asked: true };
  const command = findCommand(rest, forms);
  const asksForHelp = argv.some((argument) => argument === '--help' || argument === '-h');
  if (command === undefined) {
    const words = takeWhile(rest, (word) => !word.startsWith('-'));
    if (words.length === 0 && rest[0] !== undefined && !asksForHelp) throw unknownOption(rest[0], globalOptions, '');
    if (words.length > 0 && !isGroup(words, forms)) throw unknownCommand(words, forms);
    return { kind: 'help', topic: words.join(' '), asked: asksForHelp };
  }
  if (asksForHelp) return { kind: 'help', topic: command.name, asked: true };
  const given = readOptions([...leading, ...rest.slice(wordsOf(command).length)], command);
  return {
    kind: 'command',
    command,
    args: given,
    json: given.flag('json'),
    fields: fieldsOf(given, command),
    envFile: given.optional('env-file'),
  };
}

/** One value is asked for; the answer has it by the first of these names that it knows. */
function fieldsOf(given: Arguments, { name }: CommandForm): readonly string[] | undefined {
  const [one, another] = ['json', 'field', 'quiet'].filter((option) => given.flag(option));
  if (another !== undefined) throw new Usage(`Give --${one} or --${another}, not both.`, name);
  if (given.flag('quiet')) return ['id', 'batch_id'];
  const field = given.optional('field');
  return field === undefined ? undefined : [field];
}

const valued: readonly string[] = Object.entries(globalOptions)
  .filter(([, { type }]) => type === 'string')
  .map(([name]) => `--${name}`);

/** `waxwing --json organization list` is as good as `waxwing organization list --json`. */
function splitLeadingOptions(argv: readonly string[]): { leading: readonly string[]; rest: readonly string[] } {
  let count = 0;
  for (;;) {
    const argument = argv[count] ?? '';
    if (valued.includes(argument)) count += 2;
    else if (['--json', '--quiet', '-q', '--help', '-h'].includes(argument)) count += 1;
    else if (valued.some((option) => argument.startsWith(`${option}=`))) count += 1;
    else return { leading: argv.slice(0, count), rest: argv.slice(count) };
  }
}

const wordsOf = (form: CommandForm): readonly string[] => form.name.split(' ');

function startsWith(words: readonly string[], start: readonly string[]): boolean {
  return start.every((word, index) => words[index] === word);
}

function findCommand<Form extends CommandForm>(words: readonly string[], forms: readonly Form[]): Form | undefined {
  const isMeant = (name: string | undefined) => name !== undefined && startsWith(words, name.split(' '));
  return forms.find(({ name, formerly }) => isMeant(name) || isMeant(formerly));
}

function isGroup(words: readonly string[], forms: readonly CommandForm[]): boolean {
  return forms.some((form) => startsWith(wordsOf(form), words));
}

function helpTopic(argv: readonly string[], forms: readonly CommandForm[]): string {
  const words = takeWhile(argv, (word) => !word.startsWith('-'));
  const form = findCommand(words, forms);
  if (form !== undefined && words.length === wordsOf(form).length) return form.name;
  if (words.length > 0 && !isGroup(words, forms)) throw unknownCommand(words, forms);
  return words.join(' ');
}

function unknownCommand(words: readonly string[], forms: readonly CommandForm[]): Usage {
  const form = findCommand(words, forms);
  if (form !== undefined) {
    return new Usage(`"${words[wordsOf(form).length]}" is one word too many after "${form.name}".`, form.name);
  }
  const [group = ''] = words;
  const known = isGroup([group], forms);
  const typed = known ? words.slice(0, 2).join(' ') : group;
  const names = forms.map((form) => form.name);
  const groups = [...new Set(forms.map((form) => wordsOf(form)[0] ?? ''))];
  const meant = nearestName(words.slice(0, 2).join(' '), names) ?? nearestName(group, groups);
  const hint = meant === undefined || meant === group ? '' : `; did you mean "${meant}"?`;
  return new Usage(`There is no command "${typed}"${hint}`, known ? group : '');
}

function readOptions(argv: readonly string[], form: CommandForm): Arguments {
  const known: Readonly<Record<string, Option>> = { ...form.options, ...globalOptions };
  const types = Object.fromEntries(
    Object.entries(known).map(([name, { type, short }]) => [
      name,
      { type, multiple: true, ...(short !== undefined && { short }) } as const,
    ]),
  );
  // Not strict: the messages of parseArgs neither name what was meant nor the place where the help stands.
  const { tokens } = parseArgs({
    args: [...argv],
    options: types,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (option === undefined) throw unknownOption(token.rawName, known, form.name);
    const earlier = values.get(token.name) ?? [];
    if (earlier.length > 0 && option.multiple !== true) throw new Usage(`--${token.name} is given twice.`, form.name);
    values.set(token.name, [...earlier, optionValue(token, option, form)]);
  }
  checkRequired(form, values, positionals);
  return toArguments(form, values, positionals);
}

interface OptionToken {
  readonly name: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function optionValue({ name, value, inlineValue }: OptionToken, option: Option, form: CommandForm): string {
  if (option.type === 'boolean') {
    if (value !== undefined) throw new Usage(`--${name} takes no value.`, form.name);
    return '';
  }
  if (value === undefined || (value.startsWith('-') && value !== '-' && inlineValue !== true)) {
    throw new Usage(
      `--${name} needs a value${value === undefined ? '' : `; write --${name}=${value} if that is it`}.`,
      form.name,
    );
  }
  // Most often a variable of a script that is not set.
  if (value.trim() === '') throw new Usage(`--${name} has an empty value.`, form.name);
  return value;
}

function unknownOption(rawName: string, known: Readonly<Record<string, Option>>, topic: string): Usage {
  const name = rawName.replace(/^-+/, '').replace(/=.*$/s, '');
  const meant = nearestName(name, Object.keys(known));
  const hint = meant === undefined ? '' : `; did you mean --${meant}?`;
  return new Usage(`There is no option ${rawName.replace(/=.*$/s, '')}${hint}`, topic);
}

function checkRequired(
  form: CommandForm,
  values: ReadonlyMap<string, readonly string[]>,
  positionals: readonly string[],
): void {
  const wanted = form.positionals ?? [];
  const missing = [
    ...wanted.slice(positionals.length).flatMap(({ name, optional }) => (optional === true ? [] : [name])),
    ...Object.entries(form.options ?? {})
      .filter(([name, option]) => option.required === true && !values.has(name))
      .map(([name, option]) => `--${name} ${option.value ?? ''}`.trim()),
  ];
  if (missing.length > 0) throw new Usage(`Missing: ${missing.join(', ')}`, form.name);
  const extra = positionals[wanted.length];
  if (extra !== undefined) throw new Usage(`"${extra}" is one argument too many.`, form.name);
  const empty = positionals.findIndex((text) => text.trim() === '');
  if (empty >= 0) throw new Usage(`${wanted[empty]?.name} is empty.`, form.name);
}

function toArguments(
  form: CommandForm,
  values: ReadonlyMap<string, readonly string[]>,
  positionals: readonly string[],
): Arguments {
  const optional = (name: string): string | undefined => values.get(name)?.[0];
  const positional = (name: string): string | undefined =>
    positionals[(form.positionals ?? []).findIndex((each) => each.name === name)];
  return {
    positional(name) {
      const value = positional(name);
      if (value === undefined) throw new TypeError(`"${form.name}" has no argument ${name}`);
      return value;
    },
    optionalPositional: positional,
    required(name) {
      const value = optional(name);
      if (value === undefined) throw new Usage(`Missing: --${name}`, form.name);
      return value;
    },
    optional,
    list: (name) => values.get(name) ?? [],
    flag: (name) => values.has(name),
  };
}

function takeWhile(words: readonly string[], isWanted: (word: string) => boolean): readonly string[] {
  const end = words.findIndex((word) => !isWanted(word));
  return end < 0 ? words : words.slice(0, end);
}
