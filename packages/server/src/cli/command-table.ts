import { applicationCommands } from './application-commands.ts';
import type { AnyCommand } from './command.ts';
import { showConfig } from './config-command.ts';
import { doctor } from './doctor-command.ts';
import { migrateDatabase } from './migrate-command.ts';
import { serve } from './serve-command.ts';
import { showVersion } from './version-command.ts';

/** Every command there is, in the order of the help. */
export const commands: readonly AnyCommand[] = [
  serve,
  migrateDatabase,
  showConfig,
  doctor,
  showVersion,
  ...applicationCommands,
];
