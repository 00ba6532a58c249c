import type {
  DeploymentActivityRow,
  DeploymentRefusalRow,
  DeploymentRow,
} from '../database/schema/certificate-tables.ts';
import type { RegisteredToken } from '../organizations/token-registry.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { PlacedDeployment } from './deployment-store.ts';
import { outdatedSince } from './outdated-since.ts';

/** What people set of a deployment. */
export interface DeploymentSettings {
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

/** A server deployment as people and scripts see it: one server's (or group's) right to fetch one certificate. */
export interface Deployment extends DeploymentSettings {
  /** Of its certificate. */
  readonly current_version: string | null;
  /** What it fetched last; null: nothing yet. */
  readonly last_version: string | null;
  readonly last_version_number: number | null;
  readonly last_seen_at: string | null;
  readonly last_user_agent: string | null;
  /** Null: it is not outdated. */
  readonly outdated_since: string | null;
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

export function toDeployment(row: PlacedDeployment): Deployment {
  return {
    ...toSettings(row),
    current_version: row.current_version,
    last_version: row.last_version,
    last_version_number: row.last_version_number,
    last_seen_at: orNull(row.last_seen_at),
    last_user_agent: row.last_user_agent,
    outdated_since: orNull(outdatedSince(row)),
  };
}

export function toSettings(row: DeploymentRow): DeploymentSettings {
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
    expires_at: orNull(row.expires_at),
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
  };
}

function orNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toRfc3339(epochMs);
}

export const minuteMs = 60_000;

export function toDetails(
  row: PlacedDeployment,
  tokens: readonly RegisteredToken[],
  activity: DeploymentActivityRow | undefined,
  refusals: readonly DeploymentRefusalRow[],
): DeploymentDetails {
  return {
    ...toDeployment(row),
    tokens: tokens.map((token) => ({
      hint: token.hint,
      created_at: toRfc3339(token.createdAt),
      expires_at: orNull(token.expiresAt),
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
