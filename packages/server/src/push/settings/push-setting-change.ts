import type { PushKind } from '@waxwing/contract/push-request.ts';
import { Problem } from '../../runtime/problem.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import { type SettingLimit, settingLimits } from './push-setting.ts';
import type { SettingChange } from './push-setting-store.ts';

export interface PushSettingRequest {
  readonly organizationId: string;
  readonly kind: PushKind;
  /** Needed to make a setting. */
  readonly url?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** 1 to 30. */
  readonly timeoutSeconds?: number | undefined;
  /** Attempts after the first, 0 to 10. */
  readonly retries?: number | undefined;
  /** Attempts at once, 1 to 64. */
  readonly concurrency?: number | undefined;
  /** A new one, none, or the customer's own `whsec_…`. One that is replaced signs beside a new one for 24 h. */
  readonly secret?: 'generate' | 'none' | SecretText | undefined;
}

/** What became of the secret that was asked for: `unchanged` when it was the current one already. */
export type SecretChange = 'new' | 'none' | 'unchanged';

/** @throws Problem `invalid_parameter` naming the field that is beyond its limits */
export function toChange(request: PushSettingRequest): SettingChange {
  const { url, enabled, timeoutSeconds, retries, concurrency } = request;
  const { timeout, retries: attempts, concurrency: atOnce } = settingLimits;
  return {
    ...(url === undefined ? {} : { url }),
    ...(enabled === undefined ? {} : { enabled: enabled ? 1 : 0 }),
    ...(timeoutSeconds === undefined ? {} : { timeout_ms: within('timeout', timeoutSeconds, timeout) * 1000 }),
    ...(retries === undefined ? {} : { retries: within('retries', retries, attempts) }),
    ...(concurrency === undefined ? {} : { concurrency: within('concurrency', concurrency, atOnce) }),
  };
}

function within(field: string, value: number, { least, most }: SettingLimit): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Problem('invalid_parameter', {
    field,
    detail: `${field} must be a whole number from ${least} to ${most}.`,
  });
}

/** The URL without its query, which may hold a secret of the customer. */
export function auditDetail(request: PushSettingRequest, change: SettingChange, secret?: SecretChange) {
  const { url, ...rest } = change;
  return {
    kind: request.kind,
    ...rest,
    ...(url === undefined ? {} : { url: url.replace(/[?#].*$/s, '?***') }),
    ...(secret === undefined ? {} : { secret }),
  };
}
