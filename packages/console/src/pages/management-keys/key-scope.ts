import { ofInstance, ofOrganization } from '@waxwing/contract/management-api/management-key-operations.ts';
import type { ItemOf } from '../../api/shown-things.ts';

export type ManagementKey = ItemOf<typeof ofOrganization.list>;

/** Whose keys they are: the operations on them, and what these take in their paths. */
export interface KeyScope {
  readonly operations: typeof ofOrganization;
  readonly organizationId: string | undefined;
  readonly params: { readonly organization_id: string };
}

/**
 * The operations on the keys of the instance are those on the keys of an organization, but for their paths, which have no
 * organization, and for the role, which is no choice there: so the pages are written once, for those of an organization.
 * @param organizationId left out: of the instance
 */
export function keyScope(organizationId?: string): KeyScope {
  const operations = organizationId === undefined ? (ofInstance as unknown as typeof ofOrganization) : ofOrganization;
  return { operations, organizationId, params: { organization_id: organizationId ?? '' } };
}
