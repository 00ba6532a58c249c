import { listOrganizations, showOrganization } from '@waxwing/contract/management-api/organization-operations.ts';
import { useAnswer, usePages } from '../api/api-context.tsx';

/** An organization by its name; the id until that is known. */
export function OrganizationName({ organizationId }: { readonly organizationId: string }) {
  const { items, isPending } = usePages(listOrganizations, {});
  const listed = items?.find(({ id }) => id === organizationId)?.name;
  // The list may be longer than what is loaded of it.
  const single = useAnswer(
    showOrganization,
    { params: { organization_id: organizationId } },
    { enabled: !isPending && listed === undefined },
  );
  const name = listed ?? single.data?.name;
  return name === undefined ? <span className="mono">{organizationId}</span> : name;
}
