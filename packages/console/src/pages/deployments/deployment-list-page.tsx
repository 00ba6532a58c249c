import { getRouteApi } from '@tanstack/react-router';
import {
  createDeployment,
  listDeployments,
} from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { ListedDeployment } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { FilterBar } from '../../parts/tables/filter-bar.tsx';
import { defined, type FilterChange, narrowed } from '../../parts/tables/list-filters.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { rolloutRefreshMs, useDeploymentColumns } from './deployment-table.tsx';
import { OutdatedFilter } from './outdated-filter.tsx';

const route = getRouteApi('/frame/o/$organizationId/deployments');

export function DeploymentListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const { search, outdated } = filters;
  const navigate = route.useNavigate();
  const may = useMay(organizationId);
  const pages = usePages(
    listDeployments,
    { params: { organization_id: organizationId }, query: defined({ search, outdated }) },
    { refetchInterval: rolloutRefreshMs },
  );
  const show = (search: typeof filters) => void navigate({ to: '.', search, replace: true });
  const filter = (change: FilterChange<typeof filters>) => show(narrowed(filters, change));
  const chooseButton = may(createDeployment) && (
    <Button onClick={() => void navigate({ to: '/o/$organizationId/certificates', params: { organizationId } })}>
      {t('deployments.chooseCertificate')}
    </Button>
  );
  return (
    <ListPage<ListedDeployment>
      title={t('menu.serverDeployments')}
      lead={t('deployments.lead')}
      pages={pages}
      csv={{
        fileName: 'deployments',
        columns: [
          [t('deployments.columns.name'), ({ name }) => name],
          [t('common.state'), ({ enabled }) => t(enabled ? 'deployments.on' : 'deployments.off')],
          [t('deployments.permitted'), ({ permitted }) => t(permitted ? 'common.yes' : 'common.no')],
          [t('deployments.retrievals.version'), ({ last_version_number }) => last_version_number],
          [t('deployments.rollout.outdatedSince'), ({ outdated_since }) => outdated_since],
          [t('deployments.lastSeen'), ({ last_seen_at }) => last_seen_at],
          [t('deployments.retrievals.userAgent'), ({ last_user_agent }) => last_user_agent],
          [t('deployments.allowList'), ({ allow }) => allow.join(' ')],
          [t('certificates.columns.name'), ({ certificate_name }) => certificate_name],
          ['certificate_id', ({ certificate_id }) => certificate_id],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      filters={
        <FilterBar inUse={Object.keys(filters).length}>
          <SearchField label={t('certificates.search')} value={search} onSearch={(text) => filter({ search: text })} />
          <OutdatedFilter isOn={outdated === true} onChange={(isOn) => filter({ outdated: isOn ? true : undefined })} />
        </FilterBar>
      }
      columns={useDeploymentColumns(organizationId)}
      rowKey={({ id }) => id}
      minWidth={1120}
      none={{ title: t('deployments.none'), lead: t('deployments.noneLead'), action: chooseButton }}
      noneFound={Object.keys(filters).length > 0 && { title: t('deployments.noneFound'), onClear: () => show({}) }}
    />
  );
}
