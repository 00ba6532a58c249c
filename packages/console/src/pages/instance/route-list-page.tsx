import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { addRoute, listRoutes, removeRoute } from '@waxwing/contract/management-api/carrier-operations.ts';
import { Button, type TableColumnType } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, useChange, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { OrganizationName } from '../../parts/organization-name.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { AddRouteModal } from './add-route-modal.tsx';

const route = getRouteApi('/frame/instance/routes');
type Route = ItemOf<typeof listRoutes>;

/** Which organization owns which inbound numbers. */
export function RouteListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const may = useMay();
  const navigate = useNavigate();
  const { number } = route.useSearch();
  const pages = usePages(listRoutes, {});
  const [isAdding, setAdding] = useState(number !== undefined);
  const addButton = may(addRoute) && (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
      {t('inboundRoutes.add')}
    </Button>
  );
  const columns: TableColumnType<Route>[] = [
    {
      title: t('inboundRoutes.columns.address'),
      key: 'address',
      render: (_value, { address, kind }) => (
        <span className="mono">
          {address}
          {kind === 'prefix' && '…'}
        </span>
      ),
    },
    {
      title: t('inboundRoutes.columns.kind'),
      key: 'kind',
      width: 130,
      render: (_value, { kind }) => t(`inboundRoutes.kinds.${kind}`),
    },
    {
      title: t('shell.organization'),
      key: 'organization',
      render: (_value, { organization_id }) => <OrganizationName organizationId={organization_id} />,
    },
    {
      title: t('carriers.columns.carrier'),
      key: 'carrier',
      width: 150,
      render: (_value, { carrier }) => <span className="mono">{carrier}</span>,
    },
    {
      title: t('deployments.columns.created'),
      key: 'created',
      width: 205,
      render: (_value, { created_at }) => <Instant at={created_at} />,
    },
    {
      title: t('common.actions'),
      key: 'actions',
      width: 110,
      render: (_value, shown) => may(removeRoute) && <RemoveButton route={shown} />,
    },
  ];
  return (
    <>
      <PageHead
        title={t('inboundRoutes.title')}
        lead={t('inboundRoutes.lead')}
        actions={
          <>
            <ExportCsv<Route>
              fileName="routes"
              items={(signal) => everyItem(api, listRoutes, {}, signal)}
              columns={[
                [t('inboundRoutes.columns.address'), ({ address }) => address],
                [t('inboundRoutes.columns.kind'), ({ kind }) => t(`inboundRoutes.kinds.${kind}`)],
                [t('shell.organization'), ({ organization_id }) => organization_id],
                [t('carriers.columns.carrier'), ({ carrier }) => carrier],
                [t('deployments.columns.created'), ({ created_at }) => created_at],
                ['id', ({ id }) => id],
              ]}
            />
            {addButton}
          </>
        }
      />
      <ItemTable<Route>
        label={t('inboundRoutes.title')}
        pages={pages}
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={900}
        empty={
          <EmptyState title={t('inboundRoutes.none')} action={addButton}>
            {t('inboundRoutes.noneLead')}
          </EmptyState>
        }
      />
      {isAdding && may(addRoute) && (
        <AddRouteModal
          number={number}
          onEnd={() => {
            setAdding(false);
            if (number !== undefined) void navigate({ to: '/instance/routes', search: {}, replace: true });
          }}
        />
      )}
    </>
  );
}

function RemoveButton({ route: { id, address } }: { readonly route: Route }) {
  const { t } = useTranslation();
  const removing = useChange(removeRoute);
  return (
    <ConfirmButton
      danger
      size="small"
      icon={<DeleteOutlined />}
      text={t('account.remove')}
      label={t('account.removeNamed', { name: address })}
      title={t('inboundRoutes.removeTitle', { address })}
      what={t('inboundRoutes.removeWhat')}
      change={removing}
      input={{ params: { route_id: id } }}
    />
  );
}
