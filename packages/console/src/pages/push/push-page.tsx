import { getRouteApi, Link } from '@tanstack/react-router';
import { resendPush, showPush } from '@waxwing/contract/management-api/operations/push-operations.ts';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import type { PushAttempt, PushDetails } from '../../api/shown-pushes.ts';
import { useMay } from '../../api/use-me.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { EmptyState } from '../../parts/tables/empty-state.tsx';
import { CopiedText } from '../../parts/text/copied-text.tsx';
import { Fact } from '../../parts/text/fact.tsx';
import { PageHead } from '../../parts/text/page-head.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { AttemptResult } from './attempt-result.tsx';
import { PushStateMark } from './push-marks.tsx';
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
  if (data === undefined) return <Unread of={push} />;
  const { state, attempt_log } = data;
  return (
    <>
      <PageHead
        title={t('push.one.title', { mobile: data.parameters.mobile })}
        beside={<PushStateMark state={state} />}
        lead={
          <Link to="/o/$organizationId/pushes" params={{ organizationId }}>
            {t('menu.pushes')}
          </Link>
        }
        actions={may(resendPush) && state !== 'waiting' && <ResendButton organizationId={organizationId} push={data} />}
      />
      <div className="stack">
        <PushFacts push={data} />
        <section className="stack" aria-labelledby="push-attempts">
          <h2 id="push-attempts" className="panel-title">
            {t('push.one.attempts')}
          </h2>
          {attempt_log.length === 0 ? (
            <EmptyState
              title={t('push.one.none')}
              lead={t(state === 'off' ? 'push.one.noneOff' : 'push.one.noneWaiting')}
            />
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
        <Fact name={t('push.list.columns.kind')}>{t(`push.kinds.${kind}`)}</Fact>
        <Fact name={t('messaging.list.columns.accepted')}>
          <Instant at={created_at} />
        </Fact>
        {ended_at !== null && (
          <Fact name={t('push.one.ended')}>
            <Instant at={ended_at} />
          </Fact>
        )}
        {due_at !== null && (
          <Fact name={t('push.one.due')}>
            <Instant at={due_at} />
          </Fact>
        )}
        <Fact name={t('push.one.webhookId')}>
          <CopiedText text={id} label={t('push.one.webhookId')} />
        </Fact>
      </dl>
      <div>
        <h2 className="panel-title">{t('push.list.columns.content')}</h2>
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
      <AttemptResult attempt={attempt} head={<h3>{t('push.one.attempt', { number })}</h3>} at={at} />
    </li>
  );
}
