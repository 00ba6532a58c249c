import { DeleteOutlined } from '@ant-design/icons';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { showCertificate } from '@waxwing/contract/management-api/certificate-operations.ts';
import {
  deleteDeployment,
  listDeploymentRetrievals,
  rotateDeployment,
  showDeployment,
  updateDeployment,
} from '@waxwing/contract/management-api/deployment-operations.ts';
import { Skeleton, Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer, useChange, useTagged } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { AccessMarks } from '../../parts/access-marks.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { RotateTokenButton } from '../../parts/rotate-token-button.tsx';
import { TokenList } from '../../parts/token-list.tsx';
import { DeploymentSettings } from './deployment-settings.tsx';
import { RefusalTable } from './refusal-table.tsx';
import { activityRefreshMs, RetrievalTable } from './retrieval-table.tsx';
import { TokenPanel } from './token-panel.tsx';

const route = getRouteApi('/frame/o/$organizationId/deployments/$deploymentId');

export function DeploymentPage() {
  const { t } = useTranslation();
  const { organizationId, deploymentId } = route.useParams();
  const { tab = 'retrievals' } = route.useSearch();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId, deployment_id: deploymentId };
  const deployment = useTagged(showDeployment, { params }, { refetchInterval: activityRefreshMs });
  const deleting = useChange(deleteDeployment);
  const rotating = useChange(rotateDeployment);
  const certificateId = deployment.data?.value.certificate_id;
  const certificate = useAnswer(
    showCertificate,
    { params: { organization_id: organizationId, certificate_id: certificateId ?? '' } },
    { enabled: certificateId !== undefined },
  );

  if (deployment.error !== null && deployment.data === undefined) {
    return <ProblemAlert error={deployment.error} onRetry={() => void deployment.refetch()} />;
  }
  if (deployment.data === undefined) return <Skeleton active />;
  const { value, etag } = deployment.data;
  const versions = certificate.data?.versions ?? [];
  const lastVersion = versions.find(({ id }) => id === value.activity?.last_version)?.number;

  return (
    <>
      <PageHead
        title={value.name}
        beside={<AccessMarks access={value} notPermitted={t('deployments.notPermitted')} />}
        lead={
          <>
            {t('deployments.ofCertificate')}{' '}
            <Link
              to="/o/$organizationId/certificates/$certificateId"
              params={{ organizationId, certificateId: value.certificate_id }}
            >
              {certificate.data?.name ?? '…'}
            </Link>
          </>
        }
        actions={
          <>
            {may(deleteDeployment) && (
              <ConfirmButton
                danger
                icon={<DeleteOutlined />}
                text={t('deployments.delete.button')}
                title={t('deployments.delete.title', { name: value.name })}
                what={t('deployments.delete.what')}
                change={deleting}
                input={{ params }}
                onDone={() =>
                  void navigate({ to: '/o/$organizationId/deployments', params: { organizationId }, replace: true })
                }
              />
            )}
            {may(rotateDeployment) && (
              <RotateTokenButton
                rotation={rotating}
                onRotate={(overlap) => rotating.mutate({ params, body: { overlap_seconds: overlap } })}
                what={t('deployments.rotate.what')}
                panel={({ token, url }) => <TokenPanel token={token} url={url} />}
              />
            )}
          </>
        }
      />
      <div className="stack">
        <section className="panel" aria-label={t('deployments.activity')}>
          <dl className="facts">
            <div>
              <dt>{t('deployments.lastSeen')}</dt>
              <dd>{value.activity === null ? t('deployments.never') : <Instant at={value.activity.last_seen_at} />}</dd>
            </div>
            {value.activity !== null && (
              <>
                <div>
                  <dt>{t('deployments.lastAddress')}</dt>
                  <dd className="mono">{value.activity.last_address}</dd>
                </div>
                <div>
                  <dt>{t('deployments.lastVersion')}</dt>
                  <dd>
                    {lastVersion === undefined
                      ? (value.activity.last_version ?? '–')
                      : t('deployments.versionNumber', { number: lastVersion })}
                  </dd>
                </div>
                <div>
                  <dt>{t('deployments.fetches')}</dt>
                  <dd className="figures">
                    {t('deployments.fetchCounts', {
                      count: value.activity.successes,
                      unchanged: value.activity.not_modified,
                    })}
                  </dd>
                </div>
              </>
            )}
            <div>
              <dt>{t('deployments.tokens')}</dt>
              <dd>
                <TokenList tokens={value.tokens} />
              </dd>
            </div>
            <div>
              <dt>{t('deployments.columns.created')}</dt>
              <dd>
                <Instant at={value.created_at} />
              </dd>
            </div>
          </dl>
        </section>
        <DeploymentSettings
          organizationId={organizationId}
          deployment={value}
          etag={etag}
          mayChange={may(updateDeployment)}
        />
        <Tabs
          activeKey={tab}
          onChange={(key) =>
            void navigate({
              to: '/o/$organizationId/deployments/$deploymentId',
              params: { organizationId, deploymentId },
              search: { tab: key as typeof tab },
              replace: true,
            })
          }
          items={[
            {
              key: 'retrievals',
              label: t('deployments.tabs.retrievals'),
              children: (
                <RetrievalTable
                  organizationId={organizationId}
                  operation={listDeploymentRetrievals}
                  params={params}
                  versions={versions}
                />
              ),
            },
            {
              key: 'refusals',
              label: t('deployments.tabs.refusals'),
              children: <RefusalTable organizationId={organizationId} deploymentId={deploymentId} />,
            },
          ]}
        />
      </div>
    </>
  );
}
