import { Link } from '@tanstack/react-router';
import type { TableColumnType } from 'antd';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Message } from '../../api/shown-things.ts';
import { Instant } from '../../parts/instant.tsx';
import { spanBetween } from '../../parts/span.ts';
import { BatchLink } from './batch-link.tsx';
import { memoText } from './memo-reason.ts';
import { MessageMarks, PushMark } from './message-marks.tsx';

/** The columns of a table of messages. @param ofBatch all are of one batch: its id and time are said once, above */
export function useMessageColumns(organizationId: string, ofBatch = false): TableColumnType<Message>[] {
  const { t, i18n } = useTranslation();
  const batch: TableColumnType<Message>[] = [
    {
      title: t('messaging.list.columns.batch'),
      key: 'batch',
      width: 120,
      render: (_value, { batch_id }) => <BatchLink organizationId={organizationId} batchId={batch_id} />,
    },
    {
      title: t('messaging.list.columns.accepted'),
      key: 'accepted',
      width: 205,
      render: (_value, { accepted_at }) => <Instant at={accepted_at} />,
    },
  ];
  const settled: TableColumnType<Message>[] = (['sent', 'settled'] as const).map((name) => ({
    title: t(`messaging.list.columns.${name}`),
    key: name,
    width: 185,
    render: (_value, message) => {
      const at = message[`${name}_at`];
      if (at === undefined) return <span className="quiet">–</span>;
      return (
        <>
          <Instant at={at} />
          <div className="quiet small">
            {t('messaging.timeline.after', { span: spanBetween(message.accepted_at, at, i18n.language) })}
          </div>
        </>
      );
    },
  }));
  return [
    {
      title: t('messaging.list.columns.message'),
      key: 'message',
      width: 180,
      render: (_value, { batch_id, position, mobile, number }) => (
        <>
          <Link
            className="figures"
            to="/o/$organizationId/messages/$batchId/$position"
            params={{ organizationId, batchId: batch_id, position: String(position) }}
          >
            {mobile}
          </Link>
          {number !== mobile && <div className="quiet small figures">{number}</div>}
        </>
      ),
    },
    {
      title: t('messaging.list.columns.status'),
      key: 'status',
      render: (_value, message) => (
        <>
          <MessageMarks message={message} />
          {message.memo !== undefined && <div className="quiet small break-anywhere">{memoText(t, message.memo)}</div>}
        </>
      ),
    },
    {
      title: t('messaging.list.columns.segments'),
      dataIndex: 'segments',
      width: 100,
      align: 'right',
    },
    {
      title: t('messaging.list.columns.carrier'),
      key: 'carrier',
      width: 120,
      render: (_value, { carrier }) => carrier ?? <span className="quiet">–</span>,
    },
    {
      title: t('messaging.list.columns.push'),
      key: 'push',
      width: 110,
      render: (_value, { push }) => <PushMark push={push} />,
    },
    ...(ofBatch ? settled : batch),
  ];
}

type Cells = readonly (readonly [head: string, cell: (message: Message) => string | number | null])[];

/** A message as a row of a CSV file: codes as the interfaces have them, the reason in words, times in UTC. */
export function messageCells(t: TFunction): Cells {
  const head = (name: 'batch' | 'position' | 'state' | 'status' | 'memo' | 'segments' | 'carrier' | 'push') =>
    t(`messaging.list.columns.${name}`);
  return [
    [head('batch'), ({ batch_id }) => batch_id],
    [head('position'), ({ position }) => position],
    [t('messaging.list.columns.message'), ({ mobile }) => mobile],
    ['E.164', ({ number }) => number],
    [head('state'), ({ state }) => state],
    [head('status'), ({ status }) => status ?? null],
    [head('memo'), ({ memo }) => (memo === undefined ? null : memoText(t, memo))],
    [head('segments'), ({ segments }) => segments],
    [t('messaging.simulated'), ({ simulated }) => t(simulated ? 'common.yes' : 'common.no')],
    [head('carrier'), ({ carrier }) => carrier],
    [head('push'), ({ push }) => push ?? null],
    [t('messaging.list.columns.accepted'), ({ accepted_at }) => accepted_at],
    [t('messaging.list.columns.sent'), ({ sent_at }) => sent_at ?? null],
    [t('messaging.list.columns.settled'), ({ settled_at }) => settled_at ?? null],
  ];
}
