import { CloudServerOutlined, ImportOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  importCertificate,
  revokeCertificate,
  showCertificate,
} from '@waxwing/contract/management-api/certificate-operations.ts';
import { createDeployment } from '@waxwing/contract/management-api/deployment-operations.ts';
import { Button, Skeleton, Tabs } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { CopiedText } from '../../parts/copied-text.tsx';
import { ExpiryMark } from '../../parts/expiry-mark.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { DeploymentTable } from '../deployments/deployment-table.tsx';
import { StateMark } from './certificate-marks.tsx';
import { CertificateRetrievals } from './certificate-retrievals.tsx';
import { isHandedOut } from './certificate-state.ts';
import { ChainDrawing } from './chain-drawing.tsx';
import { DownloadMenu } from './download-menu.tsx';
import { RevokeButton } from './revoke-button.tsx';
import { VersionTable } from './version-table.tsx';

const route = getRouteApi('/frame/o/$organizationId/certificates/$certificateId');

export function CertificatePage() {
  const { t } = useTranslation();
  const { organizationId, certificateId } = route.useParams();
  const { tab = 'versions' } = route.useSearch();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const params = { organizationId, certificateId };
  const certificate = useAnswer(showCertificate, {
    params: { organization_id: organizationId, certificate_id: certificateId },
  });

  const problem = certificate.error !== null && (
    <ProblemAlert error={certificate.error} onRetry={() => void certificate.refetch()} />
  );
  // One read that fails takes nothing away that is there: a dialog may be open.
  if (certificate.data === undefined) return problem || <Skeleton active />;
  const { name, state, source, domains, expires_at, created_at, updated_at, versions } = certificate.data;
  const current = versions.find(({ place }) => place === 'current');

  return (
    <>
      <PageHead
        title={name}
        beside={<StateMark certificate={certificate.data} />}
        actions={
          <>
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
            {may(createDeployment) && isHandedOut(certificate.data) && (
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
        {problem}
        <section className="panel" aria-label={t('certificates.facts')}>
          <dl className="facts">
            <Fact name={t('certificates.columns.domains')}>{domains.join(', ') || '–'}</Fact>
            <Fact name={t('certificates.columns.expires')}>
              {expires_at === null ? (
                '–'
              ) : (
                <>
                  <ExpiryMark at={expires_at} withDate={false} /> <Instant at={expires_at} />
                </>
              )}
            </Fact>
            <Fact name={t('certificates.columns.source')}>{t(`certificates.sources.${source}`)}</Fact>
            {current !== undefined && <Fact name={t('certificates.issuer')}>{current.issuer}</Fact>}
            {current !== undefined && <Fact name={t('certificates.keyType')}>{current.key_type}</Fact>}
            <Fact name={t('certificates.columns.created')}>
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
        <Tabs
          activeKey={tab}
          onChange={(key) =>
            void navigate({
              to: '/o/$organizationId/certificates/$certificateId',
              params,
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
              children: <ChainDrawing organizationId={organizationId} certificateId={certificateId} />,
            },
            {
              key: 'deployments',
              label: t('certificates.tabs.deployments'),
              children: <DeploymentTable organizationId={organizationId} certificateId={certificateId} />,
            },
            {
              key: 'retrievals',
              label: t('certificates.tabs.retrievals'),
              children: <CertificateRetrievals organizationId={organizationId} certificate={certificate.data} />,
            },
          ]}
        />
      </div>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
