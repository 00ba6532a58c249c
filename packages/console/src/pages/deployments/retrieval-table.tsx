import type {
  listCertificateRetrievals,
  listDeploymentRetrievals,
} from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { InputOf } from '../../api/call.ts';
import type { ItemOf } from '../../api/shown-things.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { DeploymentLink } from '../../parts/marks/thing-link.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { EmptyState } from '../../parts/tables/empty-state.tsx';
import { ExportCsv } from '../../parts/tables/export-csv.tsx';
import { ItemTable } from '../../parts/tables/item-table.tsx';

type Listing = typeof listDeploymentRetrievals | typeof listCertificateRetrievals;
type Retrieval = ItemOf<typeof listDeploymentRetrievals> & Partial<ItemOf<typeof listCertificateRetrievals>>;

interface RetrievalTableProps {
  readonly organizationId: string;
  /** Of one deployment, or of a certificate, whose rows name the deployment. */
  readonly operation: Listing;
  readonly params: Readonly<Record<string, string>> & { readonly organization_id: string };
  /** For the numbers of versions. */
  readonly versions: readonly { readonly id: string; readonly number: number }[];
}

/** Figures come without a notice, so pages read them this often. */
export const activityRefreshMs = 10_000;

export function RetrievalTable({ organizationId, operation, params, versions }: RetrievalTableProps) {
  const { t } = useTranslation();
  // The two lists differ in one field and in the path parameters, which the caller has given.
  const listing = operation as typeof listCertificateRetrievals;
  const input = { params: params as InputOf<typeof listCertificateRetrievals>['params'] };
  const pages = usePages(listing, input, { refetchInterval: activityRefreshMs });
  const ofCertificate = operation.id === 'listCertificateRetrievals';
  const numbers = new Map(versions.map(({ id, number }) => [id, number]));
  const versionName = (id: string | null) => {
    const number = id === null ? undefined : numbers.get(id);
    return number === undefined ? (id ?? '–') : t('deployments.versionNumber', { number });
  };
  const nameOf = ({ id, name }: { readonly id: string; readonly name: string | null }) =>
    name === null ? (
      <span className="quiet" title={id}>
        {t('deployments.deleted')}
      </span>
    ) : (
      <DeploymentLink organizationId={organizationId} id={id} name={name} />
    );
  const columns: Column<Retrieval>[] = [
    { title: t('common.when'), width: 205, cell: ({ at }) => <Instant at={at} /> },
    ...(ofCertificate
      ? [
          {
            title: t('deployments.one'),
            width: 200,
            cell: ({ deployment }: Retrieval) => deployment !== undefined && nameOf(deployment),
          },
        ]
      : []),
    {
      title: t('deployments.retrievals.address'),
      width: 200,
      cell: ({ address }) => <span className="mono">{address ?? '–'}</span>,
    },
    { title: t('deployments.retrievals.version'), width: 140, cell: ({ version }) => versionName(version) },
    {
      title: t('deployments.retrievals.userAgent'),
      cell: ({ user_agent }) => <span className="break-anywhere">{user_agent ?? '–'}</span>,
    },
  ];
  return (
    <div className="stack tight">
      <div className="row end">
        <ExportCsv<Retrieval>
          fileName="retrievals"
          pages={pages}
          columns={[
            [t('common.when'), ({ at }) => at],
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
        empty={<EmptyState title={t('deployments.retrievals.none')} lead={t('deployments.retrievals.noneLead')} />}
      />
    </div>
  );
}
