import * as operations from '@waxwing/contract/management-api/operations/organization-operations.ts';
import { type Actor, runsInstance } from '../api/actor.ts';
import { type Binding, bind } from '../api/operation-frame.ts';
import type { Organization, Organizations } from './organization.ts';

export function organizationRoutes(organizations: Organizations): readonly Binding[] {
  const setSuspended = (suspended: boolean) => (call: { by: string; params: { organization_id: string } }) =>
    organizations.setSuspended(call.by, call.params.organization_id, suspended);
  return [
    bind(operations.listOrganizations, async ({ actor, query: { search }, page }) => {
      const filter = { limit: page.take, after: page.after, ids: visibleTo(actor) };
      if (search === undefined) return page.of(await organizations.list(filter), ({ id }) => id);
      const { rows, reached } = await organizations.search(filter, search);
      return page.of(rows, ({ id }) => id, reached);
    }),
    bind(operations.createOrganization, ({ by, body }) => organizations.create(by, body.name)),
    bind(operations.showOrganization, ({ params }) => organizations.get(params.organization_id)),
    bind(operations.updateOrganization, ({ by, params, body }) =>
      organizations.rename(by, params.organization_id, body.name),
    ),
    bind(operations.deleteOrganization, async ({ by, params }) => {
      await organizations.delete(by, params.organization_id);
      return undefined;
    }),
    bind(operations.suspendOrganization, setSuspended(true)),
    bind(operations.resumeOrganization, setSuspended(false)),
  ];
}

/** The actor's organizations; undefined: all. */
function visibleTo(actor: Actor): readonly Organization['id'][] | undefined {
  if (actor.kind === 'cli' || runsInstance(actor)) return undefined;
  return actor.kind === 'key' ? [actor.organizationId] : [...actor.memberships.keys()];
}
