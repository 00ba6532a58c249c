import type {
  DeploymentActivityRow,
  DeploymentRefusalRow,
  DeploymentRow,
} from '../database/schema/certificate-tables.ts';
import type { RegisteredToken } from '../organizations/token-registry.ts';
import { toRfc3339 } from '../runtime/clock.ts';

/** A server deployment as people and scripts see it: one server's (or group's) right to fetch one certificate. */
export interface Deployment {
  readonly id: string;
  readonly organization_id: string;
  readonly certificate_id: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Off: the token is known, but has no deployment permission. */
  readonly permitted: boolean;
  /** Whether `key=` in the URL counts as a credential. */
  readonly query_token: boolean;
  readonly allow: readonly string[];
  /** Null: no limit of its own. */
  readonly requests_per_minute: number | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface DeploymentDetails extends Deployment {
  readonly tokens: readonly { hint: string; created_at: string; expires_at: string | null }[];
  readonly activity: {
    last_seen_at: string;
    last_address: string;
    last_user_agent: string;
    last_version: string;
    successes: number;
    not_modified: number;
  } | null;
  readonly refusals: readonly DeploymentRefusal[];
}

/** Refused requests with a known token, in one minute. */
export interface DeploymentRefusal {
  readonly minute: string;
  readonly reason: string;
  readonly address: string;
  readonly count: number;
}

export function toDeployment(row: DeploymentRow): Deployment {
  return {
    id: row.id,
    organization_id: row.organization_id,
    certificate_id: row.certificate_id,
    name: row.name,
    enabled: row.enabled === 1,
    permitted: row.permitted === 1,
    query_token: row.query_token === 1,
    allow: JSON.parse(row.allow_list) as string[],
    requests_per_minute: row.requests_per_minute,
    expires_at: row.expires_at === null ? null : toRfc3339(row.expires_at),
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
  };
}

export const minuteMs = 60_000;

export function toDetails(
  row: DeploymentRow,
  tokens: readonly RegisteredToken[],
  activity: DeploymentActivityRow | undefined,
  refusals: readonly DeploymentRefusalRow[],
): DeploymentDetails {
  return {
    ...toDeployment(row),
    tokens: tokens.map((token) => ({
      hint: token.hint,
      created_at: toRfc3339(token.createdAt),
      expires_at: token.expiresAt === null ? null : toRfc3339(token.expiresAt),
    })),
    activity:
      activity === undefined
        ? null
        : {
            last_seen_at: toRfc3339(activity.last_seen_at),
            last_address: activity.last_address,
            last_user_agent: activity.last_user_agent,
            last_version: activity.last_version,
            successes: activity.successes,
            not_modified: activity.not_modified,
          },
    refusals: refusals.map(toRefusal),
  };
}

export function toRefusal({ minute, reason, address, count }: DeploymentRefusalRow): DeploymentRefusal {
  return { minute: toRfc3339(minute * minuteMs), reason, address, count };
}
