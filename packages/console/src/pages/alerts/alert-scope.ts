import {
  alertsOfInstance,
  alertsOfOrganization,
} from '@waxwing/contract/management-api/operations/alert-operations.ts';
import type { ItemOf } from '../../api/shown-things.ts';

export type Alert = ItemOf<typeof alertsOfOrganization.alerts>;
export type AlertChannel = ItemOf<typeof alertsOfOrganization.list>;

/** The owner of alert channels: the operations on them and their path parameters. */
export interface AlertScope {
  readonly operations: typeof alertsOfOrganization;
  readonly organizationId: string | undefined;
  readonly params: { readonly organization_id: string };
}

/**
 * Channels of the instance have the same operations as those of an organization, but for the paths. So the pages are
 * written once, in the types of an organization.
 * @param organizationId left out: of the instance
 */
export function alertScope(organizationId?: string): AlertScope {
  const operations =
    organizationId === undefined ? (alertsOfInstance as unknown as typeof alertsOfOrganization) : alertsOfOrganization;
  return { operations, organizationId, params: { organization_id: organizationId ?? '' } };
}
