import { DeleteOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { optOuts } from '@waxwing/contract/management-api/messaging-list-operations.ts';
import type { TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, useChange, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { NoneFound } from '../../parts/none-found.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { AddEntryButton } from './add-entry-button.tsx';
import { type NumberFilter, numberQuery } from './number-filter.ts';

const route = getRouteApi('/frame/o/$organizationId/opt-outs');

type OptOut = ItemOf<typeof optOuts.list>;

/** Phones that want no more messages. Who may add one by hand may not take one back that somebody asked for. */
export function OptOutListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId };
  const input = { params, query: numberQuery(filters) };
  const pages = usePages(optOuts.list, input);
  const adding = useChange(optOuts.add);
  const show = (search: NumberFilter) =>
    void navigate({ to: '/o/$organizationId/opt-outs', params: { organizationId }, search, replace: true });

  const addButton = may(optOuts.add) && (
    <AddEntryButton
      label={t('messaging.optOuts.add')}
      title={t('messaging.optOuts.addTitle')}
      field={t('messaging.number')}
      hint={t('messaging.numberHint')}
      placeholder="+8613800138000"
      submit={t('messaging.optOuts.addSubmit')}
      maxLength={32}
      adding={adding}
      onAdd={(number, done) => adding.mutate({ params, body: { number } }, { onSuccess: done })}
    />
  );

  return (
    <>
      <PageHead
        title={t('messaging.optOuts.title')}
        lead={t('messaging.optOuts.lead')}
        actions={
          <>
            <ExportCsv<OptOut>
              fileName="opt-outs"
              items={(signal) => everyItem(api, optOuts.list, input, signal)}
              columns={[
                [t('messaging.number'), ({ number }) => number],
                [t('messaging.optOuts.columns.source'), ({ source }) => t(`messaging.optOuts.sources.${source}`)],
                [t('messaging.optOuts.columns.since'), ({ created_at }) => created_at],
              ]}
            />
            {addButton}
          </>
        }
      />
      <search className="filters">
        <SearchField
          label={t('messaging.optOuts.search')}
          value={filters.search ?? ''}
          onSearch={(search) => show(search === '' ? {} : { search })}
        />
      </search>
      <ItemTable<OptOut>
        label={t('messaging.optOuts.title')}
        pages={pages}
        columns={useColumns(organizationId)}
        rowKey={({ number }) => number}
        minWidth={560}
        empty={
          filters.search === undefined ? (
            <EmptyState title={t('messaging.optOuts.none')} action={addButton} />
          ) : (
            <NoneFound title={t('messaging.optOuts.noneFound')} onClear={() => show({})} />
          )
        }
      />
    </>
  );
}

function useColumns(organizationId: string): TableColumnType<OptOut>[] {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const columns: TableColumnType<OptOut>[] = [
    {
      title: t('messaging.number'),
      key: 'number',
      render: (_value, { number }) => <span className="figures">{number}</span>,
    },
    {
      title: t('messaging.optOuts.columns.source'),
      key: 'source',
      width: 140,
      render: (_value, { source }) => t(`messaging.optOuts.sources.${source}`),
    },
    {
      title: t('messaging.optOuts.columns.since'),
      key: 'since',
      width: 205,
      render: (_value, { created_at }) => <Instant at={created_at} />,
    },
  ];
  if (!may(optOuts.remove)) return columns;
  return [
    ...columns,
    {
      title: t('common.actions'),
      key: 'actions',
      width: 130,
      render: (_value, { number }) => <RemoveOptOut organizationId={organizationId} number={number} />,
    },
  ];
}

function RemoveOptOut({ organizationId, number }: { readonly organizationId: string; readonly number: string }) {
  const { t } = useTranslation();
  const removing = useChange(optOuts.remove);
  return (
    <ConfirmButton
      danger
      size="small"
      icon={<DeleteOutlined />}
      text={t('messaging.optOuts.remove')}
      label={t('messaging.optOuts.removeNamed', { name: number })}
      title={t('messaging.optOuts.removeTitle', { name: number })}
      what={t('messaging.optOuts.removeWhat')}
      change={removing}
      input={{ params: { organization_id: organizationId }, body: { number } }}
    />
  );
}
