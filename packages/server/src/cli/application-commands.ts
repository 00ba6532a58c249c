import { auditCommands } from './audit-commands.ts';
import { backupCommands } from './backup-command.ts';
import { blockedListCommands } from './blocked-list-commands.ts';
import { certificateCommands } from './certificate-commands.ts';
import type { Command } from './command.ts';
import { deploymentCommands } from './deployment-commands.ts';
import { managementKeyCommands } from './management-key-commands.ts';
import { masterKeyCommands } from './master-key-commands.ts';
import { messageCommands } from './message-commands.ts';
import { messagingKeyCommands } from './messaging-key-commands.ts';
import { messagingSettingCommands } from './messaging-setting-commands.ts';
import { operatorCommands } from './operator-commands.ts';
import { optOutCommands } from './opt-out-commands.ts';
import { organizationCommands } from './organization-commands.ts';
import { pushCommands } from './push-commands.ts';
import { pushSettingCommands } from './push-setting-commands.ts';
import { replyCommands } from './reply-commands.ts';
import { routeCommands } from './route-commands.ts';
import { simulatorCommands } from './simulator-commands.ts';

/** Those of the message gateway. */
export const messagingCommands: readonly Command[] = [
  ...messagingKeyCommands,
  ...messagingSettingCommands,
  ...messageCommands,
  ...replyCommands,
  ...routeCommands,
  ...optOutCommands,
  ...blockedListCommands,
  ...pushSettingCommands,
  ...pushCommands,
  ...simulatorCommands,
];

/** The commands that run where the database is, in the order of the help. */
export const applicationCommands: readonly Command[] = [
  ...organizationCommands,
  ...certificateCommands,
  ...deploymentCommands,
  ...messagingCommands,
  ...backupCommands,
  ...masterKeyCommands,
  ...auditCommands,
  ...operatorCommands,
  ...managementKeyCommands,
];
