import { SendOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { listMessages, sendByHand } from '@waxwing/contract/management-api/message-operations.ts';
import { Button, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, usePages } from '../../api/api-context.tsx';
import type { Message } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { narrowed } from '../../parts/narrowed.ts';
import { NoneFound } from '../../parts/none-found.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { TimeBounds } from '../../parts/time-bounds.tsx';
import { messageCells, useMessageColumns } from './message-columns.tsx';
import { type MessageFilters, messageListInput, messageStatuses } from './message-filters.ts';

const route = getRouteApi('/frame/o/$organizationId/messages');

/** A final status is told at once; what was accepted since is asked for so often. */
const refreshMs = 10_000;

export function MessageListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const input = messageListInput(organizationId, filters);
  const pages = usePages(listMessages, input, { refetchInterval: refreshMs });
  const isFiltered = Object.keys(filters).length > 0;

  const show = (search: MessageFilters) =>
    void navigate({ to: '/o/$organizationId/messages', params: { organizationId }, search, replace: true });
  const filter = (change: { [Name in keyof MessageFilters]?: MessageFilters[Name] | undefined }) =>
    show(narrowed(filters, change));

  const sendButton = may(sendByHand) && (
    <Button
      type="primary"
      icon={<SendOutlined />}
      onClick={() => void navigate({ to: '/o/$organizationId/messages/send', params: { organizationId } })}
    >
      {t('messaging.send.button')}
    </Button>
  );
  const foundTitle = pages.hasNextPage ? t('messaging.list.noneFoundHere') : t('messaging.list.noneFound');

  return (
    <>
      <PageHead
        title={t('messaging.list.title')}
        lead={t('messaging.list.lead')}
        actions={
          <>
            <ExportCsv<Message>
              fileName="messages"
              items={(signal) => everyItem(api, listMessages, input, signal)}
              columns={messageCells(t)}
            />
            {sendButton}
          </>
        }
      />
      <FilterBar inUse={Object.keys(filters).length}>
        <SearchField
          label={t('messaging.list.search')}
          value={filters.search ?? ''}
          onSearch={(search) => filter({ search: search === '' ? undefined : search })}
        />
        <Select
          aria-label={t('messaging.list.columns.status')}
          className="filter-choice"
          allowClear
          placeholder={t('messaging.list.anyStatus')}
          value={filters.status}
          options={messageStatuses.map((value) => ({
            value,
            label: value === 'open' ? t('messaging.list.open') : t(`messaging.states.${value}`),
          }))}
          onChange={(status?: MessageFilters['status']) => filter({ status })}
        />
        <TimeBounds
          of={t('messaging.list.columns.accepted')}
          since={filters.since}
          until={filters.until}
          onChange={filter}
        />
      </FilterBar>
      <ItemTable<Message>
        label={t('messaging.list.title')}
        pages={pages}
        columns={useMessageColumns(organizationId)}
        rowKey={({ batch_id, position }) => `${batch_id} ${position}`}
        minWidth={1080}
        empty={
          isFiltered ? (
            <NoneFound title={foundTitle} onClear={() => show({})} />
          ) : (
            <EmptyState title={t('messaging.list.none')} action={sendButton}>
              {t('messaging.list.noneLead')}
            </EmptyState>
          )
        }
      />
    </>
  );
}
