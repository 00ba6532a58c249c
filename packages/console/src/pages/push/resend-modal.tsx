import { Link } from '@tanstack/react-router';
import { createResend } from '@waxwing/contract/management-api/operations/push-operations.ts';
import { Form, Radio } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { TimeField } from '../../parts/forms/time-field.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import type { FollowedResend } from './followed-resends.ts';
import { type PushKind, pushKinds } from './push-filters.ts';

interface Wish {
  readonly kind: PushKind;
  readonly which: 'failed' | 'undelivered';
  readonly since: string | undefined;
}

interface ResendModalProps {
  readonly organizationId: string;
  readonly title: string;
  readonly what: string;
  readonly cancelText: string;
  readonly initial: Wish;
  readonly isKindFixed?: boolean;
  /** Takes the re-send that was begun; without it the dialog says that it was, and where to see it. */
  readonly onBegun?: (resend: FollowedResend) => void;
  readonly onEnd: () => void;
}

/** Asks which pushes are to go out again, and since when. */
export function ResendModal(props: ResendModalProps) {
  const { organizationId, title, what, cancelText, initial, isKindFixed = false, onBegun, onEnd } = props;
  const { t } = useTranslation();
  const [wish, setWish] = useState(initial);
  const beginning = useChange(createResend);

  if (beginning.isSuccess && onBegun === undefined) {
    return (
      <Dialog width={520} title={title} cancelButtonProps={{ className: 'absent' }} onOk={onEnd} onCancel={onEnd}>
        <div className="stack tight">
          <p role="status">{t('push.resend.started')}</p>
          <Link to="/o/$organizationId/pushes" params={{ organizationId }} search={{ kind: wish.kind }}>
            {t('menu.pushes')}
          </Link>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog
      width={520}
      title={title}
      okText={t('push.resend.start')}
      cancelText={cancelText}
      confirmLoading={beginning.isPending}
      onCancel={onEnd}
      onOk={() =>
        beginning.mutate(
          {
            params: { organization_id: organizationId },
            body: { kind: wish.kind, which: wish.which, since: wish.since ?? null },
          },
          { onSuccess: (resend) => onBegun?.({ ...resend, left: null, isEnded: true }) },
        )
      }
    >
      <Form layout="vertical" component={false}>
        <div className="stack">
          <p className="quiet">{what}</p>
          <ProblemAlert error={beginning.error} />
          {!isKindFixed && (
            <Radio.Group
              aria-label={t('push.list.columns.kind')}
              value={wish.kind}
              options={pushKinds.map((value) => ({ value, label: t(`push.kinds.${value}`) }))}
              onChange={({ target }) => setWish({ ...wish, kind: target.value })}
            />
          )}
          <Radio.Group
            aria-label={t('push.resend.which')}
            className="push-choices"
            value={wish.which}
            options={[
              { value: 'failed', label: t('push.resend.whichFailed') },
              { value: 'undelivered', label: t('push.resend.whichUndelivered') },
            ]}
            onChange={({ target }) => setWish({ ...wish, which: target.value })}
          />
          <Form.Item label={t('push.resend.since')} htmlFor="resend-since" extra={t('push.resend.sinceHint')}>
            <TimeField
              id="resend-since"
              label={t('push.resend.since')}
              value={wish.since}
              onChange={(since) => setWish({ ...wish, since: since ?? undefined })}
            />
          </Form.Item>
        </div>
      </Form>
    </Dialog>
  );
}
