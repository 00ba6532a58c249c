import { useNavigate } from '@tanstack/react-router';
import { listOrganizations } from '@waxwing/contract/management-api/organization-operations.ts';
import { Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';

export interface OrganizationSwitcherProps {
  readonly organizationId: string | undefined;
  readonly onChosen: () => void;
}

/** Which organization the pages are about. */
export function OrganizationSwitcher({ organizationId, onChosen }: OrganizationSwitcherProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { items = [], hasNextPage, fetchNextPage } = usePages(listOrganizations, {});
  if (items.length === 0) return null;
  return (
    <Select
      style={{ width: '100%' }}
      aria-label={t('shell.organization')}
      showSearch={{ optionFilterProp: 'label' }}
      value={organizationId ?? null}
      options={items.map(({ id, name, suspended }) => ({
        value: id,
        label: suspended ? t('shell.suspendedOrganization', { name }) : name,
      }))}
      onPopupScroll={() => {
        if (hasNextPage) void fetchNextPage();
      }}
      onChange={(chosen: string) => {
        void navigate({ to: '/o/$organizationId/certificates', params: { organizationId: chosen } });
        onChosen();
      }}
    />
  );
}
