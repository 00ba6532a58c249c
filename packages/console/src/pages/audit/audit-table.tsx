import type { listAudit } from '@waxwing/contract/management-api/audit-operations.ts';
import { Button, type TableColumnType } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ItemOf } from '../../api/shown-things.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { type ItemPages, ItemTable } from '../../parts/item-table.tsx';
import { OrganizationName } from '../../parts/organization-name.tsx';
import { ActorName } from './actor-name.tsx';
import type { AuditFilters } from './audit-filters.ts';

export type AuditEntry = ItemOf<typeof listAudit>;

interface KeyedEntry extends AuditEntry {
  readonly key: string;
}

export interface AuditTableProps {
  readonly pages: ItemPages<AuditEntry>;
  /** Left out: of the whole instance. */
  readonly organizationId?: string | undefined;
  readonly isFiltered: boolean;
  readonly onFilter: (change: AuditFilters) => void;
  readonly onClear: () => void;
}

/** Who did what, newest first. What stands in a cell narrows the list down by a click. */
export function AuditTable({ pages, organizationId, isFiltered, onFilter, onClear }: AuditTableProps) {
  const { t } = useTranslation();
  const by = (filter: AuditFilters, shown: ReactNode) => (
    <Button type="link" size="small" className="cell-filter" onClick={() => onFilter(filter)}>
      {shown}
    </Button>
  );
  const columns: TableColumnType<KeyedEntry>[] = [
    { title: t('audit.columns.at'), key: 'at', width: 175, render: (_value, { at }) => <Instant at={at} /> },
    {
      title: t('audit.columns.actor'),
      key: 'actor',
      width: 230,
      render: (_value, { actor }) => by({ actor }, <ActorName actor={actor} organizationId={organizationId} />),
    },
    {
      title: t('audit.columns.action'),
      key: 'action',
      width: 230,
      render: (_value, { action }) => by({ action }, <span className="mono">{action}</span>),
    },
    {
      title: t('audit.columns.subject'),
      key: 'subject',
      render: (_value, { subject }) => subject !== '' && by({ subject }, <span className="mono">{subject}</span>),
    },
    ...(organizationId === undefined
      ? [
          {
            title: t('shell.organization'),
            key: 'organization',
            width: 170,
            render: (_value: unknown, { organization_id }: AuditEntry) =>
              organization_id === null ? (
                <span className="quiet">{t('audit.ofInstance')}</span>
              ) : (
                by({ organization: organization_id }, <OrganizationName organizationId={organization_id} />)
              ),
          },
        ]
      : []),
  ];
  return (
    <ItemTable<KeyedEntry>
      label={t('audit.title')}
      pages={{ ...pages, items: pages.items && keyed(pages.items) }}
      columns={columns}
      rowKey={({ key }) => key}
      minWidth={organizationId === undefined ? 1080 : 900}
      expandable={{
        expandedRowRender: (entry) => <AuditDetail entry={entry} />,
        columnWidth: 44,
      }}
      empty={
        isFiltered ? (
          <EmptyState
            title={t('audit.noneFound')}
            action={<Button onClick={onClear}>{t('common.clearFilters')}</Button>}
          />
        ) : (
          <EmptyState title={t('audit.none')} />
        )
      }
    />
  );
}

/** Two entries of one link may be equal in all that is shown. */
function keyed(entries: readonly AuditEntry[]): KeyedEntry[] {
  const times = new Map<string, number>();
  return entries.map((entry) => {
    const text = JSON.stringify(entry);
    const time = times.get(text) ?? 0;
    times.set(text, time + 1);
    return { ...entry, key: `${time} ${text}` };
  });
}

function AuditDetail({ entry }: { readonly entry: AuditEntry }) {
  const { t } = useTranslation();
  const facts = Object.entries(entry.detail);
  return (
    <dl className="facts">
      <div>
        <dt>{t('audit.link')}</dt>
        <dd className="figures">{entry.link}</dd>
      </div>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="mono">{name}</dt>
          <dd className="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
