import { MessageOutlined } from '@ant-design/icons';
import { listCarriers, replyBySimulator } from '@waxwing/contract/management-api/carrier-operations.ts';
import { Button, type TableColumnType } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { BoundedCount } from './bounded-count.tsx';
import { instanceRefreshMs } from './instance-refresh.ts';
import { SimulatedReplyModal } from './simulated-reply-modal.tsx';

type Carrier = ItemOf<typeof listCarriers>;

/** Who takes the messages, which node runs them, and what waits for them. */
export function CarrierListPage() {
  const { t } = useTranslation();
  const may = useMay();
  const pages = usePages(listCarriers, {}, { refetchInterval: instanceRefreshMs });
  const [isReplying, setReplying] = useState(false);
  const hasSimulator = pages.items?.some(({ simulated }) => simulated) === true;
  const columns: TableColumnType<Carrier>[] = [
    {
      title: t('carriers.columns.carrier'),
      key: 'carrier',
      render: (_value, { id, simulated }) => (
        <span className="row">
          <span className="mono">{id}</span>
          {simulated && <Mark tone="soon">{t('carriers.simulated')}</Mark>}
        </span>
      ),
    },
    {
      title: t('carriers.columns.state'),
      key: 'state',
      width: 120,
      render: (_value, { held_by }) => (
        <Mark tone={held_by === null ? 'bad' : 'good'}>
          {t(held_by === null ? 'carriers.idle' : 'carriers.running')}
        </Mark>
      ),
    },
    {
      title: t('carriers.columns.node'),
      key: 'node',
      width: 320,
      render: (_value, { held_by, held_until }) => (
        <div>
          <div className="mono break-anywhere">{held_by ?? '–'}</div>
          {held_until !== null && (
            <div className="quiet small">
              {t('carriers.heldUntil')} <Instant at={held_until} />
            </div>
          )}
        </div>
      ),
    },
    {
      title: t('carriers.columns.waiting'),
      key: 'waiting',
      width: 120,
      align: 'right',
      render: (_value, { waiting_parts }) => <BoundedCount count={waiting_parts} />,
    },
    {
      title: t('carriers.columns.oldest'),
      key: 'oldest',
      width: 180,
      render: (_value, { oldest_due_at }) =>
        oldest_due_at === null ? <span className="quiet">–</span> : <Instant at={oldest_due_at} />,
    },
  ];
  return (
    <>
      <PageHead
        title={t('carriers.title')}
        lead={t('carriers.lead')}
        actions={
          may(replyBySimulator) &&
          hasSimulator && (
            <Button type="primary" icon={<MessageOutlined />} onClick={() => setReplying(true)}>
              {t('carriers.reply.button')}
            </Button>
          )
        }
      />
      <ItemTable<Carrier>
        label={t('carriers.title')}
        pages={pages}
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={900}
        empty={<EmptyState title={t('carriers.none')}>{t('carriers.noneLead')}</EmptyState>}
      />
      {isReplying && <SimulatedReplyModal onEnd={() => setReplying(false)} />}
    </>
  );
}
