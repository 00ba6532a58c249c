import type { Ground } from '../audit/ground.ts';
import { getKnownCertificate, requireCertificate } from '../certificates/certificate-lookup.ts';
import type { Db } from '../database/database.ts';
import type { DeploymentRow } from '../database/schema/certificate-tables.ts';
import type { Found } from '../database/sql/bounded-search.ts';
import {
  createTokenHolders,
  type HolderUpdate,
  holderColumns,
  type NewHolder,
  type PermissionUpdate,
  permissionColumns,
} from '../organizations/token-holder.ts';
import { absent, Problem } from '../runtime/problem.ts';
import {
  type Deployment,
  type DeploymentRefusal,
  type DeploymentSettings,
  minuteMs,
  toActivity,
  toDeployment,
  toRefusal,
  toSettings,
} from './deployment.ts';
import {
  countDeployments,
  type DeploymentFilter,
  deleteFigures,
  findActivity,
  findDeployments,
  findPlaced,
  listDeployments,
  listRefusals,
  type PlacedDeployment,
  type SoughtDeployments,
  searchDeployments,
} from './deployment-store.ts';

interface NewDeployment extends Pick<NewHolder, 'name' | 'allow'> {
  readonly certificateId: string;
}

export interface DeploymentUpdate extends HolderUpdate, PermissionUpdate {
  /** Null takes the limit away. */
  readonly requestsPerMinute?: number | null | undefined;
}

export type Deployments = ReturnType<typeof createDeployments>;

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

const refusalsShown = 50;
const rateLimit = 1_000_000;

export function createDeployments(needs: Needs) {
  const { database, clock } = needs;
  const placed = async (db: Db, { id }: Pick<DeploymentRow, 'id'>): Promise<Deployment> =>
    toDeployment((await findPlaced(db, id)) ?? absent('deployment', id), clock.now());
  const holders = createTokenHolders(needs, 'deployment', toSettings, placed);

  return {
    /** The token is shown here and never again. */
    async create(actor: string, { certificateId, name, allow }: NewDeployment) {
      const certificate = await getKnownCertificate(database.db, certificateId, 'certificate');
      // One that is pending or failed may be issued later: until then its token is answered that there is none.
      if (!certificate.retrievable && certificate.state !== 'pending' && certificate.state !== 'failed') {
        throw new Problem('conflict', {
          field: 'certificate',
          reason: 'nothing_to_hand_out',
          detail: `Certificate ${certificate.id} is ${certificate.state}: there is nothing to hand out. Import or issue it first.`,
        });
      }
      const row = {
        ...(await holders.draft(actor, { organizationId: certificate.organizationId, name, allow })),
        certificate_id: certificate.id,
        permitted: 1,
        query_token: 1,
        requests_per_minute: null,
      } as const;
      const shown = toSettings(row);
      const detail = { certificate: certificate.id, name: shown.name, allow: shown.allow };
      const { holder, token } = await holders.create(actor, row, detail, (trx) =>
        requireCertificate(trx, database, certificate.id),
      );
      return { deployment: holder, token };
    },

    /**
     * @param requireSame receives the deployment as it is, in the transaction that changes it, and throws when its
     *   caller has seen another state
     */
    async update(
      actor: string,
      id: string,
      update: DeploymentUpdate,
      requireSame?: (current: DeploymentSettings) => void,
    ): Promise<Deployment> {
      const row = await holders.get(id);
      const { requestsPerMinute } = update;
      const columns = {
        ...holderColumns(update),
        ...permissionColumns(update),
        ...(requestsPerMinute === undefined ? {} : { requests_per_minute: checkRate(requestsPerMinute) }),
      };
      return holders.update(actor, row, columns, requireSame);
    },

    /** A new token; the ones before stay valid for `overlapMs` more. */
    async rotate(actor: string, id: string, overlapMs: number) {
      const { holder, ...rotated } = await holders.rotate(actor, await holders.get(id), overlapMs);
      return { deployment: holder, ...rotated };
    },

    async list(filter: DeploymentFilter) {
      const now = clock.now();
      return (await listDeployments(database.db, filter)).map((row) => toDeployment(row, now));
    },

    /** Deployments that fit, of a bounded part of the list. */
    async search(filter: DeploymentFilter, sought: SoughtDeployments): Promise<Found<Deployment>> {
      const now = clock.now();
      const { rows, reached } = await searchDeployments(database.db, filter, sought, now);
      const show = (row: PlacedDeployment) => toDeployment(row, now);
      return { rows: rows.map(show), ...(reached !== undefined && { reached: show(reached) }) };
    },

    /** The names of deployments by their ids. Deleted and unknown ones are left out. */
    async names(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
      return new Map((await findDeployments(database.db, ids)).map(({ id, name }) => [id, name]));
    },

    /** The number of deployments of each certificate, by its id. Certificates without one are left out. */
    count: (organizationId: string, certificateIds: readonly string[]) =>
      countDeployments(database.db, organizationId, certificateIds),

    async show(id: string) {
      const held = { ...(await placed(database.db, { id })), ...(await holders.show(id)) };
      const activity = await findActivity(database.db, held);
      const refusals = await listRefusals(database.db, held, refusalsShown);
      return {
        ...held,
        activity: activity === undefined ? null : toActivity(activity),
        refusals: refusals.map(toRefusal),
      };
    },

    /** The counted refusals, newest minutes first. @param after goes on after this one */
    async listRefusals(id: string, limit: number, after?: Omit<DeploymentRefusal, 'count'>) {
      const position = after && { ...after, minute: Math.floor(Date.parse(after.minute) / minuteMs) };
      return (await listRefusals(database.db, await holders.get(id), limit, position)).map(toRefusal);
    },

    async delete(actor: string, id: string) {
      const row = await holders.get(id);
      await holders.delete(actor, row, (trx) => deleteFigures(trx, row));
    },
  };
}

function checkRate(rate: number | null): number | null {
  if (rate === null || (Number.isInteger(rate) && rate >= 1 && rate <= rateLimit)) return rate;
  throw new Problem('invalid_parameter', {
    field: 'requests_per_minute',
    detail: `requests_per_minute must be a whole number from 1 to ${rateLimit}, or off.`,
  });
}
