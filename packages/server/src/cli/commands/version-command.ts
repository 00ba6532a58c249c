import { version } from '../../runtime/version.ts';
import type { LocalCommand } from '../command.ts';

export const showVersion: LocalCommand<{ readonly version: string }> = {
  name: 'version',
  ignoresServer: true,
  summary: 'Show the version of this program',
  execute: async () => ({ version }),
  print: (shown) => shown.version,
};
