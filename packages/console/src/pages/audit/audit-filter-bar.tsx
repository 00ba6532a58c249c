import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { OrganizationSelect } from '../../parts/organization-select.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { TimeBounds } from '../../parts/time-bounds.tsx';
import type { AuditFilters } from './audit-filters.ts';

export interface AuditFilterBarProps {
  readonly filters: AuditFilters;
  /** Whether there is a choice of organizations. */
  readonly ofInstance: boolean;
  readonly onFilter: (change: { readonly [Name in keyof AuditFilters]?: AuditFilters[Name] | undefined }) => void;
  readonly onClear: () => void;
}

const words = ['actor', 'action', 'subject'] as const;

/** By whom, what, to what, and when. */
export function AuditFilterBar({ filters, ofInstance, onFilter, onClear }: AuditFilterBarProps) {
  const { t } = useTranslation();
  return (
    <search className="filters">
      {ofInstance && (
        <div className="filter-field">
          <OrganizationSelect
            label={t('shell.organization')}
            allowClear
            placeholder={t('audit.anyOrganization')}
            value={filters.organization}
            onChange={(organization) => onFilter({ organization })}
          />
        </div>
      )}
      {words.map((name) => (
        <div key={name} className="filter-field">
          <SearchField
            label={t(`audit.filters.${name}`)}
            value={filters[name] ?? ''}
            onSearch={(text) => onFilter({ [name]: text === '' ? undefined : text })}
          />
        </div>
      ))}
      <TimeBounds of={t('audit.columns.at')} since={filters.since} until={filters.until} onChange={onFilter} />
      {Object.keys(filters).length > 0 && <Button onClick={onClear}>{t('common.clearFilters')}</Button>}
    </search>
  );
}
