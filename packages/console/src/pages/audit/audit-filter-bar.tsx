import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../api/shown-things.ts';
import { OrganizationSelect } from '../../parts/forms/organization-select.tsx';
import { TimeBounds } from '../../parts/forms/time-bounds.tsx';
import { FilterBar } from '../../parts/tables/filter-bar.tsx';
import type { FilterChange } from '../../parts/tables/list-filters.ts';
import type { AuditFilters } from './audit-filters.ts';
import { ActionSelect, ActorSelect, SubjectSelect } from './audit-selects.tsx';

export interface AuditFilterBarProps {
  readonly filters: AuditFilters;
  /** Left out: of the whole instance, where there is a choice of organizations. */
  readonly organizationId?: string | undefined;
  /** The rows of the table: a filter that was chosen by a click takes its name from them. */
  readonly entries: readonly AuditEntry[];
  readonly onFilter: (change: FilterChange<AuditFilters>) => void;
  readonly onClear: () => void;
}

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
      <TimeBounds of={t('common.when')} since={filters.since} until={filters.until} onChange={onFilter} />
      {Object.keys(filters).length > 0 && <Button onClick={onClear}>{t('common.clearFilters')}</Button>}
    </FilterBar>
  );
}
