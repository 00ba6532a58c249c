import { globalOptions } from '../arguments.ts';
import { type CommandForm, type LocalCommand, type Option, Usage } from '../command.ts';

interface Script {
  readonly script: string;
}

/** @param forms every command, asked for when the script is written */
export function completionOf(forms: () => readonly CommandForm[]): LocalCommand<Script> {
  return {
    name: 'completion',
    ignoresServer: true,
    summary: 'Print the completion script of a shell',
    positionals: [{ name: 'SHELL', help: 'bash, zsh or fish' }],
    notes:
      'bash: source <(waxwing completion bash)   zsh: source <(waxwing completion zsh), behind compinit\n' +
      'fish: waxwing completion fish | source',
    async execute(args) {
      const shell = args.positional('SHELL');
      const write = Object.hasOwn(writers, shell) ? writers[shell] : undefined;
      if (write === undefined) throw new Usage('SHELL must be bash, zsh or fish.', this.name);
      return { script: write(completions(forms())) };
    },
    print: ({ script }) => script.trimEnd(),
  };
}

interface Completions {
  /** What may follow words that are no whole command yet: `certificate` → `import list …`. Of the first word: ''. */
  readonly words: ReadonlyMap<string, readonly string[]>;
  /** The options of each command. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** Options that take a value, of whatever command. */
  readonly valued: readonly string[];
  /** Of those, the ones that name a file or folder. */
  readonly files: readonly string[];
  /** The options with known values. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

export function completions(forms: readonly CommandForm[]): Completions {
  const words = new Map<string, Set<string>>();
  const options = new Map<string, readonly string[]>();
  const values = new Map<string, readonly string[]>();
  const valued = new Set<string>();
  const files = new Set<string>();
  for (const form of forms) {
    const parts = form.name.split(' ');
    parts.forEach((part, index) => {
      const before = parts.slice(0, index).join(' ');
      words.set(before, (words.get(before) ?? new Set()).add(part));
    });
    const all: Readonly<Record<string, Option>> = { ...form.options, ...globalOptions };
    options.set(
      form.name,
      Object.keys(all).map((name) => `--${name}`),
    );
    for (const [name, { type, value = '' }] of Object.entries(all)) {
      if (type === 'string') valued.add(`--${name}`);
      if (value === 'FILE' || value === 'DIR') files.add(`--${name}`);
      const known = value.split('|').filter((each) => /^[a-z][a-z0-9-]*$/.test(each));
      if (known.length > 1) values.set(`--${name}`, known);
    }
  }
  words.set('help', words.get('') ?? new Set());
  words.get('')?.add('help');
  return {
    words: new Map([...words].map(([before, after]) => [before, [...after]])),
    options,
    valued: [...valued],
    files: [...files],
    values,
  };
}

const writers: Readonly<Record<string, (known: Completions) => string>> = { bash, zsh, fish };

/** `case` branches: words are asked for by `at`, which has the words before the cursor without options and their values. */
function branches({ words, options }: Completions): string {
  const rows = [
    ...[...words].map(([before, after]) => `    '${before}') words='${after.join(' ')}' ;;`),
    ...[...options].map(([name, all]) => `    '${name}'|'${name} '*) words='${all.join(' ')}' ;;`),
  ];
  return rows.join('\n');
}

function valueBranches({ values, files }: Completions): string {
  return [
    ...[...values].map(([option, known]) => `    ${option}) words='${known.join(' ')}' ;;`),
    `    ${files.join('|')}) files=1 ;;`,
  ].join('\n');
}

/** The rest of the loop over the words before the cursor, and what may follow them: the same in bash and zsh. */
function choosing(known: Completions): string {
  return `    if [[ -n $option ]]; then option=; continue; fi
    case $word in
      ${known.valued.join('|')}) option=$word ;;
      -*) ;;
      *) at="\${at:+$at }$word" ;;
    esac
  done
  case $option in
    '') ;;
${valueBranches(known)}
  esac
  if [[ -z $option ]]; then case $at in
${branches(known)}
  esac; fi`;
}

function bash(known: Completions): string {
  return `# bash completion of waxwing
_waxwing() {
  local current=\${COMP_WORDS[COMP_CWORD]} at= option= words= files= word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
${choosing(known)}
  if [[ -n $files ]]; then
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _waxwing waxwing
`;
}

function zsh(known: Completions): string {
  return `#compdef waxwing
_waxwing() {
  local at= option= files= word i
  local words_given=("\${words[@]}") words=
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words_given[i]}
${choosing(known)}
  if [[ -n $files ]]; then _files; else compadd -- \${=words}; fi
}
compdef _waxwing waxwing
`;
}

function fish({ words, options, valued, files, values }: Completions): string {
  const at = (place: string): string => `-n '__waxwing_at "${place}"'`;
  return `# fish completion of waxwing
function __waxwing_at
    set -l at
    set -l option
    for word in (commandline -opc)[2..-1]
        if test -n "$option"
            set option
            continue
        end
        switch $word
            case ${valued.join(' ')}
                set option $word
            case '-*'
            case '*'
                set -a at $word
        end
    end
    string match -q -- "$argv[1]" "$at"
end
complete -c waxwing -f
${[...words].map(([before, after]) => `complete -c waxwing ${at(before)} -a '${after.join(' ')}'`).join('\n')}
${[...options]
  .flatMap(([name, all]) =>
    all.map((option) => {
      const known = values.get(option);
      const value = files.includes(option) ? ' -r -F' : known === undefined ? '' : ` -x -a '${known.join(' ')}'`;
      const plain = valued.includes(option) && value === '' ? ' -x' : value;
      return `complete -c waxwing ${at(`${name}*`)} -l ${option.slice(2)}${plain}`;
    }),
  )
  .join('\n')}
`;
}
