import type { Ground } from '../audit/ground.ts';
import { getKnownCertificate, requireCertificate } from '../certificates/certificate-lookup.ts';
import type { Db } from '../database/database.ts';
import type { DeploymentRow } from '../database/schema/certificate-tables.ts';
import type { Found } from '../database/sql/bounded-search.ts';
import { parseAllowList } from '../http/request/ip-allow-list.ts';
import { checkName } from '../organizations/organization.ts';
import {
  changedFacts,
  createTokenHolders,
  endOfMaker,
  flag,
  type HolderUpdate,
  holderColumns,
  requireChange,
} from '../organizations/token-holder.ts';
import { listTokens } from '../organizations/token-registry.ts';
import { newId } from '../runtime/clock.ts';
import { absent, Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import {
  type Deployment,
  type DeploymentDetails,
  type DeploymentRefusal,
  type DeploymentSettings,
  minuteMs,
  toDeployment,
  toDetails,
  toRefusal,
  toSettings,
} from './deployment.ts';
import {
  countDeployments,
  type DeploymentChange,
  type DeploymentFilter,
  deleteDeployment,
  findActivity,
  findDeployment,
  findDeployments,
  findPlaced,
  insertDeployment,
  listDeployments,
  listRefusals,
  lockDeployment,
  type PlacedDeployment,
  type SoughtDeployments,
  searchDeployments,
  updateDeployment,
} from './deployment-store.ts';

export interface NewDeployment {
  readonly certificateId: string;
  readonly name: string;
  /** Addresses and CIDR networks. Empty admits nobody. */
  readonly allow: readonly string[];
}

export interface DeploymentUpdate extends HolderUpdate {
  readonly permitted?: boolean | undefined;
  readonly queryToken?: boolean | undefined;
  /** Null takes the limit away. */
  readonly requestsPerMinute?: number | null | undefined;
}

export interface Deployments {
  /** The token is shown here and never again. */
  create(actor: string, request: NewDeployment): Promise<{ deployment: Deployment; token: SecretText }>;
  /**
   * @param requireSame is shown the deployment as it is, in the transaction that changes it, and throws when that is not
   *   what its caller has seen
   */
  update(
    actor: string,
    id: string,
    update: DeploymentUpdate,
    requireSame?: (current: DeploymentSettings) => void,
  ): Promise<Deployment>;
  /** A new token; the ones before stay valid for `overlapMs` more. */
  rotate(
    actor: string,
    id: string,
    overlapMs: number,
  ): Promise<{ deployment: Deployment; token: SecretText; formerValidUntil: string }>;
  list(filter: DeploymentFilter): Promise<Deployment[]>;
  /** Deployments that fit; of a bounded part of the list. */
  search(filter: DeploymentFilter, sought: SoughtDeployments): Promise<Found<Deployment>>;
  /** By the id; those that are not there (any more) are left out. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** How many each of the certificates has, by its id; those that have none are left out. */
  count(organizationId: string, certificateIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  show(id: string): Promise<DeploymentDetails>;
  /** What was refused, newest minutes first. @param after goes on after this one */
  listRefusals(id: string, limit: number, after?: Omit<DeploymentRefusal, 'count'>): Promise<DeploymentRefusal[]>;
  delete(actor: string, id: string): Promise<{ id: string }>;
}

/** How many deployments a certificate has. */
export async function countDeploymentsOf(
  db: Db,
  { organization_id, id }: { readonly organization_id: string; readonly id: string },
): Promise<number> {
  return (await countDeployments(db, organization_id, [id])).get(id) ?? 0;
}

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

const refusalsShown = 50;
const rateLimit = 1_000_000;

export function createDeployments({ database, feed, audit, clock }: Needs): Deployments {
  const holders = createTokenHolders({ feed, audit, clock }, { subject: 'deployment', tokens: 'deployment' });

  async function get(id: string): Promise<DeploymentRow> {
    const row = await findDeployment(database.db, id);
    return row ?? absent('deployment', id);
  }

  async function getPlaced(db: Db, id: string): Promise<PlacedDeployment> {
    return (await findPlaced(db, id)) ?? absent('deployment', id);
  }

  return {
    async create(actor, request) {
      const certificate = await getKnownCertificate(database.db, request.certificateId, 'certificate');
      if (!certificate.retrievable) {
        throw new Problem('conflict', {
          field: 'certificate',
          reason: 'nothing_to_hand_out',
          detail: `Certificate ${certificate.id} is ${certificate.state}: there is nothing to hand out. Import or issue it first.`,
        });
      }
      const at = clock.now();
      const row: DeploymentRow = {
        organization_id: certificate.organizationId,
        id: newId(at),
        certificate_id: certificate.id,
        name: checkName('name', request.name),
        enabled: 1,
        permitted: 1,
        query_token: 1,
        allow_list: JSON.stringify(parseAllowList(request.allow)),
        requests_per_minute: null,
        expires_at: await endOfMaker(database.db, actor),
        created_at: at,
        updated_at: at,
      };
      const detail = { certificate: certificate.id, name: row.name, allow: JSON.parse(row.allow_list) as unknown };
      return holders.change(actor, 'create', row, detail, async (trx) => {
        await requireCertificate(trx, database, certificate.id);
        await insertDeployment(trx, row);
        const token = await holders.issue(trx, actor, row, at);
        return { deployment: toDeployment(await getPlaced(trx, row.id)), token };
      });
    },

    async update(actor, id, update, requireSame) {
      const row = await get(id);
      const columns = toColumns(update);
      requireChange(columns);
      const detail = changedFacts(toSettings({ ...row, ...columns }), columns);
      return holders.update(actor, row, columns, detail, async (trx, at) => {
        requireSame?.(toSettings((await lockDeployment(database, trx, id)) ?? absent('deployment', id)));
        await updateDeployment(trx, row, columns, at);
        return toDeployment(await getPlaced(trx, id));
      });
    },

    async rotate(actor, id, overlapMs) {
      const former = await getPlaced(database.db, id);
      const { row, ...rotated } = await holders.rotate(actor, former, overlapMs, async (trx, at) => {
        await updateDeployment(trx, former, {}, at);
        return getPlaced(trx, id);
      });
      return { deployment: toDeployment(row), ...rotated };
    },

    list: async (filter) => (await listDeployments(database.db, filter)).map(toDeployment),

    async search(filter, sought) {
      const { rows, reached } = await searchDeployments(database.db, filter, sought);
      return { rows: rows.map(toDeployment), ...(reached !== undefined && { reached: toDeployment(reached) }) };
    },

    async names(ids) {
      return new Map((await findDeployments(database.db, ids)).map(({ id, name }) => [id, name]));
    },

    count: (organizationId, certificateIds) => countDeployments(database.db, organizationId, certificateIds),

    async show(id) {
      const row = await getPlaced(database.db, id);
      return toDetails(
        row,
        await listTokens(database.db, row.organization_id, row.id),
        await findActivity(database.db, row),
        await listRefusals(database.db, row, refusalsShown),
      );
    },

    async listRefusals(id, limit, after) {
      const position = after && { ...after, minute: Math.floor(Date.parse(after.minute) / minuteMs) };
      return (await listRefusals(database.db, await get(id), limit, position)).map(toRefusal);
    },

    async delete(actor, id) {
      await holders.delete(actor, await get(id), async (trx, row) => {
        if (!(await deleteDeployment(trx, row))) absent('deployment', id);
      });
      return { id };
    },
  };
}

function toColumns(update: DeploymentUpdate): DeploymentChange {
  return {
    ...holderColumns(update),
    ...(update.permitted === undefined ? {} : { permitted: flag(update.permitted) }),
    ...(update.queryToken === undefined ? {} : { query_token: flag(update.queryToken) }),
    ...(update.requestsPerMinute === undefined ? {} : { requests_per_minute: checkRate(update.requestsPerMinute) }),
  };
}

function checkRate(rate: number | null): number | null {
  if (rate === null || (Number.isInteger(rate) && rate >= 1 && rate <= rateLimit)) return rate;
  throw new Problem('invalid_parameter', {
    field: 'requests_per_minute',
    detail: `requests_per_minute must be a whole number from 1 to ${rateLimit}, or off.`,
  });
}
