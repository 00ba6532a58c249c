import { getRouteApi } from '@tanstack/react-router';
import { listDeployments } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { ListedDeployment } from '../../api/shown-things.ts';
import { ExportCsv } from '../../parts/tables/export-csv.tsx';
import { defined } from '../../parts/tables/list-filters.ts';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { DeploymentTable } from './deployment-table.tsx';

const route = getRouteApi('/frame/o/$organizationId/deployments');

export function DeploymentListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const pages = usePages(listDeployments, {
    params: { organization_id: organizationId },
    query: defined({ search }),
  });
  const searchFor = (text?: string) =>
    void navigate({
      to: '.',
      search: defined({ search: text }),
      replace: true,
    });
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
              [t('deployments.allowList'), ({ allow }) => allow.join(' ')],
              [t('certificates.columns.name'), ({ certificate_name }) => certificate_name],
              ['certificate_id', ({ certificate_id }) => certificate_id],
              [t('common.created'), ({ created_at }) => created_at],
              ['id', ({ id }) => id],
            ]}
          />
        }
      />
      <search className="filters">
        <SearchField label={t('certificates.search')} value={search} onSearch={searchFor} />
      </search>
      <DeploymentTable organizationId={organizationId} search={search} onClearSearch={() => searchFor()} />
    </>
  );
}
