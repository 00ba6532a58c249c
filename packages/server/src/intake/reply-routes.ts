import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import type { Route } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import type { Ground } from '../audit/ground.ts';
import { type Db, isUniqueViolation } from '../database/database.ts';
import type { RouteRow } from '../database/schema/message-tables.ts';
import { lockOrganization } from '../organizations/organization.ts';
import { newId, toRfc3339 } from '../runtime/clock.ts';
import { absent, Problem } from '../runtime/problem.ts';
import { deleteRoute, findRoute, insertRoute, listRoutes, type RoutePart } from './intake-store.ts';
import { bareAddress } from './reply.ts';

export type { Route };

export interface NewRoute {
  readonly organizationId: string;
  readonly carrier: string;
  readonly kind: 'number' | 'prefix';
  readonly address: string;
}

export interface Routes {
  add(actor: string, route: NewRoute): Promise<Route>;
  /** @param organizationId undefined for all organizations */
  list(organizationId?: string, part?: RoutePart): Promise<Route[]>;
  /** @throws Problem `not_found`, naming `route` */
  get(id: string): Promise<Route>;
  remove(actor: string, id: string): Promise<{ id: string }>;
}

/** The carriers that replies come from. */
export interface ReplyCarriers {
  /**
   * Finds a carrier by its id or name, and keeps it until the transaction ends.
   * @throws Problem `invalid_parameter`, naming `carrier`
   */
  require(trx: Db, text: string): Promise<string>;
  /** By id, also of deleted ones. */
  names(): Promise<ReadonlyMap<string, string>>;
}

interface Needs extends Pick<Ground, 'database' | 'audit' | 'clock'> {
  readonly carriers: ReplyCarriers;
}

export function createReplyRoutes({ database, audit, clock, carriers }: Needs): Routes {
  return {
    async add(actor, { organizationId, carrier, kind, address }) {
      const at = clock.now();
      const id = newId(at);
      const checked = checkAddress(kind, address);
      let row: RouteRow;
      try {
        row = await database.transaction(async (trx) => {
          await lockOrganization(trx, database, organizationId);
          const carrierId = await carriers.require(trx, carrier);
          const added: RouteRow = {
            ...{ id, organization_id: organizationId, carrier_id: carrierId, kind, address: checked },
            created_at: at,
          };
          await insertRoute(trx, added);
          await audit.record(trx, [toEvent(actor, 'route.add', added, at)]);
          return added;
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Problem('conflict', {
          field: kind,
          reason: 'already_routed',
          detail: `This ${kind} of carrier ${carrier} has a route already. "route list" shows it.`,
        });
      }
      return toRoute(row, await carriers.names());
    },

    async list(organizationId, part) {
      const rows = await listRoutes(database.db, organizationId, part);
      const names = await carriers.names();
      return rows.map((row) => toRoute(row, names));
    },

    get: async (id) => toRoute((await findRoute(database.db, id)) ?? absent('route', id), await carriers.names()),

    async remove(actor, id) {
      const row = (await findRoute(database.db, id)) ?? absent('route', id);
      await database.transaction(async (trx) => {
        if (!(await deleteRoute(trx, id))) absent('route', id);
        await audit.record(trx, [toEvent(actor, 'route.remove', row, clock.now())]);
      });
      return { id };
    },
  };
}

/** Numbers, short codes and the names that carriers use as addresses. */
function checkAddress(kind: RouteRow['kind'], address: string): string {
  const bare = bareAddress(address);
  if (/^[\p{L}\p{N}._-]{1,20}$/u.test(bare)) return bare;
  throw new Problem('invalid_parameter', {
    field: kind,
    detail: `${kind} must have 1 to 20 digits or letters, with or without a leading +.`,
  });
}

function toEvent(actor: string, action: AuditAction, row: RouteRow, at: number) {
  // An inbound number is the operator's, not a customer's phone, so the audit trail may name it.
  const detail = JSON.stringify({ carrier: row.carrier_id, [row.kind]: row.address });
  return { organizationId: row.organization_id, actor, action, subject: row.id, at, detail };
}

function toRoute(row: RouteRow, names: ReadonlyMap<string, string>): Route {
  return {
    id: row.id,
    organization_id: row.organization_id,
    carrier: names.get(row.carrier_id) ?? row.carrier_id,
    kind: row.kind,
    address: row.address,
    created_at: toRfc3339(row.created_at),
  };
}
