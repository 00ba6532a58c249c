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
import { defined } from '../../parts/tables/list-filters.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { SearchField } from '../../parts/tables/search-field.tsx';
import { useDeploymentColumns } from './deployment-table.tsx';

const route = getRouteApi('/frame/o/$organizationId/deployments');

export function DeploymentListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(organizationId);
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
          [t('deployments.allowList'), ({ allow }) => allow.join(' ')],
          [t('certificates.columns.name'), ({ certificate_name }) => certificate_name],
          ['certificate_id', ({ certificate_id }) => certificate_id],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      filters={
        <search className="filters">
          <SearchField label={t('certificates.search')} value={search} onSearch={searchFor} />
        </search>
      }
      columns={useDeploymentColumns(organizationId)}
      rowKey={({ id }) => id}
      minWidth={820}
      none={{ title: t('deployments.none'), lead: t('deployments.noneLead'), action: chooseButton }}
      noneFound={search !== undefined && { title: t('deployments.noneFound'), onClear: () => searchFor() }}
    />
  );
}
