import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import type {
  DeploymentActivityRow,
  DeploymentRefusalRow,
  DeploymentRow,
} from '../database/schema/certificate-tables.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { PlacedDeployment } from './deployment-store.ts';
import { outdatedSince } from './outdated-since.ts';

/** A server deployment as people and scripts see it: one server's (or group's) right to fetch one certificate. */
export type Deployment = Shown<contract.Deployment>;
/** What people set of a deployment. What servers fetch is no part of it, nor of its ETag. */
export type DeploymentSettings = ReturnType<typeof toSettings>;
export type DeploymentDetails = Shown<contract.DeploymentDetails>;
/** Refused requests with a known token, in one minute. */
export type DeploymentRefusal = DeploymentDetails['refusals'][number];

export function toDeployment(row: PlacedDeployment, now: number): Deployment {
  return {
    ...toSettings(row),
    current_version: row.current_version,
    last_version: row.last_version,
    last_version_number: row.last_version_number,
    last_seen_at: orNull(row.last_seen_at),
    last_user_agent: row.last_user_agent,
    outdated_since: orNull(outdatedSince(row, now)),
  };
}

export function toSettings(row: DeploymentRow) {
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

export function toActivity(row: DeploymentActivityRow): NonNullable<DeploymentDetails['activity']> {
  return {
    last_seen_at: toRfc3339(row.last_seen_at),
    last_address: row.last_address,
    last_user_agent: row.last_user_agent,
    last_version: row.last_version,
    successes: row.successes,
    not_modified: row.not_modified,
  };
}

export function toRefusal({ minute, reason, address, count }: DeploymentRefusalRow): DeploymentRefusal {
  return { minute: toRfc3339(minute * minuteMs), reason, address, count };
}
