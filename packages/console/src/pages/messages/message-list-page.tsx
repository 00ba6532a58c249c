import { SendOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import { listMessages, sendByHand } from '@waxwing/contract/management-api/operations/message-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { Message } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { TimeBounds } from '../../parts/forms/time-bounds.tsx';
import { FilterBar, FilterChoice } from '../../parts/tables/filter-bar.tsx';
import { type FilterChange, narrowed } from '../../parts/tables/list-filters.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { messageCells, useMessageColumns } from './message-columns.tsx';
import { type MessageFilters, messageListInput, messageStatuses } from './message-filters.ts';

const route = getRouteApi('/frame/o/$organizationId/messages');

/** A final status sends a notice. Newly accepted messages do not, so the page reads them this often. */
const refreshMs = 10_000;

export function MessageListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(organizationId);
  const input = messageListInput(organizationId, filters);
  const pages = usePages(listMessages, input, { refetchInterval: refreshMs });
  const isFiltered = Object.keys(filters).length > 0;

  const show = (search: MessageFilters) => void navigate({ to: '.', search, replace: true });
  const filter = (change: FilterChange<MessageFilters>) => show(narrowed(filters, change));

  const sendButton = may(sendByHand) && (
    <Button
      type="primary"
      icon={<SendOutlined />}
      onClick={() => void navigate({ to: '/o/$organizationId/messages/send', params: { organizationId } })}
    >
      {t('messaging.send.button')}
    </Button>
  );

  return (
    <ListPage<Message>
      title={t('menu.messages')}
      lead={t('messaging.list.lead')}
      pages={pages}
      csv={{ fileName: 'messages', columns: messageCells(t) }}
      action={sendButton}
      filters={
        <FilterBar inUse={Object.keys(filters).length}>
          <SearchField
            label={t('messaging.list.search')}
            value={filters.search}
            onSearch={(search) => filter({ search })}
          />
          <FilterChoice
            label={t('messaging.list.columns.status')}
            any={t('messaging.list.anyStatus')}
            value={filters.status}
            choices={messageStatuses.map((value) => ({
              value,
              label: value === 'open' ? t('messaging.list.open') : t(`messaging.states.${value}`),
            }))}
            onChange={(status) => filter({ status })}
          />
          <TimeBounds
            of={t('messaging.list.columns.accepted')}
            since={filters.since}
            until={filters.until}
            onChange={filter}
          />
        </FilterBar>
      }
      columns={useMessageColumns(organizationId)}
      rowKey={({ batch_id, position }) => `${batch_id} ${position}`}
      minWidth={1080}
      none={{ title: t('messaging.list.none'), lead: t('messaging.list.noneLead') }}
      noneFound={isFiltered && { title: t('messaging.list.noneFound'), onClear: () => show({}) }}
    />
  );
}
