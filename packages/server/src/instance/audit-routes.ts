import type { QueryOf } from '@waxwing/contract/management-api/operation.ts';
import * as operations from '@waxwing/contract/management-api/operations/audit-operations.ts';
import { runsInstance } from '../api/actor.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import type { Page } from '../api/page-cursor.ts';
import type { AuditTrail, AuditVerdict, PlacedEvent } from '../audit/audit-trail.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { AuditNames } from './audit-names.ts';
import type { LongWork } from './long-work.ts';

type Filters = QueryOf<typeof operations.listAudit>;

/** Recomputes the chain, up to a head noted elsewhere if one is given. */
export type Verification = LongWork<{ link: number; mac: string } | undefined, AuditVerdict>;

export function auditRoutes(
  audit: Pick<AuditTrail, 'search'>,
  names: AuditNames,
  verification: Verification,
): readonly Binding[] {
  /** @param asMembersOf the organization of the caller; undefined for operators */
  async function read(
    organizationId: string | undefined,
    asMembersOf: string | undefined,
    filters: Filters,
    page: Page,
  ) {
    const [link, position = 0] = page.afterNumbers(2) ?? [];
    const { since, until, action, subject } = filters;
    const actor = filters.actor && (await actorOf(filters.actor, asMembersOf));
    // No account has that address.
    if (actor === null) return page.of([], () => []);
    const { rows, reached } = await audit.search({
      ...{ organizationId, actor, action, subject, limit: page.take },
      since: since === undefined ? undefined : Date.parse(since),
      until: until === undefined ? undefined : Date.parse(until),
      before: link === undefined ? undefined : { link, position },
    });
    const { items, next_cursor } = page.of(rows, (event) => [event.link, event.position], reached);
    const ids = items.flatMap((event) => [idOf(event.actor), event.subject]);
    const known = await names.find(ids, asMembersOf);
    return { items: items.map((event) => toShown(event, known)), next_cursor };
  }

  /** The actor as the trail names it. People can be asked for by email address. */
  async function actorOf(actor: string, asMembersOf: string | undefined): Promise<string | null> {
    if (!actor.includes('@') || actor.includes(':')) return actor;
    const accountId = await names.findAccountId(actor, asMembersOf);
    return accountId === undefined ? null : `account:${accountId}`;
  }

  return [
    bind(operations.listAudit, ({ actor, params, query, page }) => {
      const { organization_id: organizationId } = params;
      return read(organizationId, runsInstance(actor) ? undefined : organizationId, query, page);
    }),
    bind(operations.listInstanceAudit, ({ query, page }) => {
      const { organization_id: organizationId, ...filters } = query;
      return read(organizationId, undefined, filters, page);
    }),
    bind(operations.verifyAudit, async ({ body }) => {
      const { head } = body;
      const expected = head && { link: head.link, mac: head.mac.toLowerCase() };
      const { prunedDays, ...verdict } = await verification.run(expected);
      return { ok: verdict.faults.length === 0, ...verdict, pruned_days: prunedDays };
    }),
  ];
}

/** `account:01a1…` → `01a1…`. */
function idOf(actor: string): string {
  return actor.slice(actor.indexOf(':') + 1);
}

function toShown(event: PlacedEvent, known: ReadonlyMap<string, operations.AuditName>): operations.AuditEntry {
  const { link, at, organizationId, actor, action, subject, detail } = event;
  return {
    link,
    at: toRfc3339(at),
    organization_id: organizationId === '' ? null : organizationId,
    actor,
    actor_name: known.get(idOf(actor))?.name ?? null,
    action,
    subject,
    subject_name: known.get(subject) ?? null,
    detail: JSON.parse(detail) as Record<string, unknown>,
  };
}
