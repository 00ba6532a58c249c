import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { showMessageTimeline } from '@waxwing/contract/management-api/message-operations.ts';
import { Button, Skeleton } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { MessageMarks } from './message-marks.tsx';
import { isUnderWay, messageSteps } from './message-steps.ts';
import { TimelineStep } from './timeline-step.tsx';

const route = getRouteApi('/frame/o/$organizationId/messages/$batchId/$position');

const openRefreshMs = 2_000;

/** The way of one message, step by step, as it goes on. */
export function TimelinePage() {
  const { t } = useTranslation();
  const { organizationId, batchId, position } = route.useParams();
  const navigate = useNavigate();
  const timeline = useAnswer(
    showMessageTimeline,
    { params: { organization_id: organizationId, batch_id: batchId, position } },
    { refetchInterval: (answer) => (answer === undefined || isUnderWay(answer) ? openRefreshMs : false) },
  );
  const { data, error } = timeline;
  if (error !== null && data === undefined) {
    return <ProblemAlert error={error} onRetry={() => void timeline.refetch()} />;
  }
  if (data === undefined) return <Skeleton active />;
  const steps = messageSteps(data);

  return (
    <>
      <PageHead
        title={t('messaging.timeline.title')}
        beside={<MessageMarks message={data.message} />}
        lead={<span className="figures">{t('messaging.timeline.lead', { number: data.message.mobile })}</span>}
        actions={
          <Button
            onClick={() =>
              void navigate({ to: '/o/$organizationId/messages/$batchId', params: { organizationId, batchId } })
            }
          >
            {t('messaging.timeline.toBatch')}
          </Button>
        }
      />
      {error !== null && <ProblemAlert error={error} onRetry={() => void timeline.refetch()} />}
      <ol className="panel timeline">
        {steps.map((step) => (
          <TimelineStep
            key={step.kind === 'attempt' ? `attempt ${step.attempt.number}` : step.kind}
            step={step}
            timeline={data}
          />
        ))}
      </ol>
    </>
  );
}
