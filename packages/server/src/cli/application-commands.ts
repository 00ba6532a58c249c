import { auditCommands } from './audit-commands.ts';
import { backupCommands } from './backup-command.ts';
import { certificateCommands } from './certificate-commands.ts';
import type { Command } from './command.ts';
import { deploymentCommands } from './deployment-commands.ts';
import { masterKeyCommands } from './master-key-commands.ts';
import { operatorCommands } from './operator-commands.ts';
import { organizationCommands } from './organization-commands.ts';

/** The commands that run where the database is, in the order of the help. */
export const applicationCommands: readonly Command[] = [
  ...organizationCommands,
  ...certificateCommands,
  ...deploymentCommands,
  ...backupCommands,
  ...masterKeyCommands,
  ...auditCommands,
  ...operatorCommands,
];
