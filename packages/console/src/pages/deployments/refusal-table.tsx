import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { listDeploymentRefusals } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { EmptyState } from '../../parts/tables/empty-state.tsx';
import { ExportCsv } from '../../parts/tables/export-csv.tsx';
import { ItemTable } from '../../parts/tables/item-table.tsx';
import { refusalText } from './refusal-text.ts';
import { activityRefreshMs } from './retrieval-table.tsx';

type Refusal = AnswerOf<typeof listDeploymentRefusals>['items'][number];

/** Refused requests of a deployment, with reasons and remedies. */
export function RefusalTable({ organizationId, deploymentId }: { organizationId: string; deploymentId: string }) {
  const { t, i18n } = useTranslation();
  const input = { params: { organization_id: organizationId, deployment_id: deploymentId } };
  const pages = usePages(listDeploymentRefusals, input, { refetchInterval: activityRefreshMs });
  const columns: Column<Refusal>[] = [
    { title: t('deployments.refusals.minute'), width: 180, cell: ({ minute }) => <Instant at={minute} /> },
    {
      title: t('deployments.retrievals.address'),
      width: 200,
      cell: ({ address }) => <span className="mono">{address}</span>,
    },
    { title: t('deployments.refusals.count'), cell: ({ count }) => count, width: 90, align: 'right' },
    { title: t('deployments.refusals.reason'), cell: ({ reason }) => refusalText(i18n, reason) },
  ];
  return (
    <div className="stack tight">
      <div className="row end">
        <ExportCsv<Refusal>
          fileName="refusals"
          pages={pages}
          columns={[
            [t('deployments.refusals.minute'), ({ minute }) => minute],
            [t('deployments.retrievals.address'), ({ address }) => address],
            [t('deployments.refusals.count'), ({ count }) => count],
            [t('deployments.refusals.reason'), ({ reason }) => refusalText(i18n, reason)],
          ]}
        />
      </div>
      <ItemTable<Refusal>
        label={t('deployments.tabs.refusals')}
        pages={pages}
        columns={columns}
        rowKey={({ minute, reason, address }) => `${minute} ${reason} ${address}`}
        minWidth={680}
        empty={<EmptyState title={t('deployments.refusals.none')} />}
      />
    </div>
  );
}
