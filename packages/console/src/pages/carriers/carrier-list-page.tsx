import { EditOutlined, MessageOutlined, PlusOutlined } from '@ant-design/icons';
import { Link, useNavigate } from '@tanstack/react-router';
import { listCarriers, replyBySimulator } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import {
  createCarrier,
  testCarrier,
  updateCarrier,
} from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { ListedCarrier } from '../../api/shown-carriers.ts';
import { useMay } from '../../api/use-me.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { BoundedCount } from '../instance/bounded-count.tsx';
import { instanceRefreshMs } from '../instance/instance-refresh.ts';
import { carrierFaultText } from './carrier-fault.ts';
import { BoundConnections, CarrierStateMark } from './carrier-marks.tsx';
import { CreateCarrierModal } from './create-carrier-modal.tsx';
import { EditCarrierModal } from './edit-carrier-modal.tsx';
import { SimulatedReplyModal } from './simulated-reply-modal.tsx';
import { TestCarrierButton } from './test-carrier-button.tsx';

/** Carriers, what their links do, and their backlogs. */
export function CarrierListPage() {
  const { t } = useTranslation();
  const may = useMay();
  const navigate = useNavigate();
  // What links do changes without a notice.
  const pages = usePages(listCarriers, {}, { refetchInterval: instanceRefreshMs });
  const [isReplying, setReplying] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<string>();
  const simulator = pages.items?.find(({ simulated }) => simulated);
  return (
    <ListPage<ListedCarrier>
      title={t('menu.carriers')}
      lead={t('carriers.lead')}
      pages={pages}
      csv={{
        fileName: 'carriers',
        columns: [
          [t('common.name'), ({ name }) => name],
          [t('carriers.settings.protocol'), ({ protocol }) => protocol],
          [t('carriers.settings.address'), ({ address }) => address],
          [t('common.state'), ({ state }) => state],
          [t('carriers.settings.priority'), ({ priority }) => priority],
          [t('carriers.settings.weight'), ({ weight }) => weight],
          [t('carriers.facts.submitted'), ({ submitted }) => submitted],
          [t('carriers.facts.refused'), ({ refused }) => refused],
          [t('carriers.facts.waiting'), ({ waiting_parts }) => waiting_parts],
          ['id', ({ id }) => id],
        ],
      }}
      action={
        <>
          {may(replyBySimulator) && simulator !== undefined && (
            <Button icon={<MessageOutlined />} onClick={() => setReplying(true)}>
              {t('carriers.reply.button')}
            </Button>
          )}
          {may(createCarrier) && (
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
              {t('carriers.create')}
            </Button>
          )}
        </>
      }
      columns={useColumns(setEdited)}
      rowKey={({ id }) => id}
      minWidth={1080}
      none={{ title: t('carriers.none'), lead: t('carriers.noneLead') }}
    >
      {isReplying && <SimulatedReplyModal onEnd={() => setReplying(false)} />}
      {isCreating && (
        <CreateCarrierModal
          isFirst={simulator?.enabled === true}
          onMade={({ id: carrierId }) => void navigate({ to: '/instance/carriers/$carrierId', params: { carrierId } })}
          onEnd={() => setCreating(false)}
        />
      )}
      {edited !== undefined && <EditCarrierModal carrierId={edited} onEnd={() => setEdited(undefined)} />}
    </ListPage>
  );
}

function useColumns(onEdit: (id: string) => void): Column<ListedCarrier>[] {
  const { t, i18n } = useTranslation();
  const may = useMay();
  const number = (value: number) => value.toLocaleString(i18n.language);
  const columns: Column<ListedCarrier>[] = [
    {
      title: t('carriers.columns.carrier'),
      cell: ({ id, name, simulated, protocol, address, state, connections }) =>
        protocol === null ? (
          <span className="row">
            <span className="mono">{name}</span>
            {simulated && <Mark tone="soon">{t('carriers.simulated')}</Mark>}
          </span>
        ) : (
          <div>
            <Link className="break-anywhere" to="/instance/carriers/$carrierId" params={{ carrierId: id }}>
              {name}
            </Link>
            <div className="quiet small">
              {t(`carriers.choices.protocol.${protocol}`)} · <span className="mono break-anywhere">{address}</span>
            </div>
            {state !== 'bound' && state !== 'disabled' && <LastError connections={connections} />}
          </div>
        ),
    },
    {
      title: t('common.state'),
      width: 130,
      cell: (carrier) => (
        <div>
          <CarrierStateMark carrier={carrier} />
          {!carrier.simulated && carrier.connections.length > 0 && (
            <div className="quiet small figures">
              <BoundConnections connections={carrier.connections} />
            </div>
          )}
        </div>
      ),
    },
    {
      title: t('carriers.columns.choice'),
      width: 120,
      align: 'right',
      cell: ({ priority, weight }) =>
        priority === null ? (
          <span className="quiet">–</span>
        ) : (
          <span className="figures">{`${priority} / ${weight}`}</span>
        ),
    },
    {
      title: t('carriers.columns.submitted'),
      width: 150,
      align: 'right',
      cell: ({ simulated, submitted, refused }) =>
        simulated ? (
          <span className="quiet">–</span>
        ) : (
          <span className="figures">{`${number(submitted)} / ${number(refused)}`}</span>
        ),
    },
    {
      title: t('carriers.facts.waiting'),
      width: 190,
      align: 'right',
      cell: ({ waiting_parts, oldest_due_at }) => (
        <div>
          <BoundedCount count={waiting_parts} />
          {oldest_due_at !== null && (
            <div className="quiet small">
              {t('carriers.since')} <Instant at={oldest_due_at} />
            </div>
          )}
        </div>
      ),
    },
  ];
  if (!may(updateCarrier)) return columns;
  return [
    ...columns,
    {
      title: t('common.actions'),
      width: 190,
      cell: ({ id, name, protocol }) =>
        protocol !== null && (
          <span className="row one-line">
            {may(testCarrier) && <TestCarrierButton size="small" carrier={{ id, name, protocol }} />}
            <Button
              size="small"
              icon={<EditOutlined />}
              aria-label={t('carriers.edit', { name })}
              onClick={() => onEdit(id)}
            >
              {t('common.edit')}
            </Button>
          </span>
        ),
    },
  ];
}

/** The latest fault of a connection that is not bound, in the carrier's own words. */
function LastError({ connections }: Pick<ListedCarrier, 'connections'>) {
  const { i18n } = useTranslation();
  const fault = connections.find(({ state, last_error }) => state !== 'bound' && last_error !== null)?.last_error;
  return fault == null ? null : <div className="small break-anywhere">{carrierFaultText(i18n, fault)}</div>;
}
