import { useNavigate } from '@tanstack/react-router';
import { addRoute } from '@waxwing/contract/management-api/carrier-operations.ts';
import { listUnmatchedReplies } from '@waxwing/contract/management-api/message-operations.ts';
import { Button, type TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { instanceRefreshMs } from './instance-refresh.ts';

type Reply = ItemOf<typeof listUnmatchedReplies>;

/** Replies that are nobody's yet: no route and no message leads them to an organization. */
export function UnmatchedReplyPage() {
  const { t } = useTranslation();
  const api = useApi();
  const may = useMay();
  const navigate = useNavigate();
  const pages = usePages(listUnmatchedReplies, {}, { refetchInterval: instanceRefreshMs });
  const columns: TableColumnType<Reply>[] = [
    {
      title: t('unmatchedReplies.columns.at'),
      key: 'at',
      width: 205,
      render: (_value, { received_at }) => <Instant at={received_at} />,
    },
    {
      title: t('unmatchedReplies.columns.from'),
      key: 'from',
      width: 160,
      render: (_value, { mobile }) => <span className="mono">{mobile}</span>,
    },
    {
      title: t('unmatchedReplies.columns.to'),
      key: 'to',
      width: 150,
      render: (_value, { to }) => <span className="mono">{to}</span>,
    },
    {
      title: t('unmatchedReplies.columns.message'),
      key: 'message',
      render: (_value, { message, simulated }) => (
        <span className="row">
          <span className="break-anywhere">{message}</span>
          {simulated && <Mark tone="soon">{t('carriers.simulated')}</Mark>}
        </span>
      ),
    },
    {
      title: t('carriers.columns.carrier'),
      key: 'carrier',
      width: 120,
      render: (_value, { carrier }) => <span className="mono">{carrier}</span>,
    },
    {
      title: t('common.actions'),
      key: 'actions',
      width: 120,
      render: (_value, { to }) =>
        may(addRoute) && (
          <Button
            size="small"
            aria-label={t('unmatchedReplies.routeNamed', { number: to })}
            onClick={() => void navigate({ to: '/instance/routes', search: { number: to } })}
          >
            {t('inboundRoutes.add')}
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHead
        title={t('unmatchedReplies.title')}
        lead={t('unmatchedReplies.lead')}
        actions={
          <ExportCsv<Reply>
            fileName="unmatched-replies"
            items={(signal) => everyItem(api, listUnmatchedReplies, {}, signal)}
            columns={[
              [t('unmatchedReplies.columns.at'), ({ received_at }) => received_at],
              [t('unmatchedReplies.columns.from'), ({ mobile }) => mobile],
              [t('unmatchedReplies.columns.to'), ({ to }) => to],
              [t('unmatchedReplies.columns.message'), ({ message }) => message],
              [t('carriers.columns.carrier'), ({ carrier }) => carrier],
            ]}
          />
        }
      />
      <ItemTable<Reply>
        label={t('unmatchedReplies.title')}
        pages={pages}
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={960}
        empty={<EmptyState title={t('unmatchedReplies.none')}>{t('unmatchedReplies.noneLead')}</EmptyState>}
      />
    </>
  );
}
