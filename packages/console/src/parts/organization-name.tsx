import { listOrganizations, showOrganization } from '@waxwing/contract/management-api/organization-operations.ts';
import { useAnswer, usePages } from '../api/api-context.tsx';
import type { Organization } from '../api/shown-things.ts';

/** An organization, as far as it is known yet; no id: none. */
export function useOrganization(organizationId: string | undefined): {
  readonly organization: Pick<Organization, 'name' | 'suspended'> | undefined;
  readonly isPending: boolean;
} {
  const { items, isPending } = usePages(listOrganizations, {});
  const listed = items?.find(({ id }) => id === organizationId);
  // The list may be longer than what is loaded of it.
  const single = useAnswer(
    showOrganization,
    { params: { organization_id: organizationId ?? '' } },
    { enabled: organizationId !== undefined && !isPending && listed === undefined },
  );
  return { organization: listed ?? single.data, isPending: isPending || single.isLoading };
}

/** An organization by its name; the id until that is known. */
export function OrganizationName({ organizationId }: { readonly organizationId: string }) {
  const { organization } = useOrganization(organizationId);
  return organization === undefined ? <span className="mono">{organizationId}</span> : organization.name;
}
