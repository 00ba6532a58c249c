import { ReloadOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { createResend, listPushes, resendPush } from '@waxwing/contract/management-api/push-operations.ts';
import { Button, Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, usePages } from '../../api/api-context.tsx';
import type { Push } from '../../api/shown-pushes.ts';
import { useMay } from '../../api/use-me.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { FilterBar } from '../../parts/filter-bar.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { TimeBounds } from '../../parts/time-bounds.tsx';
import { contentOf, usePushColumns } from './push-columns.tsx';
import { type PushFilters, pushKinds, pushListInput, pushStates } from './push-filters.ts';
import { ResendList } from './resend-list.tsx';
import { ResendModal } from './resend-modal.tsx';
import { SelectedPushes } from './selected-pushes.tsx';
import { useResends } from './use-resends.ts';
import './push.css';

const route = getRouteApi('/frame/o/$organizationId/pushes');

/** A push changes without a notice: there are too many for that. More is going on while some are sent again. */
const refreshMs = 5_000;
const whileResendingMs = 2_000;

export function PushListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const input = pushListInput(organizationId, filters);
  const resends = useResends(organizationId);
  const refetchInterval = resends.isRunning ? whileResendingMs : refreshMs;
  const pages = usePages(listPushes, input, { refetchInterval });
  const [chosen, setSelected] = useState<readonly string[]>([]);
  const [isAsking, setAsking] = useState(false);
  const columns = usePushColumns(organizationId);
  const ended = (pages.items ?? []).filter(({ state }) => state !== 'waiting');
  // What a filter has taken away is not sent again unseen.
  const selected = chosen.filter((id) => ended.some((push) => push.id === id));

  function filter(change: { [Name in keyof PushFilters]?: PushFilters[Name] | undefined }): void {
    const search = Object.fromEntries(
      Object.entries({ ...filters, ...change }).filter(([, value]) => value !== undefined),
    );
    void navigate({ to: '/o/$organizationId/pushes', params: { organizationId }, search, replace: true });
  }

  return (
    <>
      <PageHead
        title={t('push.list.title')}
        lead={t('push.list.lead')}
        actions={
          <>
            <ExportCsv<Push>
              fileName="pushes"
              items={(signal) => everyItem(api, listPushes, input, signal)}
              columns={[
                [t('push.list.columns.accepted'), ({ created_at }) => created_at],
                [t('push.list.columns.kind'), ({ kind }) => t(`push.kinds.${kind}`)],
                [t('push.list.columns.mobile'), ({ parameters }) => parameters.mobile],
                [t('push.list.columns.content'), (push) => contentOf(push)],
                ['batch_id', ({ parameters }) => ('batch_id' in parameters ? parameters.batch_id : null)],
                [t('push.list.columns.state'), ({ state }) => t(`push.list.states.${state}`)],
                [t('push.list.columns.attempts'), ({ attempts }) => attempts],
                [t('push.one.due'), ({ due_at }) => due_at],
                [t('push.one.ended'), ({ ended_at }) => ended_at],
                ['Webhook-Id', ({ id }) => id],
              ]}
            />
            {may(createResend) && (
              <Button icon={<ReloadOutlined />} onClick={() => setAsking(true)}>
                {t('push.resend.many')}
              </Button>
            )}
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
          className="filter-choice"
          aria-label={t('push.list.columns.kind')}
          allowClear
          placeholder={t('push.list.anyKind')}
          value={filters.kind}
          options={pushKinds.map((value) => ({ value, label: t(`push.kinds.${value}`) }))}
          onChange={(kind?: PushFilters['kind']) => filter({ kind })}
        />
        <Select
          className="filter-choice"
          aria-label={t('push.list.columns.state')}
          allowClear
          placeholder={t('push.list.anyState')}
          value={filters.state}
          options={pushStates.map((value) => ({ value, label: t(`push.list.states.${value}`) }))}
          onChange={(state?: PushFilters['state']) => filter({ state })}
        />
        <TimeBounds
          of={t('push.list.columns.accepted')}
          since={filters.since}
          until={filters.until}
          onChange={filter}
        />
      </FilterBar>
      <div className="stack">
        <ResendList organizationId={organizationId} {...resends} />
        {may(resendPush) && (
          <SelectedPushes
            organizationId={organizationId}
            selected={selected}
            onClear={() => setSelected([])}
            onSelectAll={() => setSelected(ended.map(({ id }) => id))}
          />
        )}
        <ItemTable<Push>
          label={t('push.list.title')}
          pages={pages}
          columns={columns}
          rowKey={({ id }) => id}
          rowClassName={({ state }) => (state === 'failed' ? 'push-failed' : '')}
          minWidth={1150}
          {...(may(resendPush) && {
            rowSelection: {
              columnWidth: 44,
              // antd puts a copy of the box into a hidden row that measures columns, where the keyboard would reach it.
              hideSelectAll: true,
              selectedRowKeys: [...selected],
              onChange: (keys) => setSelected(keys.map(String)),
              getCheckboxProps: ({ state, parameters }) => ({
                disabled: state === 'waiting',
                'aria-label': t('push.list.select', { mobile: parameters.mobile }),
              }),
            },
          })}
          empty={<NoPushes organizationId={organizationId} isFiltered={Object.keys(filters).length > 0} />}
        />
      </div>
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
    </>
  );
}

function NoPushes({ organizationId, isFiltered }: { organizationId: string; isFiltered: boolean }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const params = { organizationId };
  if (isFiltered) {
    return (
      <EmptyState
        title={t('push.list.noneFound')}
        action={
          <Button onClick={() => void navigate({ to: '/o/$organizationId/pushes', params, search: {} })}>
            {t('common.clearFilters')}
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState
      title={t('push.list.none')}
      action={
        <Button type="primary" onClick={() => void navigate({ to: '/o/$organizationId/push-settings', params })}>
          {t('push.list.toSettings')}
        </Button>
      }
    >
      {t('push.list.noneLead')}
    </EmptyState>
  );
}
