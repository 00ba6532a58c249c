import { Link } from '@tanstack/react-router';
import type {
  listCertificateRetrievals,
  listDeploymentRetrievals,
} from '@waxwing/contract/management-api/deployment-operations.ts';
import type { TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, usePages } from '../../api/api-context.tsx';
import type { InputOf } from '../../api/call.ts';
import type { ItemOf } from '../../api/shown-things.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';

type Listing = typeof listDeploymentRetrievals | typeof listCertificateRetrievals;
type Retrieval = ItemOf<typeof listDeploymentRetrievals> & Partial<ItemOf<typeof listCertificateRetrievals>>;

export interface RetrievalTableProps {
  readonly organizationId: string;
  /** Of one deployment, or of a certificate: then each row says by which deployment. */
  readonly operation: Listing;
  readonly params: Readonly<Record<string, string>> & { readonly organization_id: string };
  /** For the numbers of versions. */
  readonly versions: readonly { readonly id: string; readonly number: number }[];
}

/** Figures come without a notice; so often they are asked for while somebody looks. */
export const activityRefreshMs = 10_000;

/** Every hand-out of a private key. */
export function RetrievalTable({ organizationId, operation, params, versions }: RetrievalTableProps) {
  const { t } = useTranslation();
  const api = useApi();
  // The two lists differ in one field and in the path's parameters, which whoever shows the table has given.
  const listing = operation as typeof listCertificateRetrievals;
  const input = { params: params as InputOf<typeof listCertificateRetrievals>['params'] };
  const pages = usePages(listing, input, { refetchInterval: activityRefreshMs });
  const ofCertificate = operation.id === 'listCertificateRetrievals';
  const numbers = new Map(versions.map(({ id, number }) => [id, number]));
  const versionName = (id: string | null) => {
    const number = id === null ? undefined : numbers.get(id);
    return number === undefined ? (id ?? '–') : t('deployments.versionNumber', { number });
  };
  const columns: TableColumnType<Retrieval>[] = [
    { title: t('deployments.retrievals.at'), key: 'at', width: 205, render: (_value, { at }) => <Instant at={at} /> },
    ...(ofCertificate
      ? [
          {
            title: t('deployments.one'),
            key: 'deployment',
            width: 200,
            render: (_value: unknown, { deployment }: Retrieval) =>
              deployment !== undefined && <DeploymentLink organizationId={organizationId} deployment={deployment} />,
          },
        ]
      : []),
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
          items={(signal) => everyItem(api, listing, input, signal)}
          columns={[
            [t('deployments.retrievals.at'), ({ at }) => at],
            ...(ofCertificate
              ? [
                  [
                    t('deployments.one'),
                    ({ deployment }: Retrieval) => deployment?.name ?? deployment?.id ?? '',
                  ] as const,
                ]
              : []),
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
        rowKey={(row) => JSON.stringify([row.at, row.deployment?.id, row.address, row.version, row.user_agent])}
        minWidth={960}
        empty={<EmptyState title={t('deployments.retrievals.none')}>{t('deployments.retrievals.noneLead')}</EmptyState>}
      />
    </div>
  );
}

interface DeploymentLinkProps {
  readonly organizationId: string;
  readonly deployment: { readonly id: string; readonly name: string | null };
}

function DeploymentLink({ organizationId, deployment: { id, name } }: DeploymentLinkProps) {
  const { t } = useTranslation();
  if (name === null) {
    return (
      <span className="quiet" title={id}>
        {t('deployments.deleted')}
      </span>
    );
  }
  return (
    <Link to="/o/$organizationId/deployments/$deploymentId" params={{ organizationId, deploymentId: id }}>
      {name}
    </Link>
  );
}
