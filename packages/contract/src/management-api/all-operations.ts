import { accountOperations } from './account-operations.ts';
import { certificateOperations } from './certificate-operations.ts';
import { deploymentOperations } from './deployment-operations.ts';
import { eventOperations } from './event-operations.ts';
import { managementKeyOperations } from './management-key-operations.ts';
import { memberOperations } from './member-operations.ts';
import type { Operation } from './operation.ts';
import { organizationOperations } from './organization-operations.ts';
import { signInOperations } from './sign-in-operations.ts';

/** Every operation of the management API, by tag, in the order of the documentation. */
export const allOperations: readonly Operation[] = [
  ...signInOperations,
  ...accountOperations,
  ...organizationOperations,
  ...memberOperations,
  ...managementKeyOperations,
  ...certificateOperations,
  ...deploymentOperations,
  ...eventOperations,
];
