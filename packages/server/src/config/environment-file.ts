import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment, SettingProblem } from './load-settings.ts';

export type ReadEnvironment =
  /** `problems` are of lines that could not be read. */
  | { readonly ok: true; readonly environment: Environment; readonly problems: readonly SettingProblem[] }
  | { readonly ok: false; readonly problems: readonly SettingProblem[] };

/**
 * The environment with what `--env-file` adds to it. The real environment wins; a variable that is empty there counts
 * as not given.
 */
export function withEnvironmentFile(environment: Environment, path: string): ReadEnvironment {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return { ok: false, problems: [{ name: '--env-file', message: `cannot read ${path} (${reason})` }] };
  }
  const { variables, unread } = readEntries(text);
  // By their numbers alone: what stands in them may be a secret.
  const message = `${path} has lines that are not NAME=value, or whose quotes are not in order: ${unread.join(', ')}`;
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return {
    ok: true,
    environment: { ...variables, ...Object.fromEntries(given) },
    problems: unread.length === 0 ? [] : [{ name: '--env-file', message }],
  };
}

const blankOrComment = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
/** With what follows it up to the end of a line; only in quotes it goes over several. */
const entry =
  /[ \t]*(?:export[ \t]+)?([\w.-]+[ \t]*=[ \t]*(?:(?:"[^"]*"|'[^']*'|`[^`]*`)[ \t]*(?:#[^\n]*)?|(?![ \t"'`])[^\n]*))(?:\n|$)/y;

/**
 * Entry by entry, since `parseEnv` alone drops a line that it does not understand, takes a byte order mark for a part of
 * the first name, and the next line for the value of a name with nothing but a space behind it.
 */
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
