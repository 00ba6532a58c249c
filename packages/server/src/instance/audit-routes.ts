import * as operations from '@waxwing/contract/management-api/audit-operations.ts';
import { type Binding, bind } from '../accounts/guard.ts';
import type { AuditTrail, AuditVerdict, PlacedEvent } from '../audit/audit-trail.ts';
import type { Page } from '../http/page-cursor.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { LongWork } from './long-work.ts';

interface Filters {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Recomputes the chain, up to a head that was noted elsewhere where one is given. */
export type Verification = LongWork<{ link: number; mac: string } | undefined, AuditVerdict>;

/** The operations on the audit trail (contract: audit-operations). */
export function auditRoutes(audit: Pick<AuditTrail, 'search'>, verification: Verification): readonly Binding[] {
  async function read(organizationId: string | undefined, filters: Filters, page: Page) {
    const [link, position = 0] = page.afterNumbers(2) ?? [];
    const { since, until, actor, action, subject } = filters;
    const { rows, reached } = await audit.search({
      ...{ organizationId, actor, action, subject, limit: page.take },
      since: since === undefined ? undefined : Date.parse(since),
      until: until === undefined ? undefined : Date.parse(until),
      before: link === undefined ? undefined : { link, position },
    });
    const { items, next_cursor } = page.of(rows, (event) => [event.link, event.position], reached);
    return { items: items.map(toShown), next_cursor };
  }

  return [
    bind(operations.listAudit, ({ params, query, page }) => read(params.organization_id, query, page)),
    bind(operations.listInstanceAudit, ({ query, page }) => {
      const { organization_id: organizationId, ...filters } = query;
      return read(organizationId, filters, page);
    }),
    bind(operations.verifyAudit, async ({ body }) => {
      const { head } = body;
      const expected = head && { link: head.link, mac: head.mac.toLowerCase() };
      const { prunedDays, ...verdict } = await verification.run(expected);
      return { ok: verdict.faults.length === 0, ...verdict, pruned_days: prunedDays };
    }),
  ];
}

function toShown(event: PlacedEvent): operations.AuditEntry {
  const { link, at, organizationId, actor, action, subject, detail } = event;
  return {
    link,
    at: toRfc3339(at),
    organization_id: organizationId === '' ? null : organizationId,
    actor,
    action,
    subject,
    detail: JSON.parse(detail) as Record<string, unknown>,
  };
}
