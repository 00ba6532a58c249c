import type { MessagingKeyRow } from '../../database/schema/message-tables.ts';
import type { RegisteredToken } from '../../organizations/token-registry.ts';
import { toRfc3339 } from '../../runtime/clock.ts';

/** What a customer's system sends messages with, as people and scripts see it. */
export interface MessagingKey {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  /** False: its tokens are refused as invalid (401). */
  readonly enabled: boolean;
  /** False: its tokens are known, but may not send (403). */
  readonly permitted: boolean;
  /** Whether `key=` in the URL counts as a credential. */
  readonly query_token: boolean;
  readonly allow: readonly string[];
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface MessagingKeyDetails extends MessagingKey {
  readonly tokens: readonly { hint: string; created_at: string; expires_at: string | null }[];
}

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

export function toMessagingKeyDetails(row: MessagingKeyRow, tokens: readonly RegisteredToken[]): MessagingKeyDetails {
  return {
    ...toMessagingKey(row),
    tokens: tokens.map(({ hint, createdAt, expiresAt }) => ({
      hint,
      created_at: toRfc3339(createdAt),
      expires_at: expiresAt === null ? null : toRfc3339(expiresAt),
    })),
  };
}
