import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { showMessageTimeline } from '@waxwing/contract/management-api/operations/message-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { MessageMarks } from './message-marks.tsx';
import { isUnderWay, messageSteps } from './message-steps.ts';
import { TimelineStep } from './timeline-step.tsx';

const route = getRouteApi('/frame/o/$organizationId/messages/$batchId/$position');

const openRefreshMs = 2_000;

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
  if (data === undefined) return <Unread of={timeline} />;
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
      <ProblemAlert error={error} onRetry={() => void timeline.refetch()} />
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
