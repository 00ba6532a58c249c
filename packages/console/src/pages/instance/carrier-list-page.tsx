import { MessageOutlined } from '@ant-design/icons';
import { listCarriers, replyBySimulator } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { BoundedCount } from './bounded-count.tsx';
import { instanceRefreshMs } from './instance-refresh.ts';
import { SimulatedReplyModal } from './simulated-reply-modal.tsx';

type Carrier = ItemOf<typeof listCarriers>;

/** Carriers, the nodes that run them, and their backlogs. */
export function CarrierListPage() {
  const { t } = useTranslation();
  const may = useMay();
  const pages = usePages(listCarriers, {}, { refetchInterval: instanceRefreshMs });
  const [isReplying, setReplying] = useState(false);
  const hasSimulator = pages.items?.some(({ simulated }) => simulated) === true;
  const columns: Column<Carrier>[] = [
    {
      title: t('carriers.columns.carrier'),
      cell: ({ name, simulated }) => (
        <span className="row">
          <span className="mono">{name}</span>
          {simulated && <Mark tone="soon">{t('carriers.simulated')}</Mark>}
        </span>
      ),
    },
    {
      title: t('common.state'),
      width: 120,
      cell: ({ held_by }) => (
        <Mark tone={held_by === null ? 'bad' : 'good'}>
          {t(held_by === null ? 'carriers.idle' : 'carriers.running')}
        </Mark>
      ),
    },
    {
      title: t('carriers.columns.node'),
      width: 320,
      cell: ({ held_by, held_until }) => (
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
      width: 120,
      align: 'right',
      cell: ({ waiting_parts }) => <BoundedCount count={waiting_parts} />,
    },
    {
      title: t('carriers.columns.oldest'),
      width: 180,
      cell: ({ oldest_due_at }) =>
        oldest_due_at === null ? <span className="quiet">–</span> : <Instant at={oldest_due_at} />,
    },
  ];
  return (
    <ListPage<Carrier>
      title={t('menu.carriers')}
      lead={t('carriers.lead')}
      pages={pages}
      action={
        may(replyBySimulator) &&
        hasSimulator && (
          <Button type="primary" icon={<MessageOutlined />} onClick={() => setReplying(true)}>
            {t('carriers.reply.button')}
          </Button>
        )
      }
      columns={columns}
      rowKey={({ id }) => id}
      minWidth={900}
      none={{ title: t('carriers.none'), lead: t('carriers.noneLead') }}
    >
      {isReplying && <SimulatedReplyModal onEnd={() => setReplying(false)} />}
    </ListPage>
  );
}
