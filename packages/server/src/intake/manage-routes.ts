import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import { requireOrganization } from '../accounts/organization.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { type Database, isUniqueViolation } from '../database/connect.ts';
import type { RouteRow } from '../database/message-tables.ts';
import { type Clock, newId, toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { deleteRoute, findRoute, insertRoute, listRoutes, type RoutePart } from './intake-store.ts';
import { bareAddress } from './reply.ts';

/** Which organization owns an inbound number of a carrier, or all that begin with a prefix. */
export interface Route {
  readonly id: string;
  readonly organization_id: string;
  readonly carrier: string;
  readonly kind: 'number' | 'prefix';
  /** Without `+`. */
  readonly address: string;
  readonly created_at: string;
}

export interface NewRoute {
  readonly organizationId: string;
  /** The carrier's id. */
  readonly carrier: string;
  readonly kind: 'number' | 'prefix';
  readonly address: string;
}

export interface Routes {
  add(actor: string, route: NewRoute): Promise<Route>;
  /** @param organizationId undefined: of all organizations */
  list(organizationId?: string, part?: RoutePart): Promise<Route[]>;
  remove(actor: string, id: string): Promise<{ id: string }>;
}

interface Needs {
  readonly database: Database;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  /** Ids of the carriers that there are. */
  readonly carriers: () => readonly string[];
}

export function createRoutes({ database, audit, clock, carriers }: Needs): Routes {
  return {
    async add(actor, { organizationId, carrier, kind, address }) {
      await requireOrganization(database.db, organizationId);
      const at = clock.now();
      const row: RouteRow = {
        id: newId(at),
        organization_id: organizationId,
        carrier_id: checkCarrier(carrier, carriers()),
        kind,
        address: checkAddress(kind, address),
        created_at: at,
      };
      try {
        await database.transaction(async (trx) => {
          await insertRoute(trx, row);
          await audit.record(trx, [toEvent(actor, 'route.add', row, at)]);
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Problem('conflict', {
          field: kind,
          reason: 'already_routed',
          detail: `This ${kind} of carrier ${carrier} has a route already. "route list" shows it.`,
        });
      }
      return toRoute(row);
    },

    list: async (organizationId, part) => (await listRoutes(database.db, organizationId, part)).map(toRoute),

    async remove(actor, id) {
      const row = (await findRoute(database.db, id)) ?? absent(id);
      await database.transaction(async (trx) => {
        if (!(await deleteRoute(trx, id))) absent(id);
        await audit.record(trx, [toEvent(actor, 'route.remove', row, clock.now())]);
      });
      return { id };
    },
  };
}

function absent(id: string): never {
  throw new Problem('not_found', {
    field: 'route',
    detail: `There is no route ${id}. "route list" shows those there are.`,
  });
}

function checkCarrier(carrier: string, known: readonly string[]): string {
  if (known.includes(carrier)) return carrier;
  throw new Problem('invalid_parameter', {
    field: 'carrier',
    detail: `carrier must be one of ${known.join(', ')}.`,
  });
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
  // An inbound number is the operator's own, no customer's phone: it may stand in the audit trail.
  const detail = JSON.stringify({ carrier: row.carrier_id, [row.kind]: row.address });
  return { organizationId: row.organization_id, actor, action, subject: row.id, at, detail };
}

function toRoute(row: RouteRow): Route {
  return {
    id: row.id,
    organization_id: row.organization_id,
    carrier: row.carrier_id,
    kind: row.kind,
    address: row.address,
    created_at: toRfc3339(row.created_at),
  };
}
