import { CheckCircleOutlined, CloseOutlined, SyncOutlined } from '@ant-design/icons';
import { listPushSettings } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { Button, Progress } from 'antd';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import type { FollowedResend } from './followed-resends.ts';
import type { Resends } from './use-resends.ts';

/** The server counts no further. */
const leftBound = 10_000;

export function ResendList({ organizationId, resends, dismiss }: Resends & { readonly organizationId: string }) {
  const { t } = useTranslation();
  const settings = useAnswer(listPushSettings, { params: { organization_id: organizationId } });
  if (resends.length === 0) return null;
  const nameOf = ({ setting_id, states }: FollowedResend) => {
    const kind = settings.data?.items.find(({ id }) => id === setting_id)?.kind;
    const name = kind === undefined ? '' : t(`push.kinds.${kind}`);
    return t(states.includes('off') ? 'push.resend.ofUndelivered' : 'push.resend.ofFailed', { kind: name });
  };
  return (
    <section className="panel stack push-resends" aria-label={t('push.resend.underWay')}>
      {resends.map((resend) => (
        <div key={resend.id} className="push-resend">
          <div className="row">
            {resend.isEnded ? <CheckCircleOutlined /> : <SyncOutlined spin />}
            <strong>{nameOf(resend)}</strong>
            <span className="quiet small">
              <Instant at={resend.created_at} />
            </span>
            <span className="grow" />
            {resend.isEnded && (
              <Button
                size="small"
                type="text"
                icon={<CloseOutlined />}
                aria-label={t('push.resend.dismiss')}
                onClick={() => dismiss(resend.id)}
              />
            )}
          </div>
          <Progress
            percent={percentOf(resend)}
            status={resend.isEnded ? 'success' : 'active'}
            showInfo={false}
            aria-label={nameOf(resend)}
          />
          <p className="figures" role="status">
            {progressText(resend)}
          </p>
        </div>
      ))}
    </section>
  );

  function progressText({ isEnded, moved, left }: FollowedResend): string {
    if (isEnded) return left === null ? t('push.resend.finishedAlone') : t('push.resend.finished', { moved });
    if (moved + (left ?? 0) === 0) return t('push.resend.looking');
    if (left !== null && left >= leftBound) return t('push.resend.progressMany', { moved, left });
    return t('push.resend.progress', { moved, total: moved + (left ?? 0) });
  }
}

/** 100 % only at the end: pushes that were never queued are not counted before. */
function percentOf({ isEnded, moved, left }: FollowedResend): number {
  if (isEnded) return 100;
  const total = moved + (left ?? 0);
  return total === 0 ? 0 : Math.min(99, Math.floor((100 * moved) / total));
}
