import type { LocalCommand } from '../command.ts';
import { settingsOrRefusal } from '../local-settings.ts';

export const serve: LocalCommand = {
  name: 'serve',
  ignoresServer: true,
  summary: 'Run the server, until SIGINT or SIGTERM',
  notes:
    'Settings come from the environment; "waxwing config" shows them. Missing data folder, database and master key are\n' +
    'made. What is logged goes to stderr.',
  async execute(_args, { terminal, envFile }) {
    const settings = settingsOrRefusal(terminal, envFile);
    const { runServer } = await import('../run-server.ts');
    await runServer(settings, terminal);
    return undefined;
  },
  print: () => '',
};
