import { Button, Input } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { OrganizationSelect } from '../../parts/organization-select.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { type AuditFilters, fromLocalField, toLocalField } from './audit-filters.ts';

export interface AuditFilterBarProps {
  readonly filters: AuditFilters;
  /** Whether there is a choice of organizations. */
  readonly ofInstance: boolean;
  readonly onFilter: (change: { readonly [Name in keyof AuditFilters]: AuditFilters[Name] | undefined }) => void;
  readonly onClear: () => void;
}

const words = ['actor', 'action', 'subject'] as const;
const times = ['since', 'until'] as const;

/** By whom, what, to what, and when. */
export function AuditFilterBar({ filters, ofInstance, onFilter, onClear }: AuditFilterBarProps) {
  const { t } = useTranslation();
  return (
    <search className="filters">
      {ofInstance && (
        <OrganizationSelect
          label={t('shell.organization')}
          width={200}
          allowClear
          placeholder={t('audit.anyOrganization')}
          value={filters.organization}
          onChange={(organization) => onFilter({ organization })}
        />
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
      {times.map((name) => (
        <MomentField
          key={name}
          label={t(`audit.filters.${name}`)}
          value={filters[name]}
          onChange={(at) => onFilter({ [name]: at })}
        />
      ))}
      {Object.keys(filters).length > 0 && <Button onClick={onClear}>{t('common.clearFilters')}</Button>}
    </search>
  );
}

interface MomentFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (at: string | undefined) => void;
}

/** A moment in the browser's zone, by the browser's own field. */
function MomentField({ label, value, onChange }: MomentFieldProps) {
  const id = useId();
  return (
    <span className="row">
      <label htmlFor={id} className="quiet">
        {label}
      </label>
      <Input
        id={id}
        type="datetime-local"
        style={{ width: 200 }}
        value={toLocalField(value)}
        onChange={(event) => onChange(fromLocalField(event.target.value))}
      />
    </span>
  );
}
