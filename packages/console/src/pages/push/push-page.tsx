import { getRouteApi, Link } from '@tanstack/react-router';
import { resendPush, showPush } from '@waxwing/contract/management-api/push-operations.ts';
import { Skeleton } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import type { PushAttempt, PushDetails } from '../../api/shown-pushes.ts';
import { useMay } from '../../api/use-me.ts';
import { CopiedText } from '../../parts/copied-text.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { AnswerBlock } from './answer-block.tsx';
import { OutcomeHelp, OutcomeMark, PushStateMark, TimeAndAddress } from './push-marks.tsx';
import { ResendButton } from './resend-button.tsx';
import './push.css';

const route = getRouteApi('/frame/o/$organizationId/pushes/$pushId');
const refreshMs = 2_000;

/** One push with each of its attempts. */
export function PushPage() {
  const { t } = useTranslation();
  const { organizationId, pushId } = route.useParams();
  const may = useMay(organizationId);
  const params = { organization_id: organizationId, push_id: pushId };
  const push = useAnswer(showPush, { params }, { refetchInterval: refreshMs });
  const { data } = push;
  if (push.error !== null && data === undefined) {
    return <ProblemAlert error={push.error} onRetry={() => void push.refetch()} />;
  }
  if (data === undefined) return <Skeleton active />;
  const { state, attempt_log } = data;
  return (
    <>
      <PageHead
        title={t('push.one.title', { mobile: data.parameters.mobile })}
        beside={<PushStateMark state={state} />}
        lead={
          <Link to="/o/$organizationId/pushes" params={{ organizationId }}>
            {t('push.list.title')}
          </Link>
        }
        actions={may(resendPush) && state !== 'waiting' && <ResendButton organizationId={organizationId} push={data} />}
      />
      <div className="stack">
        <PushFacts push={data} />
        <section className="stack" aria-labelledby="push-attempts">
          <h2 id="push-attempts" className="panel-title push-title">
            {t('push.one.attempts')}
          </h2>
          {attempt_log.length === 0 ? (
            <EmptyState title={t('push.one.none')}>
              {t(state === 'off' ? 'push.one.noneOff' : 'push.one.noneWaiting')}
            </EmptyState>
          ) : (
            <ol className="stack">
              {attempt_log.map((attempt) => (
                <AttemptItem key={attempt.number} attempt={attempt} />
              ))}
            </ol>
          )}
        </section>
      </div>
    </>
  );
}

function PushFacts({ push }: { readonly push: PushDetails }) {
  const { t } = useTranslation();
  const { id, kind, parameters, created_at, due_at, ended_at } = push;
  return (
    <section className="panel stack" aria-label={t('push.one.facts')}>
      <dl className="facts">
        <div>
          <dt>{t('push.list.columns.kind')}</dt>
          <dd>{t(`push.kinds.${kind}`)}</dd>
        </div>
        <div>
          <dt>{t('push.list.columns.accepted')}</dt>
          <dd>
            <Instant at={created_at} />
          </dd>
        </div>
        {ended_at !== null && (
          <div>
            <dt>{t('push.one.ended')}</dt>
            <dd>
              <Instant at={ended_at} />
            </dd>
          </div>
        )}
        {due_at !== null && (
          <div>
            <dt>{t('push.one.due')}</dt>
            <dd>
              <Instant at={due_at} />
            </dd>
          </div>
        )}
        <div>
          <dt>{t('push.one.webhookId')}</dt>
          <dd>
            <CopiedText text={id} label={t('push.one.webhookId')} />
          </dd>
        </div>
      </dl>
      <div>
        <h2 className="panel-title">{t('push.one.sent')}</h2>
        <dl className="facts">
          {Object.entries(parameters).map(([name, value]) => (
            <div key={name}>
              <dt className="mono">{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}

function AttemptItem({ attempt }: { readonly attempt: PushAttempt }) {
  const { t } = useTranslation();
  const { number, at, status } = attempt;
  return (
    <li className={`panel stack tight push-attempt ${status === 200 ? '' : 'at-fault'}`}>
      <div className="row">
        <h3>{t('push.one.attempt', { number })}</h3>
        <OutcomeMark {...attempt} />
        <Instant at={at} />
        <TimeAndAddress {...attempt} />
      </div>
      <OutcomeHelp {...attempt} />
      <AnswerBlock {...attempt} />
    </li>
  );
}
