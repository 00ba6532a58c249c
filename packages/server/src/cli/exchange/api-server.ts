/** What a command asks for: the operations of the management API, by their ids. */

import type {
  AnswerOf,
  BodyOf,
  Operation,
  ParamsOf,
  QueryOf,
  Shown,
} from '@waxwing/contract/management-api/operation.ts';
import type { accountOperations } from '@waxwing/contract/management-api/operations/account-operations.ts';
import type { alertOperations } from '@waxwing/contract/management-api/operations/alert-operations.ts';
import type { auditOperations } from '@waxwing/contract/management-api/operations/audit-operations.ts';
import type { carrierOperations } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import type { certificateOperations } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import type { deploymentOperations } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import type { instanceAccountOperations } from '@waxwing/contract/management-api/operations/instance-account-operations.ts';
import type { instanceOperations } from '@waxwing/contract/management-api/operations/instance-operations.ts';
import type { managementKeyOperations } from '@waxwing/contract/management-api/operations/management-key-operations.ts';
import type { messageOperations } from '@waxwing/contract/management-api/operations/message-operations.ts';
import type { messagingKeyOperations } from '@waxwing/contract/management-api/operations/messaging-key-operations.ts';
import type { messagingListOperations } from '@waxwing/contract/management-api/operations/messaging-list-operations.ts';
import type { messagingSettingOperations } from '@waxwing/contract/management-api/operations/messaging-setting-operations.ts';
import type { organizationOperations } from '@waxwing/contract/management-api/operations/organization-operations.ts';
import type { pushOperations } from '@waxwing/contract/management-api/operations/push-operations.ts';
import type { pushSettingOperations } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import type { Probe } from '../../http/probes.ts';
import type { machineOperations } from './machine-operations.ts';

/** Types alone: only who calls an operation loads the schemas of all. */
type Known = (
  | typeof accountOperations
  | typeof alertOperations
  | typeof auditOperations
  | typeof carrierOperations
  | typeof certificateOperations
  | typeof deploymentOperations
  | typeof instanceAccountOperations
  | typeof instanceOperations
  | typeof machineOperations
  | typeof managementKeyOperations
  | typeof messageOperations
  | typeof messagingKeyOperations
  | typeof messagingListOperations
  | typeof messagingSettingOperations
  | typeof organizationOperations
  | typeof pushOperations
  | typeof pushSettingOperations
)[number];

export type OperationId = Known['id'];
type Named<Id extends OperationId> = Extract<Known, { readonly id: Id }>;

export type ApiAnswer<Id extends OperationId> = AnswerOf<Named<Id>>;
export type ApiItem<Id extends OperationId> =
  ApiAnswer<Id> extends { readonly items: readonly (infer Item)[] } ? Item : never;

export interface PartsOf<Of extends Operation> {
  /** `organization_id` may be undefined: then it is `-`. */
  readonly params?: { readonly [Name in keyof ParamsOf<Of>]?: string | undefined };
  readonly query?: QueryOf<Of>;
  readonly body?: Shown<BodyOf<Of>>;
  /** Of an operation that needs `If-Match`: the one that reads what it changes. */
  readonly readBy?: OperationId;
}
export type ApiParts<Id extends OperationId> = PartsOf<Named<Id>>;

/** Which items of a list are wanted. */
export interface Part {
  /** At most so many; all when left out. */
  readonly limit?: number;
  /** The items behind this place, named by the fields that the list is sorted by. */
  readonly after?: string | readonly (string | number)[] | undefined;
}

export interface ApiServer {
  /** What answers, for people: an address, or the data folder of this machine. */
  readonly place: string;
  /** Whether it is ready; undefined where no server runs. */
  probe(): Promise<Probe | undefined>;
  /** Where customers reach it, as the last answer said. */
  readonly baseUrl: string;
  /** @throws Problem that the server answered, or that says why it did not */
  call<Id extends OperationId>(id: Id, parts?: ApiParts<Id>): Promise<ApiAnswer<Id>>;
  /** The items of a list, page by page. */
  list<Id extends OperationId>(id: Id, parts?: ApiParts<Id>, part?: Part): Promise<readonly ApiItem<Id>[]>;
}
