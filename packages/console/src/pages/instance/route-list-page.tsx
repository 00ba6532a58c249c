import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import { addRoute, listRoutes, removeRoute } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import type { ItemOf } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { ConfirmButton } from '../../parts/dialogs/confirm-button.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { OrganizationName } from '../../parts/marks/organization-name.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { AddRouteModal } from './add-route-modal.tsx';

const route = getRouteApi('/frame/instance/routes');
type Route = ItemOf<typeof listRoutes>;

export function RouteListPage() {
  const { t } = useTranslation();
  const may = useMay();
  const navigate = route.useNavigate();
  const { number } = route.useSearch();
  const pages = usePages(listRoutes, {});
  const removing = useChange(removeRoute);
  const [isAdding, setAdding] = useState(number !== undefined);
  const addButton = may(addRoute) && (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
      {t('inboundRoutes.add')}
    </Button>
  );
  const columns: Column<Route>[] = [
    {
      title: t('messaging.number'),
      cell: ({ address, kind }) => (
        <span className="mono">
          {address}
          {kind === 'prefix' && '…'}
        </span>
      ),
    },
    { title: t('inboundRoutes.columns.kind'), width: 130, cell: ({ kind }) => t(`inboundRoutes.kinds.${kind}`) },
    {
      title: t('shell.organization'),
      cell: ({ organization_id }) => <OrganizationName organizationId={organization_id} />,
    },
    {
      title: t('carriers.columns.carrier'),
      width: 150,
      cell: ({ carrier }) => <span className="mono">{carrier}</span>,
    },
    { title: t('common.created'), width: 205, cell: ({ created_at }) => <Instant at={created_at} /> },
    {
      title: t('common.actions'),
      width: 110,
      cell: ({ id, address }) =>
        may(removeRoute) && (
          <ConfirmButton
            danger
            size="small"
            icon={<DeleteOutlined />}
            text={t('common.remove')}
            label={t('common.removeNamed', { name: address })}
            title={t('inboundRoutes.removeTitle', { address })}
            what={t('inboundRoutes.removeWhat')}
            change={removing}
            input={{ params: { route_id: id } }}
          />
        ),
    },
  ];
  return (
    <ListPage<Route>
      title={t('menu.routes')}
      lead={t('inboundRoutes.lead')}
      pages={pages}
      csv={{
        fileName: 'routes',
        columns: [
          [t('messaging.number'), ({ address }) => address],
          [t('inboundRoutes.columns.kind'), ({ kind }) => t(`inboundRoutes.kinds.${kind}`)],
          [t('shell.organization'), ({ organization_id }) => organization_id],
          [t('carriers.columns.carrier'), ({ carrier }) => carrier],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      action={addButton}
      columns={columns}
      rowKey={({ id }) => id}
      minWidth={900}
      none={{ title: t('inboundRoutes.none'), lead: t('inboundRoutes.noneLead') }}
    >
      {isAdding && may(addRoute) && (
        <AddRouteModal
          number={number}
          onEnd={() => {
            setAdding(false);
            if (number !== undefined) void navigate({ to: '.', search: {}, replace: true });
          }}
        />
      )}
    </ListPage>
  );
}
