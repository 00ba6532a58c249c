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

interface DeploymentTableProps {
  readonly organizationId: string;
  /** Only those of this certificate. */
  readonly certificateId?: string;
  /** Only those with this in their name or in a domain. */
  readonly search?: string | undefined;
  readonly onClearSearch?: () => void;
}

export function DeploymentTable({ organizationId, certificateId, search, onClearSearch }: DeploymentTableProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const pages = usePages(listDeployments, {
    params: { organization_id: organizationId },
    query: {
      ...(certificateId !== undefined && { certificate_id: certificateId }),
      ...(search !== undefined && { search }),
    },
  });
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
    { title: t('common.created'), width: 205, cell: ({ created_at }) => <Instant at={created_at} /> },
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
      minWidth={820}
      empty={
        search === undefined ? (
          <EmptyState title={t('deployments.none')} action={toDeploy} lead={t('deployments.noneLead')} />
        ) : (
          <NoneFound title={t('deployments.noneFound')} onClear={() => onClearSearch?.()} />
        )
      }
    />
  );
}
