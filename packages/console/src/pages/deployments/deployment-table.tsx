import { CloudServerOutlined } from '@ant-design/icons';
import { Link, useNavigate } from '@tanstack/react-router';
import { createDeployment, listDeployments } from '@waxwing/contract/management-api/deployment-operations.ts';
import { Button, type TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { ListedDeployment } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { AccessMarks } from '../../parts/access-marks.tsx';
import { AllowListSummary } from '../../parts/allow-list-summary.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';

export interface DeploymentTableProps {
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
  const columns: TableColumnType<ListedDeployment>[] = [
    {
      title: t('deployments.columns.name'),
      key: 'name',
      render: (_value, { id, name }) => (
        <Link to="/o/$organizationId/deployments/$deploymentId" params={{ organizationId, deploymentId: id }}>
          {name}
        </Link>
      ),
    },
    {
      title: t('deployments.columns.state'),
      key: 'state',
      width: 170,
      render: (_value, deployment) => <AccessMarks access={deployment} notPermitted={t('deployments.notPermitted')} />,
    },
    {
      title: t('deployments.allowList'),
      key: 'allow',
      render: (_value, { allow }) => <AllowListSummary allow={allow} />,
    },
    ...(certificateId === undefined
      ? [
          {
            title: t('deployments.columns.certificate'),
            key: 'certificate',
            render: (_value: unknown, deployment: ListedDeployment) => (
              <Link
                to="/o/$organizationId/certificates/$certificateId"
                params={{ organizationId, certificateId: deployment.certificate_id }}
              >
                {deployment.certificate_name}
              </Link>
            ),
          },
        ]
      : []),
    {
      title: t('deployments.columns.created'),
      key: 'created',
      width: 205,
      render: (_value, { created_at }) => <Instant at={created_at} />,
    },
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
      label={t('deployments.title')}
      pages={pages}
      columns={columns}
      rowKey={({ id }) => id}
      minWidth={820}
      empty={
        search === undefined ? (
          <EmptyState title={t('deployments.none')} action={toDeploy}>
            {t('deployments.noneLead')}
          </EmptyState>
        ) : (
          <EmptyState
            title={t('deployments.noneFound')}
            action={<Button onClick={onClearSearch}>{t('common.clearFilters')}</Button>}
          />
        )
      }
    />
  );
}
