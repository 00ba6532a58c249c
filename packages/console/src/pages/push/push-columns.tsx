import { Link } from '@tanstack/react-router';
import { resendPush } from '@waxwing/contract/management-api/operations/push-operations.ts';
import { useTranslation } from 'react-i18next';
import type { Push } from '../../api/shown-pushes.ts';
import { useMay } from '../../api/use-me.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { memoText } from '../messages/memo-reason.ts';
import { PushStateMark } from './push-marks.tsx';
import { ResendButton } from './resend-button.tsx';

/** What a push tells, as it is sent: the status with its reason, or the reply. */
export function contentOf({ parameters }: Pick<Push, 'parameters'>): string {
  if ('message' in parameters) return parameters.message;
  return 'memo' in parameters ? `${parameters.status}: ${parameters.memo}` : parameters.status;
}

function PushContent({ parameters }: Pick<Push, 'parameters'>) {
  const { t } = useTranslation();
  if ('message' in parameters) return <span className="break-anywhere push-content">{parameters.message}</span>;
  return (
    <>
      {t(`messaging.states.${parameters.status}`)}
      {'memo' in parameters && <div className="quiet small break-anywhere">{memoText(t, parameters.memo)}</div>}
    </>
  );
}

export function usePushColumns(organizationId: string): Column<Push>[] {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const columns: Column<Push>[] = [
    {
      title: t('messaging.number'),
      width: 142,
      cell: ({ id, parameters }) => (
        <Link to="/o/$organizationId/pushes/$pushId" params={{ organizationId, pushId: id }} className="mono">
          {parameters.mobile}
        </Link>
      ),
    },
    { title: t('common.state'), width: 92, cell: ({ state }) => <PushStateMark state={state} /> },
    { title: t('push.list.columns.content'), cell: ({ parameters }) => <PushContent parameters={parameters} /> },
    { title: t('push.list.columns.kind'), width: 128, cell: ({ kind }) => t(`push.kinds.${kind}`) },
    { title: t('messaging.list.columns.accepted'), width: 188, cell: ({ created_at }) => <Instant at={created_at} /> },
    { title: t('push.list.columns.attempts'), cell: ({ attempts }) => attempts, width: 84, align: 'right' },
    {
      title: t('push.list.columns.next'),
      width: 192,
      cell: ({ due_at, ended_at }) => {
        if (ended_at !== null) return <Instant at={ended_at} />;
        return (
          due_at !== null && (
            <>
              <span className="quiet">{t('push.list.due')}</span> <Instant at={due_at} />
            </>
          )
        );
      },
    },
  ];
  if (!may(resendPush)) return columns;
  return [
    ...columns,
    {
      title: t('common.actions'),
      width: 105,
      cell: (push) =>
        (push.state === 'failed' || push.state === 'off') && (
          <ResendButton organizationId={organizationId} push={push} size="small" />
        ),
    },
  ];
}
