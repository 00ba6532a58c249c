import { listDeploymentRefusals } from '@waxwing/contract/management-api/deployment-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, usePages } from '../../api/api-context.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { activityRefreshMs } from './retrieval-table.tsx';

type Refusal = AnswerOf<typeof listDeploymentRefusals>['items'][number];

const known = [
  'invalid_token',
  'token_not_permitted',
  'address_not_allowed',
  'certificate_not_found',
  'invalid_download_type',
  'invalid_parameter',
  'too_many_requests',
  'service_unavailable',
] as const;

/** What was refused to a deployment, why, and what to do about it. */
export function RefusalTable({ organizationId, deploymentId }: { organizationId: string; deploymentId: string }) {
  const { t } = useTranslation();
  const api = useApi();
  const input = { params: { organization_id: organizationId, deployment_id: deploymentId } };
  const pages = usePages(listDeploymentRefusals, input, { refetchInterval: activityRefreshMs });
  const reasonText = (reason: string) => {
    const key = known.find((each) => each === reason);
    return key === undefined ? reason : t(`deployments.reasons.${key}`);
  };
  const columns: TableColumnType<Refusal>[] = [
    {
      title: t('deployments.refusals.minute'),
      key: 'minute',
      width: 180,
      render: (_value, { minute }) => <Instant at={minute} />,
    },
    {
      title: t('deployments.refusals.address'),
      key: 'address',
      width: 200,
      render: (_value, { address }) => <span className="mono">{address}</span>,
    },
    { title: t('deployments.refusals.count'), dataIndex: 'count', width: 90, align: 'right' },
    { title: t('deployments.refusals.reason'), key: 'reason', render: (_value, { reason }) => reasonText(reason) },
  ];
  return (
    <div className="stack tight">
      <div className="row end">
        <ExportCsv<Refusal>
          fileName="refusals"
          items={(signal) => everyItem(api, listDeploymentRefusals, input, signal)}
          columns={[
            [t('deployments.refusals.minute'), ({ minute }) => minute],
            [t('deployments.refusals.address'), ({ address }) => address],
            [t('deployments.refusals.count'), ({ count }) => count],
            [t('deployments.refusals.reason'), ({ reason }) => reasonText(reason)],
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
