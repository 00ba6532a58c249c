import { DeleteOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import { showCertificate } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import {
  deleteDeployment,
  listDeploymentRetrievals,
  rotateDeployment,
  showDeployment,
  updateDeployment,
} from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { Tabs } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer, useChange, useTagged } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { RotateTokenButton } from '../../parts/dialogs/rotate-token-button.tsx';
import { TokenList } from '../../parts/dialogs/token-list.tsx';
import { AccessSettings } from '../../parts/forms/access-settings.tsx';
import { AccessMarks } from '../../parts/marks/access-marks.tsx';
import { Ago } from '../../parts/marks/ago.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { CertificateLink } from '../../parts/marks/thing-link.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { EditDeploymentModal } from './edit-deployment-modal.tsx';
import { RefusalTable } from './refusal-table.tsx';
import { activityRefreshMs, RetrievalTable } from './retrieval-table.tsx';
import { VersionMark } from './rollout-marks.tsx';
import { TokenPanel } from './token-panel.tsx';

const route = getRouteApi('/frame/o/$organizationId/deployments/$deploymentId');

export function DeploymentPage() {
  const { t } = useTranslation();
  const { organizationId, deploymentId } = route.useParams();
  const { tab = 'retrievals' } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId, deployment_id: deploymentId };
  const deployment = useTagged(showDeployment, { params }, { refetchInterval: activityRefreshMs });
  const deleting = useChange(deleteDeployment);
  const rotating = useChange(rotateDeployment);
  const updating = useChange(updateDeployment);
  const [isEditing, setEditing] = useState(false);
  const certificateId = deployment.data?.value.certificate_id;
  const certificate = useAnswer(
    showCertificate,
    { params: { organization_id: organizationId, certificate_id: certificateId ?? '' } },
    { enabled: certificateId !== undefined },
  );

  if (deployment.data === undefined) return <Unread of={deployment} />;
  const { value, etag } = deployment.data;
  const versions = certificate.data?.versions ?? [];

  return (
    <>
      <PageHead
        title={value.name}
        beside={<AccessMarks access={value} notPermitted={t('deployments.notPermitted')} />}
        lead={
          <>
            {t('deployments.ofCertificate')}{' '}
            <CertificateLink
              organizationId={organizationId}
              id={value.certificate_id}
              name={certificate.data?.name ?? '…'}
            />
          </>
        }
        actions={
          <>
            {may(deleteDeployment) && (
              <ConfirmButton
                danger
                icon={<DeleteOutlined />}
                text={t('common.delete')}
                title={t('common.deleteTitle', { name: value.name })}
                what={t('deployments.deleteWhat')}
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
            <Fact name={t('deployments.lastSeen')}>
              {value.activity === null ? (
                t('deployments.never')
              ) : (
                <>
                  <Ago at={value.activity.last_seen_at} />{' '}
                  <span className="quiet">
                    <Instant at={value.activity.last_seen_at} />
                  </span>
                </>
              )}
            </Fact>
            <Fact name={t('deployments.rollout.version')}>
              <VersionMark deployment={value} />
            </Fact>
            {value.activity !== null && (
              <>
                <Fact name={t('deployments.lastAddress')} className="mono">
                  {value.activity.last_address}
                </Fact>
                <Fact name={t('deployments.retrievals.userAgent')} className="break-anywhere">
                  {value.activity.last_user_agent || '–'}
                </Fact>
                <Fact name={t('deployments.fetches')} className="figures">
                  {t('deployments.fetchCounts', {
                    count: value.activity.successes,
                    unchanged: value.activity.not_modified,
                  })}
                </Fact>
              </>
            )}
            <Fact name={t('deployments.tokens')}>
              <TokenList tokens={value.tokens} />
            </Fact>
            <Fact name={t('common.created')}>
              <Instant at={value.created_at} />
            </Fact>
          </dl>
        </section>
        <AccessSettings
          access={value}
          texts={{
            permitted: t('deployments.switches.permitted'),
            permittedHint: t('deployments.switchHints.permitted'),
            emptyAllowList: t('deployments.emptyAllowList'),
          }}
          mayChange={may(updateDeployment)}
          updating={updating}
          onSwitch={(body) => updating.mutate({ params, body, ifMatch: etag })}
          onEdit={() => setEditing(true)}
        >
          <div className="settings-row">
            <div>
              <div>{t('deployments.requestsPerMinute')}</div>
              <div className="quiet small figures">{value.requests_per_minute ?? t('deployments.noLimit')}</div>
            </div>
          </div>
        </AccessSettings>
        <Tabs
          activeKey={tab}
          onChange={(key) =>
            void navigate({
              to: '.',
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
      {isEditing && (
        <EditDeploymentModal
          organizationId={organizationId}
          deploymentId={deploymentId}
          onEnd={() => setEditing(false)}
        />
      )}
    </>
  );
}
