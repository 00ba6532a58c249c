/** Types of what the API answers, read-only throughout. */

import type { AnswerOf, Operation } from '@waxwing/contract/management-api/operation.ts';
import type { listAudit } from '@waxwing/contract/management-api/operations/audit-operations.ts';
import type { listCertificates } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import type { listDeployments } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import type {
  listMessages,
  listReplies,
  showMessageTimeline,
} from '@waxwing/contract/management-api/operations/message-operations.ts';
import type { listMessagingKeys } from '@waxwing/contract/management-api/operations/messaging-key-operations.ts';
import type { listOrganizations } from '@waxwing/contract/management-api/operations/organization-operations.ts';
import type { signIn } from '@waxwing/contract/management-api/operations/sign-in-operations.ts';

/** One entry of what a list answers. */
export type ItemOf<Of extends Operation> =
  AnswerOf<Of> extends { readonly items: readonly (infer Item)[] } ? Item : never;

export type AuditEntry = ItemOf<typeof listAudit>;
export type Certificate = ItemOf<typeof listCertificates>;
export type ListedDeployment = ItemOf<typeof listDeployments>;
export type Deployment = Omit<ListedDeployment, 'certificate_name'>;
export type Message = ItemOf<typeof listMessages>;
export type MessageTimeline = AnswerOf<typeof showMessageTimeline>;
export type MessagingKey = ItemOf<typeof listMessagingKeys>;
export type Reply = ItemOf<typeof listReplies>;
export type Organization = ItemOf<typeof listOrganizations>;
export type SignInStep = AnswerOf<typeof signIn>;
