import type { EffectiveSetting } from '../../config/load-settings.ts';
import type { LocalCommand } from '../command.ts';
import { badSettings, readSettings } from '../local-settings.ts';
import { textTable } from '../text-table.ts';

export const showConfig: LocalCommand<readonly EffectiveSetting[]> = {
  name: 'config',
  summary: 'Show the settings in force, passwords masked',
  notes: 'docs/configuration.md describes every setting.',
  async execute(_args, { terminal, envFile }) {
    const loaded = readSettings(terminal, envFile);
    if (!loaded.ok) throw badSettings(loaded.problems);
    return loaded.effective;
  },
  print: (effective) =>
    textTable(
      effective,
      {
        SETTING: ({ name }) => name,
        VALUE: ({ value }) => value,
        FROM: ({ given }) => (given ? 'given' : 'default'),
      },
      'There are no settings.',
    ),
};
