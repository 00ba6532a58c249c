import { listOrganizations } from '@waxwing/contract/management-api/organization-operations.ts';
import { Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../api/api-context.tsx';

export interface OrganizationSelectProps {
  readonly id?: string;
  readonly label?: string;
  readonly value?: string | null | undefined;
  readonly placeholder?: string;
  readonly width?: number | string;
  readonly allowClear?: boolean;
  readonly onChange?: (organizationId: string | undefined) => void;
}

/** One of the organizations that the person sees; more are loaded while one scrolls. */
export function OrganizationSelect(props: OrganizationSelectProps) {
  const { id, label, value = null, placeholder, width = '100%', allowClear = false, onChange } = props;
  const { t } = useTranslation();
  const { items = [], hasNextPage, fetchNextPage } = usePages(listOrganizations, {});
  return (
    <Select
      {...(id !== undefined && { id })}
      {...(label !== undefined && { 'aria-label': label })}
      style={{ width }}
      showSearch={{ optionFilterProp: 'label' }}
      allowClear={allowClear}
      placeholder={placeholder}
      value={value}
      options={items.map((organization) => ({
        value: organization.id,
        label: organization.suspended
          ? t('shell.suspendedOrganization', { name: organization.name })
          : organization.name,
      }))}
      onPopupScroll={() => {
        if (hasNextPage) void fetchNextPage();
      }}
      onChange={(chosen?: string) => onChange?.(chosen)}
    />
  );
}
