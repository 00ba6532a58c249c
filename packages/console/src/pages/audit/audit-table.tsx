import { FilterOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../api/shown-things.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { OrganizationName } from '../../parts/marks/organization-name.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { EmptyState, NoneFound } from '../../parts/tables/empty-state.tsx';
import { type ItemPages, ItemTable } from '../../parts/tables/item-table.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import type { AuditFilters } from './audit-filters.ts';
import { actionName, detailWords } from './audit-words.ts';
import { SubjectName } from './subject-name.tsx';

interface KeyedEntry extends AuditEntry {
  readonly key: string;
}

interface AuditTableProps {
  readonly pages: ItemPages<AuditEntry>;
  /** Left out: of the whole instance. */
  readonly organizationId?: string | undefined;
  readonly isFiltered: boolean;
  readonly onFilter: (change: AuditFilters) => void;
  readonly onClear: () => void;
}

/** Audit entries, newest first. A click on actor, action or organization filters by it. The subject has a button for that. */
export function AuditTable({ pages, organizationId, isFiltered, onFilter, onClear }: AuditTableProps) {
  const { t } = useTranslation();
  const by = (filter: AuditFilters, shown: ReactNode) => (
    <Button type="link" size="small" className="cell-filter" onClick={() => onFilter(filter)}>
      {shown}
    </Button>
  );
  const columns: Column<KeyedEntry>[] = [
    { title: t('common.when'), width: 205, cell: ({ at }) => <Instant at={at} /> },
    {
      title: t('audit.columns.actor'),
      width: 230,
      cell: (entry) => by({ actor: entry.actor }, <EntryActor entry={entry} organizationId={organizationId} />),
    },
    {
      title: t('audit.columns.action'),
      width: 230,
      cell: ({ action }) => by({ action }, <span title={action}>{actionName(t, action)}</span>),
    },
    {
      title: t('audit.columns.subject'),
      cell: (entry) =>
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
            width: 170,
            cell: ({ organization_id }: AuditEntry) =>
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
      label={t('menu.audit')}
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
          <NoneFound title={t('audit.noneFound')} onClear={onClear} />
        ) : (
          <EmptyState title={t('audit.none')} />
        )
      }
    />
  );
}

/** Makes keys for rows: two entries of one link may be equal. */
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
      <Fact name={t('audit.link')} className="figures">
        {entry.link}
      </Fact>
      <Fact name={t('audit.columns.actor')} className="mono">
        {entry.actor}
      </Fact>
      <Fact name={t('audit.columns.subject')} className="mono">
        {entry.subject || '–'}
      </Fact>
      {facts.map(({ key, name, isKnown, value }) => (
        <div key={key}>
          <dt className={isKnown ? undefined : 'mono'}>{name}</dt>
          <dd className="break-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface EntryActorProps {
  readonly entry: Pick<AuditEntry, 'actor' | 'actor_name'>;
  readonly organizationId?: string | undefined;
}

/** The actor by name, where the reader may know it; the id on hover. */
function EntryActor({ entry: { actor, actor_name: name }, organizationId }: EntryActorProps) {
  const { t } = useTranslation();
  if (name !== null) return <span title={actor}>{name}</span>;
  if (actor === 'acme') return <span title={actor}>{t('audit.acme')}</span>;
  const unnamed = {
    // The trail of the instance names every account that exists.
    account: t(organizationId === undefined ? 'deployments.deleted' : 'audit.noMember'),
    key: t(organizationId === undefined ? 'deployments.deleted' : 'audit.unknownKey'),
    deployment: t('deployments.deleted'),
  };
  const words = unnamed[actor.slice(0, actor.indexOf(':')) as keyof typeof unnamed];
  return words === undefined ? (
    <span className="mono">{actor}</span>
  ) : (
    <span className="quiet" title={actor}>
      {words}
    </span>
  );
}
