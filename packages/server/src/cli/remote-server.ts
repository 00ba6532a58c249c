/** What a command line asks of a server elsewhere: the operations of the management API, by their ids. */
import type { accountOperations } from '@waxwing/contract/management-api/account-operations.ts';
import type { auditOperations } from '@waxwing/contract/management-api/audit-operations.ts';
import type { carrierOperations } from '@waxwing/contract/management-api/carrier-operations.ts';
import type { certificateOperations } from '@waxwing/contract/management-api/certificate-operations.ts';
import type { deploymentOperations } from '@waxwing/contract/management-api/deployment-operations.ts';
import type { instanceAccountOperations } from '@waxwing/contract/management-api/instance-account-operations.ts';
import type { managementKeyOperations } from '@waxwing/contract/management-api/management-key-operations.ts';
import type { messageOperations } from '@waxwing/contract/management-api/message-operations.ts';
import type { messagingKeyOperations } from '@waxwing/contract/management-api/messaging-key-operations.ts';
import type { messagingListOperations } from '@waxwing/contract/management-api/messaging-list-operations.ts';
import type { messagingSettingOperations } from '@waxwing/contract/management-api/messaging-setting-operations.ts';
import type {
  AnswerOf,
  BodyOf,
  Operation,
  ParamsOf,
  QueryOf,
  Shown,
} from '@waxwing/contract/management-api/operation.ts';
import type { organizationOperations } from '@waxwing/contract/management-api/organization-operations.ts';
import type { pushOperations } from '@waxwing/contract/management-api/push-operations.ts';
import type { pushSettingOperations } from '@waxwing/contract/management-api/push-setting-operations.ts';

/** Types alone: a command line that asks no server shall not load the schemas of all operations. */
type Known = (
  | typeof accountOperations
  | typeof auditOperations
  | typeof carrierOperations
  | typeof certificateOperations
  | typeof deploymentOperations
  | typeof instanceAccountOperations
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

export type RemoteAnswer<Id extends OperationId> = AnswerOf<Named<Id>>;
export type RemoteItem<Id extends OperationId> =
  RemoteAnswer<Id> extends { readonly items: readonly (infer Item)[] } ? Item : never;

export interface PartsOf<Of extends Operation> {
  /** `organization_id` may be undefined: then it is the only organization that the key sees. */
  readonly params?: { readonly [Name in keyof ParamsOf<Of>]: string | undefined };
  readonly query?: QueryOf<Of>;
  readonly body?: Shown<BodyOf<Of>>;
  /** Of an operation that needs `If-Match`: the one that reads what it changes. */
  readonly readBy?: OperationId;
}
export type RemoteParts<Id extends OperationId> = PartsOf<Named<Id>>;

/** Which items of a list are wanted. */
export interface Part<Item> {
  /** At most so many; all when left out. */
  readonly limit?: number;
  /** What is passed over on the way: the API has no position but the end of its last page. */
  isWanted?(item: Item): boolean;
}

export interface RemoteServer {
  /** As the person gave it, without a slash at its end. */
  readonly url: string;
  /** @throws Problem that the server answered, or that says why it did not */
  call<Id extends OperationId>(id: Id, parts?: RemoteParts<Id>): Promise<RemoteAnswer<Id>>;
  /** The items of a list, page by page. */
  list<Id extends OperationId>(
    id: Id,
    parts: RemoteParts<Id>,
    part?: Part<RemoteItem<Id>>,
  ): Promise<readonly RemoteItem<Id>[]>;
}
