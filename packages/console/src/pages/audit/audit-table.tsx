import { FilterOutlined } from '@ant-design/icons';
import type { listAudit } from '@waxwing/contract/management-api/audit-operations.ts';
import { Button, type TableColumnType } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ItemOf } from '../../api/shown-things.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { type ItemPages, ItemTable } from '../../parts/item-table.tsx';
import { OrganizationName } from '../../parts/organization-name.tsx';
import type { AuditFilters } from './audit-filters.ts';
import { actionName, detailWords } from './audit-words.ts';
import { EntryActor } from './entry-actor.tsx';
import { SubjectName } from './subject-name.tsx';

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
    { title: t('audit.columns.at'), key: 'at', width: 205, render: (_value, { at }) => <Instant at={at} /> },
    {
      title: t('audit.columns.actor'),
      key: 'actor',
      width: 230,
      render: (_value, entry) =>
        by({ actor: entry.actor }, <EntryActor entry={entry} organizationId={organizationId} />),
    },
    {
      title: t('audit.columns.action'),
      key: 'action',
      width: 230,
      render: (_value, { action }) => by({ action }, <span title={action}>{actionName(t, action)}</span>),
    },
    {
      title: t('audit.columns.subject'),
      key: 'subject',
      render: (_value, entry) =>
        entry.subject !== '' && (
          <span className="row one-line">
            <span className="break-anywhere">
              <SubjectName entry={entry} />
            </span>
            <Button
              type="text"
              size="small"
              icon={<FilterOutlined />}
              aria-label={t('audit.only', { name: entry.subject_name?.name ?? entry.subject })}
              onClick={() => onFilter({ subject: entry.subject })}
            />
          </span>
        ),
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
        columnTitle: <span className="visually-hidden">{t('common.details')}</span>,
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
  const { t, i18n } = useTranslation();
  const facts = Object.entries(entry.detail).map(([key, value]) => ({ key, ...detailWords(i18n, key, value) }));
  return (
    <dl className="facts">
      <div>
        <dt>{t('audit.link')}</dt>
        <dd className="figures">{entry.link}</dd>
      </div>
      <div>
        <dt>{t('audit.columns.actor')}</dt>
        <dd className="mono">{entry.actor}</dd>
      </div>
      <div>
        <dt>{t('audit.columns.subject')}</dt>
        <dd className="mono">{entry.subject || '–'}</dd>
      </div>
      {facts.map(({ key, name, isKnown, value }) => (
        <div key={key}>
          <dt className={isKnown ? undefined : 'mono'}>{name}</dt>
          <dd className="break-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
