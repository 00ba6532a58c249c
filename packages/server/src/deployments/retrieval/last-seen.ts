import type { DeploymentActivityRow } from '../../database/schema/certificate-tables.ts';

/** Last-seen figures of deployments that wait to be written, added up. */
export interface LastSeen {
  /** Adds successes, or what could not be written; of two addresses the later one counts. */
  add(row: DeploymentActivityRow): void;
  /** Takes out the figures of those that have any. */
  take(deploymentIds: readonly string[]): DeploymentActivityRow[];
  deploymentIds(): string[];
  /** How many deployments there are figures of. */
  readonly size: number;
}

export function createLastSeen(): LastSeen {
  const rows = new Map<string, DeploymentActivityRow>();
  return {
    add(row) {
      const known = rows.get(row.deployment_id);
      if (known === undefined) {
        rows.set(row.deployment_id, row);
        return;
      }
      const latest = row.last_seen_at >= known.last_seen_at ? row : known;
      known.version_since =
        row.last_version === known.last_version
          ? Math.min(row.version_since, known.version_since)
          : latest.version_since;
      known.successes += row.successes;
      known.not_modified += row.not_modified;
      known.last_seen_at = latest.last_seen_at;
      known.last_address = latest.last_address;
      known.last_user_agent = latest.last_user_agent;
      known.last_version = latest.last_version;
    },
    take: (deploymentIds) =>
      deploymentIds.flatMap((id) => {
        const row = rows.get(id);
        rows.delete(id);
        return row ?? [];
      }),
    deploymentIds: () => [...rows.keys()],
    get size() {
      return rows.size;
    },
  };
}
