import type { Operation } from './operation.ts';
import { accountOperations } from './operations/account-operations.ts';
import { alertOperations } from './operations/alert-operations.ts';
import { auditOperations } from './operations/audit-operations.ts';
import { authorityOperations } from './operations/authority-operations.ts';
import { carrierOperations } from './operations/carrier-operations.ts';
import { carrierSettingOperations } from './operations/carrier-setting-operations.ts';
import { certificateOperations } from './operations/certificate-operations.ts';
import { deploymentOperations } from './operations/deployment-operations.ts';
import { dnsProviderOperations } from './operations/dns-provider-operations.ts';
import { eventOperations } from './operations/event-operations.ts';
import { instanceAccountOperations } from './operations/instance-account-operations.ts';
import { instanceOperations } from './operations/instance-operations.ts';
import { managementKeyOperations } from './operations/management-key-operations.ts';
import { memberOperations } from './operations/member-operations.ts';
import { messageOperations } from './operations/message-operations.ts';
import { messagingKeyOperations } from './operations/messaging-key-operations.ts';
import { messagingListOperations } from './operations/messaging-list-operations.ts';
import { messagingSettingOperations } from './operations/messaging-setting-operations.ts';
import { organizationOperations } from './operations/organization-operations.ts';
import { pushOperations } from './operations/push-operations.ts';
import { pushSettingOperations } from './operations/push-setting-operations.ts';
import { signInOperations } from './operations/sign-in-operations.ts';

const operations = [
  ...signInOperations,
  ...accountOperations,
  ...organizationOperations,
  ...memberOperations,
  ...instanceAccountOperations,
  ...managementKeyOperations,
  ...certificateOperations,
  ...deploymentOperations,
  ...authorityOperations,
  ...dnsProviderOperations,
  ...messageOperations,
  ...messagingListOperations,
  ...messagingSettingOperations,
  ...messagingKeyOperations,
  ...pushSettingOperations,
  ...pushOperations,
  ...carrierOperations,
  ...carrierSettingOperations,
  ...alertOperations,
  ...auditOperations,
  ...instanceOperations,
  ...eventOperations,
] as const;

/** With the types of its parts. */
export type KnownOperation = (typeof operations)[number];

/** Every operation of the management API, in the order of the documentation. */
export const allOperations: readonly Operation[] = operations;
