import { CloudServerOutlined } from '@ant-design/icons';
import { useNavigate } from '@tanstack/react-router';
import {
  createDeployment,
  listDeployments,
} from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { ListedDeployment } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { AccessMarks } from '../../parts/marks/access-marks.tsx';
import { AllowListSummary } from '../../parts/marks/allow-list-summary.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { CertificateLink, DeploymentLink } from '../../parts/marks/thing-link.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { EmptyState, NoneFound } from '../../parts/tables/empty-state.tsx';
import { ItemTable } from '../../parts/tables/item-table.tsx';
import { defined } from '../../parts/tables/list-filters.ts';
import { LastFetch, VersionMark } from './rollout-marks.tsx';

interface DeploymentTableProps {
  readonly organizationId: string;
  /** Only those of this certificate. */
  readonly certificateId?: string;
  /** Only those with this in their name or in a domain. */
  readonly search?: string | undefined;
  /** Only those that are outdated. */
  readonly outdated?: true | undefined;
  readonly onClearFilters: () => void;
}

/** What servers fetch comes without a notice. */
const rolloutRefreshMs = 30_000;

export function DeploymentTable(props: DeploymentTableProps) {
  const { organizationId, certificateId, search, outdated, onClearFilters } = props;
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const pages = usePages(
    listDeployments,
    {
      params: { organization_id: organizationId },
      query: defined({ certificate_id: certificateId, search, outdated }),
    },
    { refetchInterval: rolloutRefreshMs },
  );
  const columns: Column<ListedDeployment>[] = [
    {
      title: t('deployments.columns.name'),
      cell: ({ id, name }) => <DeploymentLink organizationId={organizationId} id={id} name={name} />,
    },
    {
      title: t('common.state'),
      width: 170,
      cell: (deployment) => <AccessMarks access={deployment} notPermitted={t('deployments.notPermitted')} />,
    },
    {
      title: t('deployments.rollout.version'),
      width: 190,
      cell: (deployment) => <VersionMark deployment={deployment} />,
    },
    {
      title: t('deployments.lastSeen'),
      width: 170,
      cell: (deployment) => <LastFetch deployment={deployment} />,
    },
    { title: t('deployments.allowList'), cell: ({ allow }) => <AllowListSummary allow={allow} /> },
    ...(certificateId === undefined
      ? [
          {
            title: t('certificates.columns.name'),
            cell: (deployment: ListedDeployment) => (
              <CertificateLink
                organizationId={organizationId}
                id={deployment.certificate_id}
                name={deployment.certificate_name}
              />
            ),
          },
        ]
      : []),
    { title: t('common.created'), width: 110, cell: ({ created_at }) => <Instant at={created_at} dateOnly /> },
  ];
  const toDeploy =
    may(createDeployment) &&
    (certificateId === undefined ? (
      <Button onClick={() => void navigate({ to: '/o/$organizationId/certificates', params: { organizationId } })}>
        {t('deployments.chooseCertificate')}
      </Button>
    ) : (
      <Button
        type="primary"
        icon={<CloudServerOutlined />}
        onClick={() =>
          void navigate({
            to: '/o/$organizationId/certificates/$certificateId/deploy',
            params: { organizationId, certificateId },
          })
        }
      >
        {t('certificates.deploy')}
      </Button>
    ));
  return (
    <ItemTable<ListedDeployment>
      label={t('menu.serverDeployments')}
      pages={pages}
      columns={columns}
      rowKey={({ id }) => id}
      minWidth={1120}
      empty={
        search === undefined && outdated === undefined ? (
          <EmptyState title={t('deployments.none')} action={toDeploy} lead={t('deployments.noneLead')} />
        ) : (
          <NoneFound title={t('deployments.noneFound')} onClear={onClearFilters} />
        )
      }
    />
  );
}
