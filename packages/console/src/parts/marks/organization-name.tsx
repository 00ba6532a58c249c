import {
  listOrganizations,
  showOrganization,
} from '@waxwing/contract/management-api/operations/organization-operations.ts';
import { useAnswer, usePages } from '../../api/api-context.tsx';
import type { Organization } from '../../api/shown-things.ts';

/** An organization, once it is known. */
export function useOrganization(organizationId: string | undefined): {
  readonly organization: Pick<Organization, 'name' | 'suspended'> | undefined;
  readonly isPending: boolean;
} {
  const { items, isPending } = usePages(listOrganizations, {});
  const listed = items?.find(({ id }) => id === organizationId);
  // The list may be loaded in part only.
  const single = useAnswer(
    showOrganization,
    { params: { organization_id: organizationId ?? '' } },
    { enabled: organizationId !== undefined && !isPending && listed === undefined },
  );
  return { organization: listed ?? single.data, isPending: isPending || single.isLoading };
}

/** The name of an organization; its id until the name is known. */
export function OrganizationName({ organizationId }: { readonly organizationId: string }) {
  const { organization } = useOrganization(organizationId);
  return organization === undefined ? <span className="mono">{organizationId}</span> : organization.name;
}
