import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment, SettingProblem } from './load-settings.ts';

type ReadEnvironment =
  /** `problems` lists lines that could not be read. */
  | { readonly ok: true; readonly environment: Environment; readonly problems: readonly SettingProblem[] }
  | { readonly ok: false; readonly problems: readonly SettingProblem[] };

/** The environment with the variables of `--env-file`. The real environment wins, except where a variable is empty. */
export function withEnvironmentFile(environment: Environment, path: string): ReadEnvironment {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return { ok: false, problems: [{ name: '--env-file', message: `cannot read ${path} (${reason})` }] };
  }
  const { variables, unread } = readEntries(text);
  // Only their numbers, because the lines may hold secrets.
  const message = `${path} has lines that are not NAME=value, or whose quotes are not in order: ${unread.join(', ')}`;
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return {
    ok: true,
    environment: { ...variables, ...Object.fromEntries(given) },
    problems: unread.length === 0 ? [] : [{ name: '--env-file', message }],
  };
}

const blankOrComment = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
/** With a comment or blanks up to the end of the line. Only quoted values span lines. */
const entry =
  /[ \t]*(?:export[ \t]+)?([\w.-]+[ \t]*=[ \t]*(?:(?:"[^"]*"|'[^']*'|`[^`]*`)[ \t]*(?:#[^\n]*)?|(?![ \t"'`])[^\n]*))(?:\n|$)/y;

/** `parseEnv` alone drops unknown lines, misreads a byte order mark, and takes the next line for an empty value. */
function readEntries(file: string): { readonly variables: Environment; readonly unread: readonly number[] } {
  const text = file.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const variables: Record<string, string | undefined> = {};
  const unread: number[] = [];
  for (let at = 0, line = 1; at < text.length; ) {
    const found = matchAt(entry, text, at) ?? matchAt(blankOrComment, text, at);
    if (found === undefined) unread.push(line);
    else if (found[1] !== undefined) Object.assign(variables, parseEnv(found[1]));
    const passed = found?.[0] ?? `${text.slice(at).split('\n', 1)[0]}\n`;
    at += passed.length;
    line += passed.split('\n').length - 1;
  }
  return { variables, unread };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
