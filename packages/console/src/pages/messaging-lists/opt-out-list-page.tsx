import { DeleteOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import { optOuts } from '@waxwing/contract/management-api/operations/messaging-list-operations.ts';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { defined } from '../../parts/tables/list-filters.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { AddEntryButton } from './add-entry-button.tsx';
import { type NumberFilter, numberQuery } from './number-filter.ts';

const route = getRouteApi('/frame/o/$organizationId/opt-outs');

type OptOut = ItemOf<typeof optOuts.list>;

/** Phones that receive no messages. A person who may add an opt-out may not be permitted to remove one. */
export function OptOutListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId };
  const input = { params, query: numberQuery(filters) };
  const pages = usePages(optOuts.list, input);
  const adding = useChange(optOuts.add);
  const show = (search: NumberFilter) => void navigate({ to: '.', search, replace: true });

  const addButton = may(optOuts.add) && (
    <AddEntryButton
      label={t('messaging.optOuts.add')}
      title={t('messaging.optOuts.addTitle')}
      field={t('messaging.number')}
      hint={t('messaging.numberHint')}
      placeholder="+8613800138000"
      submit={t('common.add')}
      maxLength={32}
      adding={adding}
      onAdd={(number, done) => adding.mutate({ params, body: { number } }, { onSuccess: done })}
    />
  );

  return (
    <ListPage<OptOut>
      title={t('menu.optOuts')}
      lead={t('messaging.optOuts.lead')}
      pages={pages}
      csv={{
        fileName: 'opt-outs',
        columns: [
          [t('messaging.number'), ({ number }) => number],
          [t('messaging.optOuts.columns.source'), ({ source }) => t(`messaging.optOuts.sources.${source}`)],
          [t('messaging.optOuts.columns.since'), ({ created_at }) => created_at],
        ],
      }}
      action={addButton}
      filters={
        <search className="filters">
          <SearchField
            label={t('messaging.replies.search')}
            value={filters.search}
            onSearch={(search) => show(defined({ search }))}
          />
        </search>
      }
      columns={useColumns(organizationId)}
      rowKey={({ number }) => number}
      minWidth={560}
      none={{ title: t('messaging.optOuts.none') }}
      noneFound={filters.search !== undefined && { title: t('messaging.optOuts.noneFound'), onClear: () => show({}) }}
    />
  );
}

function useColumns(organizationId: string): Column<OptOut>[] {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const removing = useChange(optOuts.remove);
  const columns: Column<OptOut>[] = [
    { title: t('messaging.number'), cell: ({ number }) => <span className="figures">{number}</span> },
    {
      title: t('messaging.optOuts.columns.source'),
      width: 140,
      cell: ({ source }) => t(`messaging.optOuts.sources.${source}`),
    },
    { title: t('messaging.optOuts.columns.since'), width: 205, cell: ({ created_at }) => <Instant at={created_at} /> },
  ];
  if (!may(optOuts.remove)) return columns;
  return [
    ...columns,
    {
      title: t('common.actions'),
      width: 130,
      cell: ({ number }) => (
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
      ),
    },
  ];
}
