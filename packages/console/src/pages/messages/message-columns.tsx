import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { Message } from '../../api/shown-things.ts';
import { durationBetween } from '../../parts/marks/duration.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { memoText } from './memo-reason.ts';
import { MessageMarks, PushMark } from './message-marks.tsx';

/** The columns of a table of messages. @param ofBatch all are of one batch, whose id and time are shown above */
export function useMessageColumns(organizationId: string, ofBatch = false): Column<Message>[] {
  const { t, i18n } = useTranslation();
  const batch: Column<Message>[] = [
    {
      title: t('messaging.list.columns.batch'),
      width: 120,
      cell: ({ batch_id }) => (
        // The end of the id: many batches share its beginning, which is the time.
        <Link
          className="mono"
          to="/o/$organizationId/messages/$batchId"
          params={{ organizationId, batchId: batch_id }}
          title={batch_id}
        >
          …{batch_id.slice(-8)}
        </Link>
      ),
    },
    {
      title: t('messaging.list.columns.accepted'),
      width: 205,
      cell: ({ accepted_at }) => <Instant at={accepted_at} />,
    },
  ];
  const settled: Column<Message>[] = (['sent', 'settled'] as const).map((name) => ({
    title: t(`messaging.list.columns.${name}`),
    width: 185,
    cell: (message) => {
      const at = message[`${name}_at`];
      if (at === undefined) return <span className="quiet">–</span>;
      return (
        <>
          <Instant at={at} />
          <div className="quiet small">
            {t('messaging.timeline.after', { span: durationBetween(message.accepted_at, at, i18n.language) })}
          </div>
        </>
      );
    },
  }));
  return [
    {
      title: t('messaging.number'),
      width: 180,
      cell: ({ batch_id, position, mobile, number }) => (
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
      cell: (message) => (
        <>
          <MessageMarks message={message} />
          {message.memo !== undefined && <div className="quiet small break-anywhere">{memoText(t, message.memo)}</div>}
        </>
      ),
    },
    { title: t('messaging.list.columns.segments'), cell: ({ segments }) => segments, width: 100, align: 'right' },
    {
      title: t('messaging.list.columns.carrier'),
      width: 120,
      cell: ({ carrier }) => carrier ?? <span className="quiet">–</span>,
    },
    { title: t('messaging.list.columns.push'), width: 110, cell: ({ push }) => <PushMark push={push} /> },
    ...(ofBatch ? settled : batch),
  ];
}

type Cells = readonly (readonly [head: string, cell: (message: Message) => string | number | null])[];

/** A message as a row of a CSV file: codes as in the interfaces, the reason in words, times in UTC. */
export function messageCells(t: TFunction): Cells {
  const head = (name: 'batch' | 'position' | 'state' | 'status' | 'memo' | 'segments' | 'carrier' | 'push') =>
    t(`messaging.list.columns.${name}`);
  return [
    [head('batch'), ({ batch_id }) => batch_id],
    [head('position'), ({ position }) => position],
    [t('messaging.number'), ({ mobile }) => mobile],
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
