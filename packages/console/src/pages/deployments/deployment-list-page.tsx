import { getRouteApi } from '@tanstack/react-router';
import { listDeployments } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { ListedDeployment } from '../../api/shown-things.ts';
import { ExportCsv } from '../../parts/tables/export-csv.tsx';
import { FilterBar } from '../../parts/tables/filter-bar.tsx';
import { defined, type FilterChange, narrowed } from '../../parts/tables/list-filters.ts';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { DeploymentTable } from './deployment-table.tsx';
import { OutdatedFilter } from './outdated-filter.tsx';

const route = getRouteApi('/frame/o/$organizationId/deployments');

export function DeploymentListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const filters = route.useSearch();
  const { search, outdated } = filters;
  const navigate = route.useNavigate();
  const pages = usePages(listDeployments, {
    params: { organization_id: organizationId },
    query: defined({ search, outdated }),
  });
  const filter = (change: FilterChange<typeof filters>) =>
    void navigate({ to: '.', search: narrowed(filters, change), replace: true });
  return (
    <>
      <PageHead
        title={t('menu.serverDeployments')}
        lead={t('deployments.lead')}
        actions={
          <ExportCsv<ListedDeployment>
            fileName="deployments"
            pages={pages}
            columns={[
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
            ]}
          />
        }
      />
      <FilterBar inUse={Object.keys(filters).length}>
        <SearchField label={t('certificates.search')} value={search} onSearch={(text) => filter({ search: text })} />
        <OutdatedFilter isOn={outdated === true} onChange={(isOn) => filter({ outdated: isOn ? true : undefined })} />
      </FilterBar>
      <DeploymentTable
        organizationId={organizationId}
        search={search}
        outdated={outdated}
        onClearFilters={() => void navigate({ to: '.', search: {}, replace: true })}
      />
    </>
  );
}
