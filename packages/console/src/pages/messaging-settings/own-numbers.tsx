import { listOrganizationRoutes } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import { Panel } from '../../parts/text/panel.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';

/** The numbers whose replies belong to the organization, from any sender. */
export function OwnNumbers({ organizationId }: { readonly organizationId: string }) {
  const { t } = useTranslation();
  const routes = usePages(listOrganizationRoutes, { params: { organization_id: organizationId } });
  const { items = [] } = routes;
  return (
    <Panel title={t('menu.routes')}>
      <p className="quiet small">{t('messaging.settings.numbersLead')}</p>
      <ProblemAlert error={routes.error} onRetry={() => void routes.refetch()} />
      {items.length === 0 && routes.error === null && !routes.isPending && <p>{t('messaging.settings.numbersNone')}</p>}
      <ul>
        {items.map(({ id, address, kind, carrier }) => (
          <li key={id} className="settings-row">
            <span className="mono">
              {address}
              {kind === 'prefix' && '…'}
            </span>
            <span className="quiet">{carrier}</span>
          </li>
        ))}
      </ul>
      {routes.hasNextPage && (
        <Button loading={routes.isFetchingNextPage} onClick={() => void routes.fetchNextPage()}>
          {t('common.loadMore')}
        </Button>
      )}
    </Panel>
  );
}
