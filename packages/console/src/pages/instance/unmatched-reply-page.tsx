import { useNavigate } from '@tanstack/react-router';
import { addRoute } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { listUnmatchedReplies } from '@waxwing/contract/management-api/operations/message-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { instanceRefreshMs } from './instance-refresh.ts';

type Reply = ItemOf<typeof listUnmatchedReplies>;

/** Replies that neither a route nor a message assigns to an organization. */
export function UnmatchedReplyPage() {
  const { t } = useTranslation();
  const may = useMay();
  const navigate = useNavigate();
  const pages = usePages(listUnmatchedReplies, {}, { refetchInterval: instanceRefreshMs });
  const columns: Column<Reply>[] = [
    { title: t('common.when'), width: 205, cell: ({ received_at }) => <Instant at={received_at} /> },
    {
      title: t('unmatchedReplies.columns.from'),
      width: 160,
      cell: ({ mobile }) => <span className="mono">{mobile}</span>,
    },
    { title: t('unmatchedReplies.columns.to'), width: 150, cell: ({ to }) => <span className="mono">{to}</span> },
    {
      title: t('messaging.send.content'),
      cell: ({ message, simulated }) => (
        <span className="row">
          <span className="break-anywhere">{message}</span>
          {simulated && <Mark tone="soon">{t('carriers.simulated')}</Mark>}
        </span>
      ),
    },
    {
      title: t('carriers.columns.carrier'),
      width: 120,
      cell: ({ carrier }) => <span className="mono">{carrier}</span>,
    },
    {
      title: t('common.actions'),
      width: 120,
      cell: ({ to }) =>
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
    <ListPage<Reply>
      title={t('menu.unmatchedReplies')}
      lead={t('unmatchedReplies.lead')}
      pages={pages}
      csv={{
        fileName: 'unmatched-replies',
        columns: [
          [t('common.when'), ({ received_at }) => received_at],
          [t('unmatchedReplies.columns.from'), ({ mobile }) => mobile],
          [t('unmatchedReplies.columns.to'), ({ to }) => to],
          [t('messaging.send.content'), ({ message }) => message],
          [t('carriers.columns.carrier'), ({ carrier }) => carrier],
        ],
      }}
      columns={columns}
      rowKey={({ id }) => id}
      minWidth={960}
      none={{ title: t('unmatchedReplies.none'), lead: t('unmatchedReplies.noneLead') }}
    />
  );
}
