import { Link } from '@tanstack/react-router';
import { resendPush } from '@waxwing/contract/management-api/push-operations.ts';
import type { TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Push } from '../../api/shown-pushes.ts';
import { useMay } from '../../api/use-me.ts';
import { Instant } from '../../parts/instant.tsx';
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

export function usePushColumns(organizationId: string): TableColumnType<Push>[] {
  const { t } = useTranslation();
  const may = useMay(organizationId);
  const columns: TableColumnType<Push>[] = [
    {
      title: t('push.list.columns.mobile'),
      key: 'mobile',
      width: 142,
      render: (_value, { id, parameters }) => (
        <Link to="/o/$organizationId/pushes/$pushId" params={{ organizationId, pushId: id }} className="mono">
          {parameters.mobile}
        </Link>
      ),
    },
    {
      title: t('push.list.columns.state'),
      key: 'state',
      width: 92,
      render: (_value, { state }) => <PushStateMark state={state} />,
    },
    {
      title: t('push.list.columns.content'),
      key: 'content',
      render: (_value, { parameters }) => <PushContent parameters={parameters} />,
    },
    {
      title: t('push.list.columns.kind'),
      key: 'kind',
      width: 128,
      render: (_value, { kind }) => t(`push.kinds.${kind}`),
    },
    {
      title: t('push.list.columns.accepted'),
      key: 'accepted',
      width: 188,
      render: (_value, { created_at }) => <Instant at={created_at} />,
    },
    { title: t('push.list.columns.attempts'), dataIndex: 'attempts', key: 'attempts', width: 84, align: 'right' },
    {
      title: t('push.list.columns.next'),
      key: 'next',
      width: 192,
      render: (_value, { due_at, ended_at }) => {
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
      key: 'actions',
      width: 105,
      render: (_value, push) =>
        (push.state === 'failed' || push.state === 'off') && (
          <ResendButton organizationId={organizationId} push={push} size="small" />
        ),
    },
  ];
}
