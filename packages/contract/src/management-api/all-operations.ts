import { accountOperations } from './account-operations.ts';
import { auditOperations } from './audit-operations.ts';
import { carrierOperations } from './carrier-operations.ts';
import { certificateOperations } from './certificate-operations.ts';
import { deploymentOperations } from './deployment-operations.ts';
import { eventOperations } from './event-operations.ts';
import { instanceAccountOperations } from './instance-account-operations.ts';
import { instanceOperations } from './instance-operations.ts';
import { managementKeyOperations } from './management-key-operations.ts';
import { memberOperations } from './member-operations.ts';
import { messageOperations } from './message-operations.ts';
import { messagingKeyOperations } from './messaging-key-operations.ts';
import { messagingListOperations } from './messaging-list-operations.ts';
import { messagingSettingOperations } from './messaging-setting-operations.ts';
import type { Operation } from './operation.ts';
import { organizationOperations } from './organization-operations.ts';
import { pushOperations } from './push-operations.ts';
import { pushSettingOperations } from './push-setting-operations.ts';
import { signInOperations } from './sign-in-operations.ts';

/** Every operation of the management API, by tag, in the order of the documentation. */
export const allOperations: readonly Operation[] = [
  ...signInOperations,
  ...accountOperations,
  ...organizationOperations,
  ...memberOperations,
  ...instanceAccountOperations,
  ...managementKeyOperations,
  ...certificateOperations,
  ...deploymentOperations,
  ...messageOperations,
  ...messagingListOperations,
  ...messagingSettingOperations,
  ...messagingKeyOperations,
  ...pushSettingOperations,
  ...pushOperations,
  ...carrierOperations,
  ...auditOperations,
  ...instanceOperations,
  ...eventOperations,
];
