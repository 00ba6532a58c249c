import type { PushKind } from '@waxwing/contract/push-request.ts';
import type { PushSettingRow } from '../../database/schema/push-tables.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import type { SealContext } from '../../secrets/envelope.ts';

/** Where an organization's pushes of one kind go, as people and scripts see it. */
export interface PushSetting {
  readonly id: string;
  readonly organization_id: string;
  readonly kind: PushKind;
  readonly url: string;
  readonly enabled: boolean;
  readonly timeout_seconds: number;
  /** Attempts after the first. */
  readonly retries: number;
  /** The most attempts that run at once. */
  readonly concurrency: number;
  readonly signed: boolean;
  /** Until when the secret replaced last signs beside the new one; null when none does. Those before it end earlier. */
  readonly former_secret_until: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** When it was last switched on or off. */
  readonly switched_at: string;
}

export interface SettingLimit {
  readonly least: number;
  readonly most: number;
  readonly standard: number;
}

/** The limits of each setting, and its default. */
export const settingLimits = {
  timeout: { least: 1, most: 30, standard: 10 },
  retries: { least: 0, most: 10, standard: 3 },
  concurrency: { least: 1, most: 64, standard: 64 },
} as const satisfies Record<string, SettingLimit>;

/** What the sealed secrets of settings are bound to. */
export function pushSecretContext(organizationId: string, settingId: string, secretId: string): SealContext {
  return { purpose: 'push-secret', ids: [organizationId, settingId, secretId] };
}

export function toPushSetting(
  row: PushSettingRow,
  url: string,
  signing: { readonly signed: boolean; readonly formerUntil: number | null },
): PushSetting {
  return {
    id: row.id,
    organization_id: row.organization_id,
    kind: row.kind,
    url,
    enabled: row.enabled === 1,
    timeout_seconds: row.timeout_ms / 1000,
    retries: row.retries,
    concurrency: row.concurrency,
    signed: signing.signed,
    former_secret_until: signing.formerUntil === null ? null : toRfc3339(signing.formerUntil),
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
    switched_at: toRfc3339(row.switched_at),
  };
}
