import * as operations from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { type Binding, bind, organizationOf, owned } from '../api/operation-frame.ts';
import { invalidCursor, type Page } from '../api/page-cursor.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { getKnownCertificate, namesOfCertificates } from '../certificates/certificate-lookup.ts';
import type { Db } from '../database/database.ts';
import { isNoWider } from '../http/request/ip-allow-list.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { Deployment } from './deployment.ts';
import type { Deployments } from './manage-deployments.ts';

export interface DeploymentRoutesNeeds {
  readonly db: Db;
  readonly deployments: Deployments;
  readonly audit: Pick<AuditTrail, 'list'>;
  readonly baseUrl: string;
}

interface Named {
  readonly params: { readonly organization_id: string; readonly deployment_id: string };
}

const standardOverlapSeconds = 86_400;

/** The operations on deployments (contract: deployment-operations). */
export function deploymentRoutes({ db, deployments, audit, baseUrl }: DeploymentRoutesNeeds): readonly Binding[] {
  const url = `${baseUrl}/api/certificate`;
  const find = ({ params }: Named) => owned(params.organization_id, deployments.show(params.deployment_id));

  const requireCertificate = (organizationId: string, id: string) =>
    owned(
      organizationId,
      getKnownCertificate(db, id, 'certificate_id').then((known) => ({ organization_id: known.organizationId })),
      'certificate_id',
    );

  async function named<Page extends { readonly items: readonly Deployment[] }>(page: Page) {
    const names = await namesOfCertificates(db, [...new Set(page.items.map(({ certificate_id }) => certificate_id))]);
    const items = page.items.map((each) => ({ ...each, certificate_name: names.get(each.certificate_id) ?? '' }));
    return { ...page, items };
  }

  /** Newest first. */
  async function pageOfAudit(page: Page, filter: { readonly subject?: string; readonly handedOut?: string }) {
    const [link, position = 0] = page.afterNumbers(2) ?? [];
    const before = link === undefined ? {} : { before: { link, position } };
    const events = await audit.list({ ...filter, ...before, limit: page.take });
    return page.of(events, (event) => [event.link, event.position]);
  }

  return [
    bind(operations.listDeployments, async ({ params, query, page }) => {
      const { certificate_id: certificateId, search: text, outdated } = query;
      const organizationId = organizationOf(params);
      const filter = {
        ...(organizationId !== undefined && { organizationId }),
        limit: page.take,
        ...(certificateId !== undefined && { certificateId }),
        ...(page.after !== undefined && { after: page.after }),
      };
      if (text === undefined && outdated === undefined)
        return named(page.of(await deployments.list(filter), ({ id }) => id));
      const { rows, reached } = await deployments.search(filter, { text, outdated });
      return named(page.of(rows, ({ id }) => id, reached));
    }),

    bind(operations.countDeployments, async ({ params, query }) => {
      const counts = await deployments.count(params.organization_id, query.certificate_ids?.split(',') ?? []);
      return {
        counts: [...counts].map(([certificate_id, count]) => ({ certificate_id, deployments: count })),
      };
    }),

    bind(operations.showClientAddress, ({ address }) => ({ address })),

    bind(operations.createDeployment, async ({ by, params, body }) => {
      await requireCertificate(params.organization_id, body.certificate_id);
      const { deployment, token } = await deployments.create(by, {
        certificateId: body.certificate_id,
        name: body.name,
        allow: body.allow,
      });
      return { ...deployment, token: token.reveal(), url };
    }),

    bind(operations.showDeployment, find),

    bind(operations.updateDeployment, async (call) => {
      const { id } = await find(call);
      const { query_token: queryToken, requests_per_minute: requestsPerMinute, expires_at, ...rest } = call.body;
      const expiresAt = typeof expires_at === 'string' ? Date.parse(expires_at) : expires_at;
      const update = { ...rest, queryToken, requestsPerMinute, expiresAt };
      return deployments.update(call.by, id, update, (current) => {
        call.requireMatch(current);
        const { allow = [] } = call.body;
        if (!isNoWider(allow, current.allow)) call.requireFresh();
      });
    }),

    bind(operations.rotateDeployment, async (call) => {
      const { id } = await find(call);
      const { overlap_seconds: overlap = standardOverlapSeconds } = call.body;
      const { deployment, token, formerValidUntil } = await deployments.rotate(call.by, id, overlap * 1000);
      return { ...deployment, token: token.reveal(), url, former_valid_until: formerValidUntil };
    }),

    bind(operations.deleteDeployment, async (call) => {
      const { id } = await find(call);
      await deployments.delete(call.by, id);
      return undefined;
    }),

    bind(operations.listDeploymentRefusals, async (call) => {
      const { id } = await find(call);
      const { page } = call;
      const rows = await deployments.listRefusals(id, page.take, readPosition(page));
      return page.of(rows, ({ minute, reason, address }) => [minute, reason, address]);
    }),

    bind(operations.listDeploymentRetrievals, async (call) => {
      const { id } = await find(call);
      const { items, next_cursor } = await pageOfAudit(call.page, { subject: id });
      // Changes of the deployment stand in the same trail: such a page shows fewer than it could.
      return { items: items.filter(({ action }) => action === 'private-key.hand-out').map(toRetrieval), next_cursor };
    }),

    bind(operations.listCertificateRetrievals, async ({ params, page }) => {
      await requireCertificate(params.organization_id, params.certificate_id);
      const { items, next_cursor } = await pageOfAudit(page, { handedOut: params.certificate_id });
      const names = await deployments.names([...new Set(items.map(({ subject }) => subject))]);
      return {
        items: items.map((event) => ({
          ...toRetrieval(event),
          deployment: { id: event.subject, name: names.get(event.subject) ?? null },
        })),
        next_cursor,
      };
    }),
  ];
}

function readPosition(page: Page): { minute: string; reason: string; address: string } | undefined {
  const parts = page.afterParts(3);
  if (parts === undefined) return undefined;
  const [minute = '', reason = '', address = ''] = parts;
  if (Number.isNaN(Date.parse(minute))) throw invalidCursor();
  return { minute, reason, address };
}

function toRetrieval({ at, detail }: { readonly at: number; readonly detail: string }) {
  const { version = null, address = null, user_agent = null } = JSON.parse(detail) as Record<string, string | null>;
  return { at: toRfc3339(at), version, address, user_agent };
}
