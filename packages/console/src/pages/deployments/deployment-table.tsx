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

/** Fetches by servers send no live change. */
export const rolloutRefreshMs = 30_000;

/** @param ofCertificate leaves out the column of the certificate, for a page that shows one certificate */
export function useDeploymentColumns(organizationId: string, ofCertificate = false): Column<ListedDeployment>[] {
  const { t } = useTranslation();
  const certificate: Column<ListedDeployment> = {
    title: t('certificates.columns.name'),
    cell: ({ certificate_id, certificate_name }) => (
      <CertificateLink organizationId={organizationId} id={certificate_id} name={certificate_name} />
    ),
  };
  return [
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
    ...(ofCertificate ? [] : [certificate]),
    { title: t('common.created'), width: 110, cell: ({ created_at }) => <Instant at={created_at} dateOnly /> },
  ];
}

interface DeploymentTableProps {
  readonly organizationId: string;
  readonly certificateId: string;
  /** Lists outdated deployments only. */
  readonly outdated: true | undefined;
  readonly onClearFilters: () => void;
}

/** The deployments of one certificate. */
export function DeploymentTable(props: DeploymentTableProps) {
  const { organizationId, certificateId, outdated, onClearFilters } = props;
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const pages = usePages(
    listDeployments,
    { params: { organization_id: organizationId }, query: defined({ certificate_id: certificateId, outdated }) },
    { refetchInterval: rolloutRefreshMs },
  );
  const deployButton = may(createDeployment) && (
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
  );
  return (
    <ItemTable<ListedDeployment>
      label={t('menu.serverDeployments')}
      pages={pages}
      columns={useDeploymentColumns(organizationId, true)}
      rowKey={({ id }) => id}
      minWidth={1120}
      empty={
        outdated === undefined ? (
          <EmptyState title={t('deployments.none')} action={deployButton} lead={t('deployments.noneLead')} />
        ) : (
          <NoneFound title={t('deployments.noneFound')} onClear={onClearFilters} />
        )
      }
    />
  );
}
