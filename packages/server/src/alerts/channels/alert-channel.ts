import type { AlertChannel } from '@waxwing/contract/management-api/operations/alert-operations.ts';
import type { AlertChannelRow } from '../../database/schema/alert-tables.ts';
import { toRfc3339 } from '../../runtime/clock.ts';

export type { AlertChannel };

export function toAlertChannel(row: AlertChannelRow): AlertChannel {
  return {
    id: row.id,
    organization_id: row.organization_id === '' ? null : row.organization_id,
    kind: row.kind,
    name: row.name,
    enabled: row.enabled === 1,
    to: recipientsOf(row),
    host: row.host,
    signed: row.signed === 1,
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
    last_sent_at: row.last_sent_at === null ? null : toRfc3339(row.last_sent_at),
    last_error: row.last_error,
  };
}

export function recipientsOf({ recipients }: Pick<AlertChannelRow, 'recipients'>): string[] {
  return JSON.parse(recipients) as string[];
}

/** The receiver of a channel, as it may be shown. */
export function destinationOf(row: Pick<AlertChannelRow, 'recipients' | 'host'>): string {
  return row.host ?? recipientsOf(row).join(', ');
}
