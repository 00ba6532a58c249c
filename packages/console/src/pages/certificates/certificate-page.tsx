import { CloudServerOutlined, DeleteOutlined, ImportOutlined } from '@ant-design/icons';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import {
  completeChain,
  deleteCertificate,
  importCertificate,
  revokeCertificate,
  showCertificate,
  updateCertificate,
} from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import {
  createDeployment,
  listCertificateRetrievals,
} from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { Alert, Button, Tabs } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer, useChange } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { RenameButton } from '../../parts/dialogs/rename-button.tsx';
import { ExpiryMark } from '../../parts/marks/expiry-mark.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { CopiedText } from '../../parts/text/copied-text.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { faultText } from '../../parts/text/fault-text.ts';
import { PageHead } from '../../parts/text/page-head.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { DeploymentTable } from '../deployments/deployment-table.tsx';
import { OutdatedFilter } from '../deployments/outdated-filter.tsx';
import { activityRefreshMs, RetrievalTable } from '../deployments/retrieval-table.tsx';
import { IssuingPanels, waitingRefreshMs } from '../issuing/issuing-panels.tsx';
import { RemarkMarks, StateMark } from './certificate-marks.tsx';
import { isDeployable, isHandedOut } from './certificate-state.ts';
import { ChainDrawing } from './chain-drawing.tsx';
import { CompleteChainButton } from './complete-chain-button.tsx';
import { DownloadMenu } from './download-menu.tsx';
import { RevokeButton } from './revoke-button.tsx';
import { VersionTable } from './version-table.tsx';

const route = getRouteApi('/frame/o/$organizationId/certificates/$certificateId');

export function CertificatePage() {
  const { t, i18n } = useTranslation();
  const { organizationId, certificateId } = route.useParams();
  const { tab = 'versions', outdated } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(organizationId);
  const params = { organizationId, certificateId };
  const named = { params: { organization_id: organizationId, certificate_id: certificateId } };
  const certificate = useAnswer(showCertificate, named, {
    refetchInterval: (answer) => {
      if (answer !== undefined && isWaitingForRecord(answer)) return waitingRefreshMs;
      return answer !== undefined && isRollingOut(answer) ? activityRefreshMs : false;
    },
  });
  const renaming = useChange(updateCertificate, ['deployments']);
  const deleting = useChange(deleteCertificate);

  // A failed later read keeps the page: a dialog may be open.
  if (certificate.data === undefined) return <Unread of={certificate} />;
  const { name, state, source, authority, domains, expires_at } = certificate.data;
  const { created_at, updated_at, versions, rollout } = certificate.data;
  const current = versions.find(({ place }) => place === 'current');
  const showOutdated = (isOn: boolean) =>
    void navigate({ to: '.', search: { tab: 'deployments', ...(isOn && { outdated: true }) }, replace: true });

  return (
    <>
      <PageHead
        title={name}
        beside={
          <>
            {may(updateCertificate) && (
              <RenameButton name={name} change={renaming} toInput={(given) => ({ ...named, body: { name: given } })} />
            )}
            <StateMark certificate={certificate.data} />
            <RemarkMarks certificate={certificate.data} />
          </>
        }
        actions={
          <>
            {may(deleteCertificate) && (
              <ConfirmButton
                danger
                icon={<DeleteOutlined />}
                text={t('common.delete')}
                title={t('common.deleteTitle', { name })}
                what={t('certificates.deleteWhat')}
                change={deleting}
                input={named}
                onDone={() =>
                  void navigate({ to: '/o/$organizationId/certificates', params: { organizationId }, replace: true })
                }
              />
            )}
            {may(revokeCertificate) && state !== 'revoked' && (
              <RevokeButton organizationId={organizationId} certificateId={certificateId} name={name} />
            )}
            {may(importCertificate) && state !== 'revoked' && (
              <Button
                icon={<ImportOutlined />}
                onClick={() =>
                  void navigate({
                    to: '/o/$organizationId/certificates/import',
                    params: { organizationId },
                    search: { onto: certificateId },
                  })
                }
              >
                {t('certificates.import.newVersion')}
              </Button>
            )}
            <DownloadMenu certificate={certificate.data} />
            {may(createDeployment) && isDeployable(certificate.data) && (
              <Button
                type="primary"
                icon={<CloudServerOutlined />}
                onClick={() => void navigate({ to: '/o/$organizationId/certificates/$certificateId/deploy', params })}
              >
                {t('certificates.deploy')}
              </Button>
            )}
          </>
        }
      />
      <div className="stack">
        <ProblemAlert error={certificate.error} onRetry={() => void certificate.refetch()} />
        {certificate.data.warnings.map((warning) => (
          <Alert
            key={warning.message}
            type={warning.code === 'missing_intermediate' ? 'error' : 'warning'}
            showIcon
            title={faultText(i18n, 'certificateFaults.*', warning)}
            description={
              warning.code === 'missing_intermediate' &&
              isHandedOut(certificate.data) &&
              may(completeChain) && (
                <CompleteChainButton organizationId={organizationId} certificateId={certificateId} />
              )
            }
          />
        ))}
        <section className="panel" aria-label={t('certificates.facts')}>
          <dl className="facts">
            <Fact name={t('certificates.columns.domains')}>{domains.join(', ') || '–'}</Fact>
            <Fact name={t('common.expires')}>
              {expires_at === null ? (
                '–'
              ) : (
                <>
                  <ExpiryMark at={expires_at} withDate={false} /> <Instant at={expires_at} />
                </>
              )}
            </Fact>
            {rollout.total > 0 && current !== undefined && (
              <Fact name={t('certificates.rollout.title')}>
                <span className="row figures">
                  {t('certificates.rollout.reached', {
                    ...{ count: rollout.total, current: rollout.current, number: current.number },
                  })}
                  {isRollingOut(certificate.data) && (
                    <Link
                      to="/o/$organizationId/certificates/$certificateId"
                      params={params}
                      search={{ tab: 'deployments', outdated: true }}
                    >
                      {t('certificates.rollout.showOutdated', { count: rollout.total - rollout.current })}
                    </Link>
                  )}
                </span>
              </Fact>
            )}
            <Fact name={t('certificates.columns.source')}>
              {authority === null
                ? t(`certificates.sources.${source}`)
                : t(current === undefined ? 'certificates.requestedFrom' : 'certificates.issuedBy', {
                    name: authority.name,
                  })}
            </Fact>
            {current !== undefined && <Fact name={t('certificates.issuer')}>{current.issuer}</Fact>}
            {current !== undefined && <Fact name={t('certificates.keyType')}>{current.key_type}</Fact>}
            <Fact name={t('common.created')}>
              <Instant at={created_at} />
            </Fact>
            <Fact name={t('certificates.updated')}>
              <Instant at={updated_at} />
            </Fact>
            <Fact name="ID">
              <CopiedText text={certificateId} label="ID" />
            </Fact>
          </dl>
        </section>
        <IssuingPanels certificate={certificate.data} />
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
              key: 'versions',
              label: t('certificates.tabs.versions'),
              children: <VersionTable certificate={certificate.data} />,
            },
            {
              key: 'chain',
              label: t('certificates.tabs.chain'),
              children: <ChainDrawing certificate={certificate.data} />,
            },
            {
              key: 'deployments',
              label: t('certificates.columns.deployments'),
              children: (
                <>
                  <search className="filters">
                    <OutdatedFilter isOn={outdated === true} onChange={showOutdated} />
                  </search>
                  <DeploymentTable
                    organizationId={organizationId}
                    certificateId={certificateId}
                    outdated={outdated}
                    onClearFilters={() => showOutdated(false)}
                  />
                </>
              ),
            },
            {
              key: 'retrievals',
              label: t('certificates.tabs.retrievals'),
              children: (
                <RetrievalTable
                  organizationId={organizationId}
                  operation={listCertificateRetrievals}
                  params={named.params}
                  versions={versions}
                />
              ),
            },
          ]}
        />
      </div>
    </>
  );
}

/** A look that finds the records as they were is no news, so nothing tells the page of it. */
function isWaitingForRecord({ renewal, delegation }: AnswerOf<typeof showCertificate>): boolean {
  return renewal?.state === 'running' && delegation.some(({ seen }) => seen !== true);
}

/** Only an issued certificate is handed out: of any other, no server can fetch the current version. */
function isRollingOut(certificate: AnswerOf<typeof showCertificate>): boolean {
  const { state, rollout } = certificate;
  return state === 'issued' && rollout.current < rollout.total;
}
