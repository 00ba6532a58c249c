import { useTranslation } from 'react-i18next';
import type { Carrier } from '../../api/shown-carriers.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ItemTable } from '../../parts/tables/item-table.tsx';
import { wholeList } from '../../parts/tables/whole-list.ts';
import { Panel } from '../../parts/text/panel.tsx';
import { carrierFaultText } from './carrier-fault.ts';
import { ConnectionMark } from './carrier-marks.tsx';

type Connection = Carrier['connections'][number] & { readonly place: number };

interface CarrierConnectionsProps {
  readonly carrier: Carrier;
  readonly answer: Parameters<typeof wholeList>[1];
}

/** Each connection of a carrier: whether it is bound, how full its window is, and its latest fault. */
export function CarrierConnections({ carrier: { connections, window, enabled }, answer }: CarrierConnectionsProps) {
  const { t, i18n } = useTranslation();
  const title = t('carriers.connections');
  const columns: Column<Connection>[] = [
    { title: t('carriers.columns.place'), width: 70, cell: ({ place }) => <span className="figures">{place}</span> },
    { title: t('common.state'), width: 130, cell: (connection) => <ConnectionMark connection={connection} /> },
    { title: t('carriers.columns.since'), width: 205, cell: ({ since }) => <Instant at={since} /> },
    {
      title: t('carriers.columns.window'),
      width: 150,
      align: 'right',
      cell: ({ window_used }) => (
        <span className="figures">{t('carriers.boundOf', { bound: window_used, count: window })}</span>
      ),
    },
    {
      title: t('carriers.columns.lastError'),
      cell: ({ last_error }) =>
        last_error === null ? (
          <span className="quiet">–</span>
        ) : (
          <span className="break-anywhere">{carrierFaultText(i18n, last_error)}</span>
        ),
    },
  ];
  return (
    <Panel title={title}>
      {connections.length === 0 ? (
        <p className="quiet">{t(enabled ? 'carriers.noLink' : 'carriers.noLinkDisabled')}</p>
      ) : (
        <ItemTable<Connection>
          label={title}
          pages={wholeList(
            connections.map((connection, index) => ({ ...connection, place: index + 1 })),
            answer,
          )}
          columns={columns}
          rowKey={({ place }) => String(place)}
          minWidth={760}
          empty={null}
        />
      )}
    </Panel>
  );
}
