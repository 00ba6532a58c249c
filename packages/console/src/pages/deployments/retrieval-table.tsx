import { listDeploymentRetrievals } from '@waxwing/contract/management-api/deployment-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, usePages } from '../../api/api-context.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';

type Retrieval = AnswerOf<typeof listDeploymentRetrievals>['items'][number];

export interface RetrievalTableProps {
  readonly organizationId: string;
  readonly deploymentId: string;
  /** For the numbers of versions. */
  readonly versions: readonly { readonly id: string; readonly number: number }[];
}

/** Figures come without a notice; so often they are asked for while somebody looks. */
export const activityRefreshMs = 10_000;

/** Every hand-out of a private key to a deployment. */
export function RetrievalTable({ organizationId, deploymentId, versions }: RetrievalTableProps) {
  const { t } = useTranslation();
  const api = useApi();
  const input = { params: { organization_id: organizationId, deployment_id: deploymentId } };
  const pages = usePages(listDeploymentRetrievals, input, { refetchInterval: activityRefreshMs });
  const numbers = new Map(versions.map(({ id, number }) => [id, number]));
  const versionName = (id: string | null) => {
    const number = id === null ? undefined : numbers.get(id);
    return number === undefined ? (id ?? '–') : t('deployments.versionNumber', { number });
  };
  const columns: TableColumnType<Retrieval>[] = [
    { title: t('deployments.retrievals.at'), key: 'at', width: 180, render: (_value, { at }) => <Instant at={at} /> },
    {
      title: t('deployments.retrievals.address'),
      key: 'address',
      width: 200,
      render: (_value, { address }) => <span className="mono">{address ?? '–'}</span>,
    },
    {
      title: t('deployments.retrievals.version'),
      key: 'version',
      width: 140,
      render: (_value, { version }) => versionName(version),
    },
    {
      title: t('deployments.retrievals.userAgent'),
      key: 'user-agent',
      render: (_value, { user_agent }) => <span className="break-anywhere">{user_agent ?? '–'}</span>,
    },
  ];
  return (
    <div className="stack tight">
      <div className="row end">
        <ExportCsv<Retrieval>
          fileName="retrievals"
          items={() => everyItem(api, listDeploymentRetrievals, input)}
          columns={[
            [t('deployments.retrievals.at'), ({ at }) => at],
            [t('deployments.retrievals.address'), ({ address }) => address],
            [t('deployments.retrievals.version'), ({ version }) => versionName(version)],
            [t('deployments.retrievals.userAgent'), ({ user_agent }) => user_agent],
          ]}
        />
      </div>
      <ItemTable<Retrieval>
        label={t('deployments.tabs.retrievals')}
        pages={pages}
        columns={columns}
        rowKey={(row) => JSON.stringify([row.at, row.address, row.version, row.user_agent])}
        minWidth={960}
        empty={<EmptyState title={t('deployments.retrievals.none')}>{t('deployments.retrievals.noneLead')}</EmptyState>}
      />
    </div>
  );
}
