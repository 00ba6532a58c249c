import { listOrganizations } from '@waxwing/contract/management-api/operations/organization-operations.ts';
import { Select } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { Organization } from '../../api/shown-things.ts';
import { useOrganization } from '../marks/organization-name.tsx';
import { ProblemAlert } from '../text/problem-alert.tsx';
import { usePausedText } from './typing-pause.ts';

interface OrganizationSelectProps {
  readonly id?: string;
  readonly label?: string;
  readonly value?: string | null | undefined;
  readonly placeholder?: string;
  readonly allowClear?: boolean;
  readonly onChange?: (organizationId: string | undefined) => void;
}

/** More entries than the list has room for: only scrolling loads more. */
const fewest = 12;

const longestSearch = 200;

/** Chooses an organization. The server searches for the typed text, and scrolling loads more. */
export function OrganizationSelect(props: OrganizationSelectProps) {
  const { id, label, value = null, placeholder, allowClear = false, onChange } = props;
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const wanted = text.trim().slice(0, longestSearch);
  const search = usePausedText(wanted);
  const pages = usePages(listOrganizations, search === '' ? {} : { query: { search } });
  const { items = [], hasNextPage, isFetching, fetchNextPage, error, refetch } = pages;
  // Results for a former text are not offered: Enter would choose the first of them.
  const isFound = search === wanted && !pages.isPlaceholderData;
  const chosen = useOrganization(value ?? undefined);
  const nameOf = ({ name, suspended }: Pick<Organization, 'name' | 'suspended'>) =>
    suspended ? t('shell.suspendedOrganization', { name }) : name;
  const mayLoad = hasNextPage && !isFetching && error === null;
  // A search goes through the list part by part, and a part may hold few matches or none.
  const isShort = mayLoad && items.length < fewest;
  useEffect(() => {
    if (isShort) void fetchNextPage();
  }, [isShort, fetchNextPage]);
  const nothing = !isFound || isFetching || isShort ? t('shell.lookingForOrganization') : t('organizations.noneFound');
  return (
    <Select
      {...(id !== undefined && { id })}
      {...(label !== undefined && { 'aria-label': label })}
      style={{ width: '100%' }}
      showSearch={{ filterOption: false, onSearch: setText }}
      allowClear={allowClear}
      placeholder={placeholder}
      value={value}
      loading={search !== '' && isFetching}
      options={(isFound ? items : []).map((organization) => ({ value: organization.id, label: nameOf(organization) }))}
      // The chosen organization may not be in the loaded part of the list.
      labelRender={({ label: listed, value: organizationId }) => {
        if (listed !== undefined) return listed;
        if (chosen.organization !== undefined) return nameOf(chosen.organization);
        return chosen.isPending ? '…' : organizationId;
      }}
      notFoundContent={error === null ? nothing : <ProblemAlert error={error} onRetry={() => void refetch()} />}
      onInputKeyDown={(event) => {
        // The results are not there yet: the list would close with nothing chosen.
        if (event.key !== 'Enter' || isFound) return;
        event.preventDefault();
        event.stopPropagation();
      }}
      onPopupScroll={() => {
        if (mayLoad) void fetchNextPage();
      }}
      onChange={(organizationId?: string) => onChange?.(organizationId)}
    />
  );
}
