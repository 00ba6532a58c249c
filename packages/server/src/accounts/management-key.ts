import type { ManagementKeyRow } from '../database/account-tables.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { RegisteredToken } from './token-registry.ts';

/** What automation manages with, as people and scripts see it. */
export interface ManagementKey {
  readonly id: string;
  /** Null: of the whole instance. */
  readonly organization_id: string | null;
  readonly name: string;
  readonly role: ManagementKeyRow['role'];
  readonly enabled: boolean;
  readonly allow: readonly string[];
  readonly expires_at: string | null;
  readonly created_by: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ManagementKeyDetails extends ManagementKey {
  readonly tokens: readonly { hint: string; created_at: string; expires_at: string | null }[];
}

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

export function toManagementKeyDetails(
  row: ManagementKeyRow,
  tokens: readonly RegisteredToken[],
): ManagementKeyDetails {
  return {
    ...toManagementKey(row),
    tokens: tokens.map(({ hint, createdAt, expiresAt }) => ({
      hint,
      created_at: toRfc3339(createdAt),
      expires_at: expiresAt === null ? null : toRfc3339(expiresAt),
    })),
  };
}
