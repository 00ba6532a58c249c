import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { listDeployments } from '@waxwing/contract/management-api/deployment-operations.ts';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi } from '../../api/api-context.tsx';
import type { ListedDeployment } from '../../api/shown-things.ts';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { DeploymentTable } from './deployment-table.tsx';

const route = getRouteApi('/frame/o/$organizationId/deployments');

export function DeploymentListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const { organizationId } = route.useParams();
  const { search } = route.useSearch();
  const navigate = useNavigate();
  const input = {
    params: { organization_id: organizationId },
    query: search === undefined ? {} : { search },
  };
  const searchFor = (text: string) =>
    void navigate({
      to: '/o/$organizationId/deployments',
      params: { organizationId },
      search: text === '' ? {} : { search: text },
      replace: true,
    });
  return (
    <>
      <PageHead
        title={t('deployments.title')}
        lead={t('deployments.lead')}
        actions={
          <ExportCsv<ListedDeployment>
            fileName="deployments"
            items={(signal) => everyItem(api, listDeployments, input, signal)}
            columns={[
              [t('deployments.columns.name'), ({ name }) => name],
              [t('deployments.columns.state'), ({ enabled }) => t(enabled ? 'deployments.on' : 'deployments.off')],
              [t('deployments.permitted'), ({ permitted }) => t(permitted ? 'common.yes' : 'common.no')],
              [t('deployments.allowList'), ({ allow }) => allow.join(' ')],
              [t('deployments.columns.certificate'), ({ certificate_name }) => certificate_name],
              ['certificate_id', ({ certificate_id }) => certificate_id],
              [t('deployments.columns.created'), ({ created_at }) => created_at],
              ['id', ({ id }) => id],
            ]}
          />
        }
      />
      <search className="filters">
        <SearchField label={t('deployments.search')} value={search ?? ''} onSearch={searchFor} />
      </search>
      <DeploymentTable organizationId={organizationId} search={search} onClearSearch={() => searchFor('')} />
    </>
  );
}
