import { listOrganizations } from '@waxwing/contract/management-api/organization-operations.ts';
import { Select } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from '../api/api-context.tsx';
import type { Organization } from '../api/shown-things.ts';
import { useOrganization } from './organization-name.tsx';
import { ProblemAlert } from './problem-alert.tsx';
import { usePausedText } from './typing-pause.ts';

export interface OrganizationSelectProps {
  readonly id?: string;
  readonly label?: string;
  readonly value?: string | null | undefined;
  readonly placeholder?: string;
  readonly allowClear?: boolean;
  readonly onChange?: (organizationId: string | undefined) => void;
}

/** More than the list has room for: with fewer there is nothing to scroll, and scrolling is what loads more. */
const fewest = 12;

const longestSearch = 200;

/** One of the organizations that the person sees; the server looks for what is typed, and more are loaded while one scrolls. */
export function OrganizationSelect(props: OrganizationSelectProps) {
  const { id, label, value = null, placeholder, allowClear = false, onChange } = props;
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const wanted = text.trim().slice(0, longestSearch);
  const search = usePausedText(wanted);
  const pages = usePages(listOrganizations, search === '' ? {} : { query: { search } });
  const { items = [], hasNextPage, isFetching, fetchNextPage, error, refetch } = pages;
  // What was found for another text is not offered: Enter would choose the first of that.
  const isFound = search === wanted && !pages.isPlaceholderData;
  const chosen = useOrganization(value ?? undefined);
  const nameOf = ({ name, suspended }: Pick<Organization, 'name' | 'suspended'>) =>
    suspended ? t('shell.suspendedOrganization', { name }) : name;
  const mayLoad = hasNextPage && !isFetching && error === null;
  // A search looks through the list part by part, and a part may have few of what is wanted, or none.
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
      // Also of one that is not on the loaded part of the list.
      labelRender={({ label: listed, value: organizationId }) => {
        if (listed !== undefined) return listed;
        if (chosen.organization !== undefined) return nameOf(chosen.organization);
        return chosen.isPending ? '…' : organizationId;
      }}
      notFoundContent={error === null ? nothing : <ProblemAlert error={error} onRetry={() => void refetch()} />}
      onInputKeyDown={(event) => {
        // Too early: the list would close, with nothing chosen.
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
