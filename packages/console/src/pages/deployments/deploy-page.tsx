import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { showCertificate } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { createDeployment } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { Alert, Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer, useChange } from '../../api/api-context.tsx';
import { onlyWhoMay } from '../../parts/dialogs/only-who-may.tsx';
import { LeaveGuard } from '../../parts/forms/leave-guard.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { DeploymentFields } from './deployment-fields.tsx';
import { FirstFetch } from './first-fetch.tsx';
import { TokenPanel } from './token-panel.tsx';

const route = getRouteApi('/frame/o/$organizationId/certificates/$certificateId/deploy');

/** Creates a deployment, then shows its token once. */
export const DeployPage = onlyWhoMay(createDeployment, DeployForm);

function DeployForm() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { organizationId, certificateId } = route.useParams();
  const certificate = useAnswer(showCertificate, {
    params: { organization_id: organizationId, certificate_id: certificateId },
  });
  const creating = useChange(createDeployment);
  const certificateName = certificate.data?.name ?? '…';

  if (creating.data !== undefined) {
    const { id, name, token, url } = creating.data;
    return (
      <>
        <PageHead title={t('deployments.created', { name })} lead={t('deployments.createdLead')} />
        <div className="panel stack" style={{ maxWidth: 860 }}>
          <TokenPanel token={token} url={url} />
          <FirstFetch organizationId={organizationId} deploymentId={id} />
          <LeaveGuard />
          <div className="row end">
            <Button
              type="primary"
              onClick={() =>
                void navigate({
                  to: '/o/$organizationId/deployments/$deploymentId',
                  params: { organizationId, deploymentId: id },
                  ignoreBlocker: true,
                })
              }
            >
              {t('deployments.tokenKept')}
            </Button>
          </div>
        </div>
      </>
    );
  }

  return (
    <>
      <PageHead title={t('deployments.create')} lead={t('deployments.createLead', { certificate: certificateName })} />
      <Form
        layout="vertical"
        className="panel"
        style={{ maxWidth: 760 }}
        initialValues={{ allow: [] }}
        onFinish={({ name, allow }: { name: string; allow: string[] }) =>
          creating.mutate({
            params: { organization_id: organizationId },
            body: { certificate_id: certificateId, name: name.trim(), allow },
          })
        }
      >
        <div className="stack">
          <ProblemAlert error={certificate.error} />
          <ProblemAlert error={creating.error} />
          {certificate.data?.versions.length === 0 && (
            <Alert type="info" showIcon title={t('deployments.notIssuedYet')} />
          )}
          <DeploymentFields organizationId={organizationId} />
          <div className="row end">
            <Button
              onClick={() =>
                void navigate({
                  to: '/o/$organizationId/certificates/$certificateId',
                  params: { organizationId, certificateId },
                })
              }
            >
              {t('common.cancel')}
            </Button>
            <Button type="primary" htmlType="submit" loading={creating.isPending}>
              {t('deployments.createSubmit')}
            </Button>
          </div>
        </div>
      </Form>
    </>
  );
}
