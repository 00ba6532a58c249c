import { KeyOutlined } from '@ant-design/icons';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { createMessagingKey, listMessagingKeys } from '@waxwing/contract/management-api/messaging-key-operations.ts';
import { Button, type TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, usePages } from '../../api/api-context.tsx';
import type { MessagingKey } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { AccessMarks } from '../../parts/access-marks.tsx';
import { AllowListSummary } from '../../parts/allow-list-summary.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { PageHead } from '../../parts/page-head.tsx';

const route = getRouteApi('/frame/o/$organizationId/messaging-keys');

export function MessagingKeyListPage() {
  const { t } = useTranslation();
  const api = useApi();
  const { organizationId } = route.useParams();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const input = { params: { organization_id: organizationId } };
  const pages = usePages(listMessagingKeys, input);
  const columns: TableColumnType<MessagingKey>[] = [
    {
      title: t('messaging.keys.columns.name'),
      key: 'name',
      render: (_value, { id, name }) => (
        <Link to="/o/$organizationId/messaging-keys/$messagingKeyId" params={{ organizationId, messagingKeyId: id }}>
          {name}
        </Link>
      ),
    },
    {
      title: t('messaging.keys.columns.state'),
      key: 'state',
      width: 180,
      render: (_value, key) => <AccessMarks access={key} notPermitted={t('messaging.keys.notPermitted')} />,
    },
    {
      title: t('deployments.allowList'),
      key: 'allow',
      render: (_value, { allow }) => <AllowListSummary allow={allow} />,
    },
    ...(['expires', 'created'] as const).map(
      (name): TableColumnType<MessagingKey> => ({
        title: t(`messaging.keys.columns.${name}`),
        key: name,
        width: 175,
        render: (_value, key) => <TimeOrNever at={key[`${name}_at`]} />,
      }),
    ),
  ];
  const createButton = may(createMessagingKey) && (
    <Button
      type="primary"
      icon={<KeyOutlined />}
      onClick={() => void navigate({ to: '/o/$organizationId/messaging-keys/new', params: { organizationId } })}
    >
      {t('messaging.keys.create')}
    </Button>
  );

  return (
    <>
      <PageHead
        title={t('messaging.keys.title')}
        lead={t('messaging.keys.lead')}
        actions={
          <>
            <ExportCsv<MessagingKey>
              fileName="messaging-keys"
              items={(signal) => everyItem(api, listMessagingKeys, input, signal)}
              columns={[
                [t('messaging.keys.columns.name'), ({ name }) => name],
                [t('messaging.keys.columns.state'), ({ enabled }) => t(enabled ? 'deployments.on' : 'deployments.off')],
                [t('messaging.keys.switches.permitted'), ({ permitted }) => t(permitted ? 'common.yes' : 'common.no')],
                [t('deployments.allowList'), ({ allow }) => allow.join(' ')],
                [t('messaging.keys.columns.expires'), ({ expires_at }) => expires_at],
                [t('messaging.keys.columns.created'), ({ created_at }) => created_at],
                ['id', ({ id }) => id],
              ]}
            />
            {createButton}
          </>
        }
      />
      <ItemTable<MessagingKey>
        label={t('messaging.keys.title')}
        pages={pages}
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={900}
        empty={
          <EmptyState title={t('messaging.keys.none')} action={createButton}>
            {t('messaging.keys.noneLead')}
          </EmptyState>
        }
      />
    </>
  );
}

function TimeOrNever({ at }: { readonly at: string | null }) {
  const { t } = useTranslation();
  return at === null ? <span className="quiet">{t('messaging.keys.expiresNever')}</span> : <Instant at={at} />;
}
