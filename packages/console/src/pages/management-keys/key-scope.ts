import { ofInstance, ofOrganization } from '@waxwing/contract/management-api/operations/management-key-operations.ts';
import type { ItemOf } from '../../api/shown-things.ts';

export type ManagementKey = ItemOf<typeof ofOrganization.list>;

/** The owner of keys: the operations on them and their path parameters. */
export interface KeyScope {
  readonly operations: typeof ofOrganization;
  readonly organizationId: string | undefined;
  readonly params: { readonly organization_id: string };
}

/**
 * Keys of the instance have the same operations as those of an organization, but for the paths and the role, which is
 * fixed. So the pages are written once, in the types of an organization.
 * @param organizationId left out: of the instance
 */
export function keyScope(organizationId?: string): KeyScope {
  const operations = organizationId === undefined ? (ofInstance as unknown as typeof ofOrganization) : ofOrganization;
  return { operations, organizationId, params: { organization_id: organizationId ?? '' } };
}
