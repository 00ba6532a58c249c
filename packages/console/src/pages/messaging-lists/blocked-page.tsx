import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { PageHead } from '../../parts/page-head.tsx';
import { BlockedNumbers, BlockedWords } from './blocked-tables.tsx';
import type { BlockedFilter } from './number-filter.ts';

const route = getRouteApi('/frame/o/$organizationId/blocked');

/** What an organization never sends. */
export function BlockedPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const { tab = 'numbers', ...filter } = route.useSearch();
  const navigate = useNavigate();
  const show = (search: BlockedFilter) =>
    void navigate({ to: '/o/$organizationId/blocked', params: { organizationId }, search, replace: true });
  return (
    <>
      <PageHead title={t('messaging.blocked.title')} lead={t('messaging.blocked.lead')} />
      <Tabs
        activeKey={tab}
        onChange={(key) => show(key === 'words' ? { tab: 'words' } : {})}
        items={[
          {
            key: 'numbers',
            label: t('messaging.blocked.tabs.numbers'),
            children: <BlockedNumbers organizationId={organizationId} filter={filter} onFilter={show} />,
          },
          {
            key: 'words',
            label: t('messaging.blocked.tabs.words'),
            children: <BlockedWords organizationId={organizationId} />,
          },
        ]}
      />
    </>
  );
}
