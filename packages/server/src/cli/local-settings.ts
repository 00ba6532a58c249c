import { withEnvironmentFile } from '../config/environment-file.ts';
import { type Environment, type LoadedSettings, loadSettings, type SettingProblem } from '../config/load-settings.ts';
import type { Settings } from '../config/settings.ts';
import { Problem } from '../runtime/problem.ts';
import type { Terminal } from './terminal.ts';

/** The settings as this terminal's environment and `--env-file` give them, or every problem with them. */
export function readSettings(terminal: Terminal, envFile: string | undefined): LoadedSettings {
  if (envFile === undefined) return loadSettings(terminal.environment, terminal.folder);
  const read = withEnvironmentFile(terminal.environment, envFile);
  if (!read.ok) return read;
  const loaded = loadSettings(read.environment, terminal.folder);
  const problems = [...read.problems, ...(loaded.ok ? [] : loaded.problems)];
  return problems.length === 0 ? loaded : { ok: false, problems };
}

/** The variables of this terminal and of `--env-file`, unchecked. */
export function readEnvironment(terminal: Terminal, envFile: string | undefined): Environment {
  if (envFile === undefined) return terminal.environment;
  const read = withEnvironmentFile(terminal.environment, envFile);
  return read.ok ? read.environment : terminal.environment;
}

/** @throws Problem with every fault of the settings */
export function settingsOrRefusal(terminal: Terminal, envFile: string | undefined): Settings {
  const loaded = readSettings(terminal, envFile);
  if (loaded.ok) return loaded.settings;
  throw badSettings(loaded.problems);
}

export function badSettings(problems: readonly SettingProblem[]): Problem {
  return new Problem('invalid_parameter', {
    detail: problems.length === 1 ? 'A setting is not accepted.' : `${problems.length} settings are not accepted.`,
    faults: problems.map(({ name, message }) => ({ field: name, message })),
  });
}
