import { globalOptions } from './arguments.ts';
import { type CommandForm, groups, type Option, type Positional } from './command.ts';

const program = 'waxwing';

/** Help on one command, on all that begin with the same words, or on everything (empty topic). */
export function helpText(topic: string, forms: readonly CommandForm[]): string {
  const form = forms.find(({ name }) => name === topic);
  return form === undefined ? listHelp(topic, forms) : commandHelp(form);
}

function listHelp(topic: string, forms: readonly CommandForm[]): string {
  const shown = forms.filter(({ name }) => topic === '' || name.startsWith(`${topic} `));
  return [
    `Usage: ${program} ${topic === '' ? 'COMMAND' : `${topic} …`} [options]`,
    ...commandSections(shown),
    section('Options of every command', optionRows(globalOptions)),
    `"${program} help COMMAND" shows a command's own options. Exit codes: 0 done, 1 refused, 2 wrong usage.`,
  ].join('\n\n');
}

/** By group where all are listed; those without one come last. */
function commandSections(shown: readonly CommandForm[]): readonly string[] {
  const width = Math.max(...shown.map(({ name }) => name.length));
  const byGroup = Map.groupBy(shown, ({ group }) => group);
  return [...groups, undefined].flatMap((group) => {
    const rows = (byGroup.get(group) ?? []).map(({ name, summary }): [string, string] => [name.padEnd(width), summary]);
    return rows.length === 0 ? [] : [section(group ?? 'Commands', rows)];
  });
}

function commandHelp(form: CommandForm): string {
  const { name, summary, positionals = [], options = {}, notes } = form;
  const parts = [
    `Usage: ${[program, name, ...positionals.map(usageOfPositional), ...usageOf(options)].join(' ')}`,
    `${summary}.`,
  ];
  if (positionals.length > 0)
    parts.push(
      section(
        'Arguments',
        positionals.map((each) => [each.name, each.help]),
      ),
    );
  parts.push(section('Options', optionRows({ ...options, ...globalOptions })));
  if (notes !== undefined) parts.push(notes);
  return parts.join('\n\n');
}

function usageOfPositional({ name, optional }: Positional): string {
  return optional === true ? `[${name}]` : name;
}

/** Required options as they are written, all others as one word. */
function usageOf(options: Readonly<Record<string, Option>>): readonly string[] {
  const required = Object.entries(options).filter(([, option]) => option.required === true);
  return [...required.map(([name, option]) => written(name, option)), '[options]'];
}

function written(name: string, { short, value }: Option): string {
  const names = short === undefined ? `--${name}` : `--${name}, -${short}`;
  return value === undefined ? names : `${names} ${value}`;
}

function optionRows(options: Readonly<Record<string, Option>>): [string, string][] {
  return Object.entries(options).map(([name, option]) => {
    const marks = [
      option.required === true ? 'required' : undefined,
      option.multiple === true ? 'may be given several times' : undefined,
    ].filter((mark) => mark !== undefined);
    return [written(name, option), marks.length === 0 ? option.help : `${option.help} (${marks.join('; ')})`];
  });
}

function section(title: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return [`${title}:`, ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)].join('\n');
}
