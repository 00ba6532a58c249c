import { checkName } from '../accounts/organization.ts';
import { expireTokens, listTokens, registerToken, removeTokens } from '../accounts/token-registry.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { getKnownCertificate } from '../certificates/certificate-lookup.ts';
import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database, Db } from '../database/connect.ts';
import type { Found } from '../database/look-through.ts';
import type { DeploymentRow } from '../database/tables.ts';
import { parseAllowList } from '../http/ip-allow-list.ts';
import { type Clock, newId, toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import { issueToken } from '../secrets/token.ts';
import {
  type Deployment,
  type DeploymentDetails,
  type DeploymentRefusal,
  minuteMs,
  toDeployment,
  toDetails,
  toRefusal,
} from './deployment.ts';
import {
  countDeployments,
  type DeploymentChange,
  type DeploymentFilter,
  deleteDeployment,
  findActivity,
  findDeployment,
  findDeployments,
  insertDeployment,
  listDeployments,
  listRefusals,
  lockDeployment,
  searchDeployments,
  updateDeployment,
} from './deployment-store.ts';

export interface NewDeployment {
  readonly certificateId: string;
  readonly name: string;
  /** Addresses and CIDR networks. Empty admits nobody. */
  readonly allow: readonly string[];
}

export interface DeploymentUpdate {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly permitted?: boolean | undefined;
  readonly queryToken?: boolean | undefined;
  readonly allow?: readonly string[] | undefined;
  /** Null takes the limit away. */
  readonly requestsPerMinute?: number | null | undefined;
  /** Epoch milliseconds; null: does not expire. */
  readonly expiresAt?: number | null | undefined;
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
    requireSame?: (current: Deployment) => void,
  ): Promise<Deployment>;
  /** A new token; the ones before stay valid for `overlapMs` more. */
  rotate(
    actor: string,
    id: string,
    overlapMs: number,
  ): Promise<{ deployment: Deployment; token: SecretText; formerValidUntil: string }>;
  list(filter: DeploymentFilter): Promise<Deployment[]>;
  /** Those whose name, or a domain of whose certificate, has `search` in it; of a bounded part of the list. */
  search(filter: DeploymentFilter, search: string): Promise<Found<Deployment>>;
  /** By the id; those that are not there (any more) are left out. */
  names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** How many each of the certificates has, by its id; those that have none are left out. */
  count(organizationId: string, certificateIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  show(id: string): Promise<DeploymentDetails>;
  /** What was refused, newest minutes first. @param after goes on after this one */
  listRefusals(id: string, limit: number, after?: Omit<DeploymentRefusal, 'count'>): Promise<DeploymentRefusal[]>;
  delete(actor: string, id: string): Promise<{ id: string }>;
}

interface Needs {
  readonly database: Database;
  readonly feed: ChangeFeed;
  readonly audit: AuditTrail;
  readonly clock: Clock;
}

const refusalsShown = 50;
const overlapLimitMs = 30 * 86_400_000;
const rateLimit = 1_000_000;
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export function createDeployments({ database, feed, audit, clock }: Needs): Deployments {
  /** Every change: its rows, the note for the caches, the audit entry, in one transaction. */
  async function change(
    actor: string,
    action: string,
    row: DeploymentRow,
    detail: Record<string, unknown>,
    write: (trx: Db, at: number) => Promise<void>,
  ): Promise<void> {
    const at = clock.now();
    await feed.write(async (trx, note) => {
      await write(trx, at);
      note('deployment', row.id, row.organization_id);
      await audit.record(trx, [
        { organizationId: row.organization_id, actor, action, subject: row.id, at, detail: JSON.stringify(detail) },
      ]);
    });
  }

  async function get(id: string): Promise<DeploymentRow> {
    const row = await findDeployment(database.db, id);
    return row ?? absent(id);
  }

  async function issue(trx: Db, row: DeploymentRow, at: number): Promise<SecretText> {
    const token = issueToken('deployment');
    await registerToken(trx, {
      hash: token.hash.toString('hex'),
      kind: 'deployment',
      organizationId: row.organization_id,
      subjectId: row.id,
      hint: token.hint,
      createdAt: at,
      expiresAt: null,
    });
    return token.clear;
  }

  return {
    async create(actor, request) {
      const certificate = await getKnownCertificate(database.db, request.certificateId, 'certificate');
      if (!certificate.retrievable) {
        throw new Problem('conflict', {
          field: 'certificate',
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
        expires_at: null,
        created_at: at,
        updated_at: at,
      };
      let token: SecretText | undefined;
      await change(
        actor,
        'deployment.create',
        row,
        { certificate: certificate.id, name: row.name, allow: JSON.parse(row.allow_list) },
        async (trx) => {
          await insertDeployment(trx, row);
          token = await issue(trx, row, at);
        },
      );
      return { deployment: toDeployment(row), token: token as SecretText };
    },

    async update(actor, id, update, requireSame) {
      const row = await get(id);
      const columns = toColumns(update);
      if (Object.keys(columns).length === 0) {
        throw new Problem('invalid_parameter', { field: 'update', detail: 'Name at least one thing to change.' });
      }
      let updated: DeploymentRow | undefined;
      await change(actor, 'deployment.update', row, toDetail(row, columns), async (trx, at) => {
        requireSame?.(toDeployment((await lockDeployment(database, trx, id)) ?? absent(id)));
        updated = (await updateDeployment(trx, row, columns, at)) ?? absent(id);
      });
      return toDeployment(updated ?? row);
    },

    async rotate(actor, id, overlapMs) {
      if (!(overlapMs >= 0 && overlapMs <= overlapLimitMs)) {
        throw new Problem('invalid_parameter', { field: 'overlap', detail: 'overlap must lie between 0 and 30 days.' });
      }
      const row = await get(id);
      let token: SecretText | undefined;
      let rotated: DeploymentRow | undefined;
      let until = 0;
      await change(actor, 'deployment.rotate', row, { overlap_seconds: overlapMs / 1000 }, async (trx, at) => {
        until = at + overlapMs;
        rotated = (await updateDeployment(trx, row, {}, at)) ?? absent(id);
        await expireTokens(trx, row.organization_id, row.id, until);
        token = await issue(trx, row, at);
      });
      return {
        deployment: toDeployment(rotated ?? row),
        token: token as SecretText,
        formerValidUntil: toRfc3339(until),
      };
    },

    list: async (filter) => (await listDeployments(database.db, filter)).map(toDeployment),

    async search(filter, search) {
      const { rows, reached } = await searchDeployments(database.db, filter, search);
      return { rows: rows.map(toDeployment), ...(reached !== undefined && { reached: toDeployment(reached) }) };
    },

    async names(ids) {
      return new Map((await findDeployments(database.db, ids)).map(({ id, name }) => [id, name]));
    },

    count: (organizationId, certificateIds) => countDeployments(database.db, organizationId, certificateIds),

    async show(id) {
      const row = await get(id);
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
      const row = await get(id);
      await change(actor, 'deployment.delete', row, { name: row.name }, async (trx) => {
        if (!(await deleteDeployment(trx, row))) absent(id);
        await removeTokens(trx, row.organization_id, row.id);
      });
      return { id };
    },
  };
}

/** Also when it was deleted while it was being changed: then nothing of the change stays. */
function absent(id: string): never {
  throw new Problem('not_found', {
    field: 'deployment',
    detail: `There is no deployment ${id}. "deployment list" shows those there are.`,
  });
}

/** What changes, named and formed as people see it. */
function toDetail(row: DeploymentRow, columns: DeploymentChange): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...toDeployment({ ...row, ...columns }) };
  const names = Object.keys(columns).map((column) => (column === 'allow_list' ? 'allow' : column));
  return Object.fromEntries(names.map((name) => [name, shown[name]]));
}

function toColumns(update: DeploymentUpdate): DeploymentChange {
  const flag = (value: boolean): 0 | 1 => (value ? 1 : 0);
  return {
    ...(update.name === undefined ? {} : { name: checkName('name', update.name) }),
    ...(update.enabled === undefined ? {} : { enabled: flag(update.enabled) }),
    ...(update.permitted === undefined ? {} : { permitted: flag(update.permitted) }),
    ...(update.queryToken === undefined ? {} : { query_token: flag(update.queryToken) }),
    ...(update.allow === undefined ? {} : { allow_list: JSON.stringify(parseAllowList(update.allow)) }),
    ...(update.requestsPerMinute === undefined ? {} : { requests_per_minute: checkRate(update.requestsPerMinute) }),
    ...(update.expiresAt === undefined ? {} : { expires_at: checkExpiry(update.expiresAt) }),
  };
}

function checkRate(rate: number | null): number | null {
  if (rate === null || (Number.isInteger(rate) && rate >= 1 && rate <= rateLimit)) return rate;
  throw new Problem('invalid_parameter', {
    field: 'requests_per_minute',
    detail: `requests_per_minute must be a whole number from 1 to ${rateLimit}, or off.`,
  });
}

function checkExpiry(at: number | null): number | null {
  if (at === null || (Number.isInteger(at) && at >= 0 && at <= latestExpiry)) return at;
  throw new Problem('invalid_parameter', {
    field: 'expires_at',
    detail: 'expires_at must be a moment from 1970 to 9999, or never.',
  });
}
