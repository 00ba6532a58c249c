import { type AnyCommand, type Group, groups } from './command.ts';
import { alertChannelCommands } from './commands/alert-channel-commands.ts';
import { alertCommands } from './commands/alert-commands.ts';
import { auditCommands } from './commands/audit-commands.ts';
import { authorityCommands } from './commands/authority-commands.ts';
import { writeBackup } from './commands/backup-command.ts';
import { blockedListCommands } from './commands/blocked-list-commands.ts';
import { carrierCommands } from './commands/carrier-commands.ts';
import { testCarrier } from './commands/carrier-test-command.ts';
import { certificateCommands } from './commands/certificate-commands.ts';
import { certificateRequestCommands } from './commands/certificate-request-commands.ts';
import { completionOf } from './commands/completion-command.ts';
import { showConfig } from './commands/config-command.ts';
import { deploymentCommands } from './commands/deployment-commands.ts';
import { dnsProviderCommands } from './commands/dns-provider-commands.ts';
import { doctor } from './commands/doctor-command.ts';
import { managementKeyCommands } from './commands/management-key-commands.ts';
import { rotateMasterKey } from './commands/master-key-commands.ts';
import { messageCommands } from './commands/message-commands.ts';
import { messagingKeyCommands } from './commands/messaging-key-commands.ts';
import { messagingSettingCommands } from './commands/messaging-setting-commands.ts';
import { migrateDatabase } from './commands/migrate-command.ts';
import { operatorCommands } from './commands/operator-commands.ts';
import { optOutCommands } from './commands/opt-out-commands.ts';
import { organizationCommands } from './commands/organization-commands.ts';
import { pushCommands } from './commands/push-commands.ts';
import { pushSettingCommands } from './commands/push-setting-commands.ts';
import { listReplies } from './commands/reply-commands.ts';
import { routeCommands } from './commands/route-commands.ts';
import { serve } from './commands/serve-command.ts';
import { replyBySimulator } from './commands/simulator-commands.ts';
import { simulateSmsc } from './commands/smsc-command.ts';
import { showStatus } from './commands/status-command.ts';
import { showVersion } from './commands/version-command.ts';

/** Every command there is, by the parts of the help, in its order. */
const grouped: Readonly<Record<Group, readonly AnyCommand[]>> = {
  Certificates: [
    ...certificateCommands,
    ...certificateRequestCommands,
    ...deploymentCommands,
    ...authorityCommands,
    ...dnsProviderCommands,
  ],
  Messages: [
    ...messagingKeyCommands,
    ...messagingSettingCommands,
    ...messageCommands,
    listReplies,
    ...carrierCommands,
    ...routeCommands,
    ...optOutCommands,
    ...blockedListCommands,
    ...pushSettingCommands,
    ...pushCommands,
    testCarrier,
    replyBySimulator,
    simulateSmsc,
  ],
  People: [...organizationCommands, ...operatorCommands, ...managementKeyCommands],
  Instance: [
    serve,
    showStatus,
    doctor,
    showConfig,
    migrateDatabase,
    writeBackup,
    rotateMasterKey,
    ...alertChannelCommands,
    ...alertCommands,
    ...auditCommands,
    completionOf((): readonly AnyCommand[] => commands),
    showVersion,
  ],
};

export const commands: readonly AnyCommand[] = groups.flatMap((group) =>
  grouped[group].map((command) => ({ ...command, group })),
);

/** The commands that speak to a management API. */
export const applicationCommands = commands.filter((command) => 'call' in command);

/** Those of the message gateway. */
export const messagingCommands = applicationCommands.filter(({ group }) => group === 'Messages');
