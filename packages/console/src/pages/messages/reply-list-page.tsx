import { getRouteApi } from '@tanstack/react-router';
import { listReplies } from '@waxwing/contract/management-api/operations/message-operations.ts';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { Reply } from '../../api/shown-things.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { FilterChoice } from '../../parts/tables/filter-bar.tsx';
import { narrowed } from '../../parts/tables/list-filters.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { PushMark, SimulatedMark } from './message-marks.tsx';
import { type ReplyFilters, replyKinds, replyQuery } from './reply-filters.ts';

const route = getRouteApi('/frame/o/$organizationId/replies');

/** Names of texts have no hyphens. */
const foundBy = { number: 'number', prefix: 'prefix', 'latest-message': 'latestMessage', nothing: 'nothing' } as const;

/** Replies of recipients, how each was matched, and whether it opted the phone out. */
export function ReplyListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const input = { params: { organization_id: organizationId }, query: replyQuery(filters) };
  const pages = usePages(listReplies, input);
  const show = (search: ReplyFilters) => void navigate({ to: '.', search, replace: true });

  return (
    <ListPage<Reply>
      title={t('menu.replies')}
      lead={t('messaging.replies.lead')}
      pages={pages}
      csv={{
        fileName: 'replies',
        columns: [
          [t('messaging.replies.columns.from'), ({ mobile }) => mobile],
          [t('messaging.send.content'), ({ message }) => message],
          [t('messaging.replies.columns.to'), ({ to }) => to],
          [t('messaging.replies.columns.stop'), ({ stop }) => t(stop ? 'common.yes' : 'common.no')],
          [
            t('messaging.replies.columns.ownedBy'),
            ({ owned_by }) => t(`messaging.replies.ownedBy.${foundBy[owned_by]}`),
          ],
          [t('carriers.columns.carrier'), ({ carrier }) => carrier],
          [t('messaging.simulated'), ({ simulated }) => t(simulated ? 'common.yes' : 'common.no')],
          [t('messaging.list.columns.push'), ({ push }) => push ?? null],
          [t('messaging.replies.columns.received'), ({ received_at }) => received_at],
          ['id', ({ id }) => id],
        ],
      }}
      filters={
        <search className="filters">
          <SearchField
            label={t('messaging.replies.search')}
            value={filters.search}
            onSearch={(search) => show(narrowed(filters, { search }))}
          />
          <FilterChoice
            label={t('messaging.replies.columns.stop')}
            any={t('messaging.replies.anyKind')}
            value={filters.stop}
            choices={replyKinds.map((value) => ({ value, label: t(`messaging.replies.kinds.${value}`) }))}
            onChange={(stop) => show(narrowed(filters, { stop }))}
          />
        </search>
      }
      columns={useReplyColumns()}
      rowKey={({ id }) => id}
      minWidth={1080}
      none={{ title: t('messaging.replies.none'), lead: t('messaging.replies.noneLead') }}
      noneFound={
        Object.keys(filters).length > 0 && { title: t('messaging.replies.noneFound'), onClear: () => show({}) }
      }
    />
  );
}

function useReplyColumns(): Column<Reply>[] {
  const { t } = useTranslation();
  return [
    {
      title: t('messaging.replies.columns.from'),
      width: 170,
      cell: ({ mobile }) => <span className="figures">{mobile}</span>,
    },
    {
      title: t('messaging.send.content'),
      cell: ({ message, stop, simulated }) => (
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
    { title: t('messaging.replies.columns.to'), width: 150, cell: ({ to }) => <span className="figures">{to}</span> },
    {
      title: t('messaging.replies.columns.ownedBy'),
      width: 200,
      cell: ({ owned_by, carrier }) => (
        <>
          {t(`messaging.replies.ownedBy.${foundBy[owned_by]}`)}
          <div className="quiet small">{carrier}</div>
        </>
      ),
    },
    { title: t('messaging.list.columns.push'), width: 110, cell: ({ push }) => <PushMark push={push} /> },
    {
      title: t('messaging.replies.columns.received'),
      width: 205,
      cell: ({ received_at }) => <Instant at={received_at} />,
    },
  ];
}
