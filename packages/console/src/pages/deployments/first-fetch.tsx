import { showDeployment } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { useTagged } from '../../api/api-context.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { refusalText } from './refusal-text.ts';

/** Events arrive sooner, but only for new deployments, and for a limited number of them at once. */
const refetchInterval = 60_000;

interface FirstFetchProps {
  readonly organizationId: string;
  readonly deploymentId: string;
}

/** Waits until a new deployment is asked for, and tells what became of it. The live feed says when to look. */
export function FirstFetch({ organizationId, deploymentId }: FirstFetchProps) {
  const { t, i18n } = useTranslation();
  const params = { organization_id: organizationId, deployment_id: deploymentId };
  const deployment = useTagged(showDeployment, { params }, { refetchInterval });
  const { activity = null, refusals: [refusal] = [] } = deployment.data?.value ?? {};
  return (
    <section className="stack tight" aria-label={t('firstFetch.title')} aria-live="polite">
      {activity === null ? (
        <>
          <Alert
            type="info"
            showIcon
            title={t('firstFetch.waiting')}
            description={
              <div className="stack tight">
                <span>{t('firstFetch.waitingHint')}</span>
                <span className="small">{t('firstFetch.lost')}</span>
              </div>
            }
          />
          {refusal !== undefined && (
            <Alert
              type="warning"
              showIcon
              title={t('firstFetch.refused')}
              description={t('firstFetch.refusedFrom', {
                reason: refusalText(i18n, refusal.reason),
                address: refusal.address,
              })}
            />
          )}
        </>
      ) : (
        <Alert
          type="success"
          showIcon
          title={
            <>
              {t('firstFetch.came')} <Instant at={activity.last_seen_at} />
            </>
          }
          description={
            <dl className="facts">
              <Fact name={t('firstFetch.from')} className="mono">
                {activity.last_address}
              </Fact>
              <Fact name={t('firstFetch.by')} className="break-anywhere">
                {activity.last_user_agent || '–'}
              </Fact>
            </dl>
          }
        />
      )}
    </section>
  );
}
