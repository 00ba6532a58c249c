import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { listReplies } from '@waxwing/contract/management-api/message-operations.ts';
import { Select, type TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, usePages } from '../../api/api-context.tsx';
import type { Reply } from '../../api/shown-things.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { Mark } from '../../parts/mark.tsx';
import { narrowed } from '../../parts/narrowed.ts';
import { NoneFound } from '../../parts/none-found.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { PushMark, SimulatedMark } from './message-marks.tsx';
import { type ReplyFilters, replyKinds, replyQuery } from './reply-filters.ts';

const route = getRouteApi('/frame/o/$organizationId/replies');

/** Names of texts have no hyphens. */
const foundBy = { number: 'number', prefix: 'prefix', 'latest-message': 'latestMessage', nothing: 'nothing' } as const;

/** What recipients wrote back; whose number or message led it here, and whether it opted the phone out. */
export function ReplyListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const input = { params: { organization_id: organizationId }, query: replyQuery(filters) };
  const pages = usePages(listReplies, input);
  const show = (search: ReplyFilters) =>
    void navigate({ to: '/o/$organizationId/replies', params: { organizationId }, search, replace: true });

  return (
    <>
      <PageHead
        title={t('messaging.replies.title')}
        lead={t('messaging.replies.lead')}
        actions={
          <ExportCsv<Reply>
            fileName="replies"
            items={(signal) => everyItem(api, listReplies, input, signal)}
            columns={[
              [t('messaging.replies.columns.from'), ({ mobile }) => mobile],
              [t('messaging.replies.columns.message'), ({ message }) => message],
              [t('messaging.replies.columns.to'), ({ to }) => to],
              [t('messaging.replies.columns.stop'), ({ stop }) => t(stop ? 'common.yes' : 'common.no')],
              [
                t('messaging.replies.columns.ownedBy'),
                ({ owned_by }) => t(`messaging.replies.ownedBy.${foundBy[owned_by]}`),
              ],
              [t('messaging.replies.columns.carrier'), ({ carrier }) => carrier],
              [t('messaging.simulated'), ({ simulated }) => t(simulated ? 'common.yes' : 'common.no')],
              [t('messaging.replies.columns.push'), ({ push }) => push ?? null],
              [t('messaging.replies.columns.received'), ({ received_at }) => received_at],
              ['id', ({ id }) => id],
            ]}
          />
        }
      />
      <search className="filters">
        <SearchField
          label={t('messaging.replies.search')}
          value={filters.search ?? ''}
          onSearch={(search) => show(narrowed(filters, { search: search === '' ? undefined : search }))}
        />
        <Select
          aria-label={t('messaging.replies.columns.stop')}
          className="filter-choice"
          allowClear
          placeholder={t('messaging.replies.anyKind')}
          value={filters.stop}
          options={replyKinds.map((value) => ({ value, label: t(`messaging.replies.kinds.${value}`) }))}
          onChange={(stop?: ReplyFilters['stop']) => show(narrowed(filters, { stop }))}
        />
      </search>
      <ItemTable<Reply>
        label={t('messaging.replies.title')}
        pages={pages}
        columns={useReplyColumns()}
        rowKey={({ id }) => id}
        minWidth={1080}
        empty={
          Object.keys(filters).length > 0 ? (
            <NoneFound
              title={pages.hasNextPage ? t('messaging.list.noneFoundHere') : t('messaging.replies.noneFound')}
              onClear={() => show({})}
            />
          ) : (
            <EmptyState title={t('messaging.replies.none')}>{t('messaging.replies.noneLead')}</EmptyState>
          )
        }
      />
    </>
  );
}

function useReplyColumns(): TableColumnType<Reply>[] {
  const { t } = useTranslation();
  return [
    {
      title: t('messaging.replies.columns.from'),
      key: 'from',
      width: 170,
      render: (_value, { mobile }) => <span className="figures">{mobile}</span>,
    },
    {
      title: t('messaging.replies.columns.message'),
      key: 'message',
      render: (_value, { message, stop, simulated }) => (
        <>
          <span className="break-anywhere">{message}</span>
          {(stop || simulated) && (
            <div className="row marks">
              {stop && <Mark tone="bad">{t('messaging.replies.stop')}</Mark>}
              {simulated && <SimulatedMark />}
            </div>
          )}
        </>
      ),
    },
    {
      title: t('messaging.replies.columns.to'),
      key: 'to',
      width: 150,
      render: (_value, { to }) => <span className="figures">{to}</span>,
    },
    {
      title: t('messaging.replies.columns.ownedBy'),
      key: 'owned-by',
      width: 200,
      render: (_value, { owned_by, carrier }) => (
        <>
          {t(`messaging.replies.ownedBy.${foundBy[owned_by]}`)}
          <div className="quiet small">{carrier}</div>
        </>
      ),
    },
    {
      title: t('messaging.replies.columns.push'),
      key: 'push',
      width: 110,
      render: (_value, { push }) => <PushMark push={push} />,
    },
    {
      title: t('messaging.replies.columns.received'),
      key: 'received',
      width: 205,
      render: (_value, { received_at }) => <Instant at={received_at} />,
    },
  ];
}
