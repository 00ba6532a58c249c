import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment, SettingProblem } from './load-settings.ts';

export type ReadEnvironment =
  | { readonly ok: true; readonly environment: Environment }
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
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return { ok: true, environment: { ...parseEnv(text), ...Object.fromEntries(given) } };
}
