import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { OrganizationSelect } from '../../parts/organization-select.tsx';
import { TimeBounds } from '../../parts/time-bounds.tsx';
import type { AuditFilters } from './audit-filters.ts';
import { ActionSelect, ActorSelect, SubjectSelect } from './audit-selects.tsx';
import type { AuditEntry } from './audit-table.tsx';

export interface AuditFilterBarProps {
  readonly filters: AuditFilters;
  /** Left out: of the whole instance, where there is a choice of organizations. */
  readonly organizationId?: string | undefined;
  /** The rows of the table. A filter that was chosen by clicking on a row takes its name from there. */
  readonly entries: readonly AuditEntry[];
  readonly onFilter: (change: { readonly [Name in keyof AuditFilters]?: AuditFilters[Name] | undefined }) => void;
  readonly onClear: () => void;
}

/** By whom, what, to what, and when. */
export function AuditFilterBar({ filters, organizationId, entries, onFilter, onClear }: AuditFilterBarProps) {
  const { t } = useTranslation();
  const of = organizationId ?? filters.organization;
  const actorName = entries.find(({ actor }) => actor === filters.actor)?.actor_name ?? undefined;
  const subjectName = entries.find(({ subject }) => subject === filters.subject)?.subject_name?.name;
  return (
    <FilterBar inUse={Object.keys(filters).length}>
      {organizationId === undefined && (
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
      <div className="filter-field">
        <ActorSelect
          organizationId={organizationId}
          value={filters.actor}
          name={actorName}
          onChange={(actor) => onFilter({ actor })}
        />
      </div>
      <div className="filter-field">
        <ActionSelect value={filters.action} onChange={(action) => onFilter({ action })} />
      </div>
      <div className="filter-field">
        <SubjectSelect
          organizationId={of}
          value={filters.subject}
          name={subjectName}
          onChange={(subject) => onFilter({ subject })}
        />
      </div>
      <TimeBounds of={t('audit.columns.at')} since={filters.since} until={filters.until} onChange={onFilter} />
      {Object.keys(filters).length > 0 && <Button onClick={onClear}>{t('common.clearFilters')}</Button>}
    </FilterBar>
  );
}
