import * as operations from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import { Problem } from '../runtime/problem.ts';
import type { Routes } from './reply-routes.ts';

export function inboundRoutes(routes: Routes): readonly Binding[] {
  return [
    bind(operations.listOrganizationRoutes, async ({ params, page }) => {
      const rows = await routes.list(params.organization_id, { after: page.after, limit: page.take });
      return page.of(rows, ({ id }) => id);
    }),
    bind(operations.listRoutes, async ({ page }) => {
      const rows = await routes.list(undefined, { after: page.after, limit: page.take });
      return page.of(rows, ({ id }) => id);
    }),
    bind(operations.addRoute, async ({ by, body }) => {
      const { organization_id: organizationId, ...route } = body;
      return routes.add(by, { organizationId, ...route });
    }),
    bind(operations.showRoute, ({ params }) => routes.get(params.route_id)),
    bind(operations.removeRoute, async ({ by, params }) => {
      try {
        await routes.remove(by, params.route_id);
      } catch (error) {
        if (error instanceof Problem && error.code === 'not_found') throw new Problem('not_found');
        throw error;
      }
      return undefined;
    }),
  ];
}
