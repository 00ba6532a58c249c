import { getRouteApi } from '@tanstack/react-router';
import { ManagementKeyList } from './management-key-list.tsx';

const route = getRouteApi('/frame/o/$organizationId/management-keys');

export function OrganizationKeysPage() {
  const { organizationId } = route.useParams();
  return <ManagementKeyList organizationId={organizationId} />;
}

export function InstanceKeysPage() {
  return <ManagementKeyList />;
}
