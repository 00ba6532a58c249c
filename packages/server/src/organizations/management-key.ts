import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/management-key-operations.ts';
import type { ManagementKeyRow } from '../database/schema/account-tables.ts';
import { toRfc3339 } from '../runtime/clock.ts';

/** A management key as people and scripts see it. */
export type ManagementKey = Shown<contract.ManagementKey>;

export function toManagementKey(row: ManagementKeyRow): ManagementKey {
  return {
    id: row.id,
    organization_id: row.organization_id === '' ? null : row.organization_id,
    name: row.name,
    role: row.role,
    enabled: row.enabled === 1,
    allow: JSON.parse(row.allow_list) as string[],
    expires_at: row.expires_at === null ? null : toRfc3339(row.expires_at),
    created_by: row.created_by,
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
  };
}
