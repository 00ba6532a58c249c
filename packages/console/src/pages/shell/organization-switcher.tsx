import { useNavigate } from '@tanstack/react-router';
import { listOrganizations } from '@waxwing/contract/management-api/operations/organization-operations.ts';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import { useMe } from '../../api/use-me.ts';
import { OrganizationSelect } from '../../parts/forms/organization-select.tsx';
import { organizationHome } from './organization-home.ts';

interface OrganizationSwitcherProps {
  readonly organizationId: string | undefined;
  readonly onChosen: () => void;
}

export function OrganizationSwitcher({ organizationId, onChosen }: OrganizationSwitcherProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const me = useMe();
  const { items = [] } = usePages(listOrganizations, {});
  if (items.length === 0) return null;
  return (
    <OrganizationSelect
      label={t('shell.organization')}
      placeholder={t('shell.chooseOrganization')}
      value={organizationId}
      onChange={(chosen) => {
        if (chosen === undefined) return;
        void navigate({ to: organizationHome(me), params: { organizationId: chosen } });
        onChosen();
      }}
    />
  );
}
