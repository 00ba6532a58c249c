import { ReloadOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import { createResend, listPushes, resendPush } from '@waxwing/contract/management-api/operations/push-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { Push } from '../../api/shown-pushes.ts';
import { useMay } from '../../api/use-me.ts';
import { TimeBounds } from '../../parts/forms/time-bounds.tsx';
import { FilterBar, FilterChoice } from '../../parts/tables/filter-bar.tsx';
import { type FilterChange, narrowed } from '../../parts/tables/list-filters.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { contentOf, usePushColumns } from './push-columns.tsx';
import { type PushFilters, pushKinds, pushListInput, pushStates } from './push-filters.ts';
import { ResendList } from './resend-list.tsx';
import { ResendModal } from './resend-modal.tsx';
import { SelectedPushes } from './selected-pushes.tsx';
import { useResends } from './use-resends.ts';
import './push.css';

const route = getRouteApi('/frame/o/$organizationId/pushes');

/** Pushes are too many for notices, so the page reads them this often; more often during a re-send. */
const refreshMs = 5_000;
const whileResendingMs = 2_000;

export function PushListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(organizationId);
  const input = pushListInput(organizationId, filters);
  const resends = useResends(organizationId);
  const refetchInterval = resends.isRunning ? whileResendingMs : refreshMs;
  const pages = usePages(listPushes, input, { refetchInterval });
  const [chosen, setSelected] = useState<readonly string[]>([]);
  const [isAsking, setAsking] = useState(false);
  const ended = (pages.items ?? []).filter(({ state }) => state !== 'waiting');
  // Pushes that a filter hides must not be re-sent.
  const selected = chosen.filter((id) => ended.some((push) => push.id === id));

  function filter(change: FilterChange<PushFilters>): void {
    const search = narrowed(filters, change);
    void navigate({ to: '.', search, replace: true });
  }

  return (
    <ListPage<Push>
      title={t('menu.pushes')}
      lead={t('push.list.lead')}
      pages={pages}
      csv={{
        fileName: 'pushes',
        columns: [
          [t('messaging.list.columns.accepted'), ({ created_at }) => created_at],
          [t('push.list.columns.kind'), ({ kind }) => t(`push.kinds.${kind}`)],
          [t('messaging.number'), ({ parameters }) => parameters.mobile],
          [t('push.list.columns.content'), (push) => contentOf(push)],
          ['batch_id', ({ parameters }) => ('batch_id' in parameters ? parameters.batch_id : null)],
          [t('common.state'), ({ state }) => t(`push.list.states.${state}`)],
          [t('push.list.columns.attempts'), ({ attempts }) => attempts],
          [t('push.one.due'), ({ due_at }) => due_at],
          [t('push.one.ended'), ({ ended_at }) => ended_at],
          ['Webhook-Id', ({ id }) => id],
        ],
      }}
      action={
        may(createResend) && (
          <Button icon={<ReloadOutlined />} onClick={() => setAsking(true)}>
            {t('push.resend.many')}
          </Button>
        )
      }
      filters={
        <FilterBar inUse={Object.keys(filters).length}>
          <SearchField
            label={t('messaging.list.search')}
            value={filters.search}
            onSearch={(search) => filter({ search })}
          />
          <FilterChoice
            label={t('push.list.columns.kind')}
            any={t('push.list.anyKind')}
            value={filters.kind}
            choices={pushKinds.map((value) => ({ value, label: t(`push.kinds.${value}`) }))}
            onChange={(kind) => filter({ kind })}
          />
          <FilterChoice
            label={t('common.state')}
            any={t('certificates.anyState')}
            value={filters.state}
            choices={pushStates.map((value) => ({ value, label: t(`push.list.states.${value}`) }))}
            onChange={(state) => filter({ state })}
          />
          <TimeBounds
            of={t('messaging.list.columns.accepted')}
            since={filters.since}
            until={filters.until}
            onChange={filter}
          />
        </FilterBar>
      }
      above={
        <>
          <ResendList organizationId={organizationId} {...resends} />
          {may(resendPush) && (
            <SelectedPushes
              organizationId={organizationId}
              selected={selected}
              onClear={() => setSelected([])}
              onSelectAll={() => setSelected(ended.map(({ id }) => id))}
            />
          )}
        </>
      }
      columns={usePushColumns(organizationId)}
      rowKey={({ id }) => id}
      rowClassName={({ state }) => (state === 'failed' ? 'push-failed' : '')}
      minWidth={1150}
      {...(may(resendPush) && {
        rowSelection: {
          columnWidth: 44,
          // antd would repeat the box in a hidden row that measures columns, where the keyboard reaches it.
          hideSelectAll: true,
          selectedRowKeys: [...selected],
          onChange: (keys) => setSelected(keys.map(String)),
          getCheckboxProps: ({ state, parameters }) => ({
            disabled: state === 'waiting',
            'aria-label': t('push.list.select', { mobile: parameters.mobile }),
          }),
        },
      })}
      none={{
        title: t('push.list.none'),
        lead: t('push.list.noneLead'),
        action: (
          <Button
            type="primary"
            onClick={() => void navigate({ to: '/o/$organizationId/push-settings', params: { organizationId } })}
          >
            {t('push.list.toSettings')}
          </Button>
        ),
      }}
      noneFound={
        Object.keys(filters).length > 0 && {
          title: t('push.list.noneFound'),
          onClear: () => void navigate({ to: '.', search: {} }),
        }
      }
    >
      {isAsking && (
        <ResendModal
          organizationId={organizationId}
          title={t('push.resend.title')}
          what={t('push.resend.what')}
          cancelText={t('common.cancel')}
          initial={{ kind: filters.kind ?? 'status', which: 'failed', since: filters.since }}
          onBegun={(resend) => {
            resends.follow(resend);
            setAsking(false);
          }}
          onEnd={() => setAsking(false)}
        />
      )}
    </ListPage>
  );
}
