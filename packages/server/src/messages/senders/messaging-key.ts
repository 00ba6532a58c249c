import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/messaging-key-operations.ts';
import type { MessagingKeyRow } from '../../database/schema/message-tables.ts';
import { toRfc3339 } from '../../runtime/clock.ts';

/** What a customer's system sends messages with, as people and scripts see it. */
export type MessagingKey = Shown<contract.MessagingKey>;

export function toMessagingKey(row: MessagingKeyRow): MessagingKey {
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    enabled: row.enabled === 1,
    permitted: row.permitted === 1,
    query_token: row.query_token === 1,
    allow: JSON.parse(row.allow_list) as string[],
    expires_at: row.expires_at === null ? null : toRfc3339(row.expires_at),
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
  };
}
