import { KeyOutlined } from '@ant-design/icons';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  createMessagingKey,
  listMessagingKeys,
} from '@waxwing/contract/management-api/operations/messaging-key-operations.ts';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import type { MessagingKey } from '../../api/shown-things.ts';
import { useMay } from '../../api/use-me.ts';
import { AccessMarks } from '../../parts/marks/access-marks.tsx';
import { AllowListSummary } from '../../parts/marks/allow-list-summary.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { MessagingKeyLink } from '../../parts/marks/thing-link.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';

const route = getRouteApi('/frame/o/$organizationId/messaging-keys');

export function MessagingKeyListPage() {
  const { t } = useTranslation();
  const { organizationId } = route.useParams();
  const navigate = useNavigate();
  const may = useMay(organizationId);
  const input = { params: { organization_id: organizationId } };
  const pages = usePages(listMessagingKeys, input);
  const columns: Column<MessagingKey>[] = [
    {
      title: t('messaging.keys.columns.name'),
      cell: ({ id, name }) => <MessagingKeyLink organizationId={organizationId} id={id} name={name} />,
    },
    {
      title: t('common.state'),
      width: 180,
      cell: (key) => <AccessMarks access={key} notPermitted={t('messaging.keys.notPermitted')} />,
    },
    { title: t('deployments.allowList'), cell: ({ allow }) => <AllowListSummary allow={allow} /> },
    { title: t('common.expires'), width: 175, cell: ({ expires_at }) => <TimeOrNever at={expires_at} /> },
    { title: t('common.created'), width: 175, cell: ({ created_at }) => <Instant at={created_at} /> },
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
    <ListPage<MessagingKey>
      title={t('menu.messagingKeys')}
      lead={t('messaging.keys.lead')}
      pages={pages}
      csv={{
        fileName: 'messaging-keys',
        columns: [
          [t('messaging.keys.columns.name'), ({ name }) => name],
          [t('common.state'), ({ enabled }) => t(enabled ? 'deployments.on' : 'deployments.off')],
          [t('messaging.keys.permitted'), ({ permitted }) => t(permitted ? 'common.yes' : 'common.no')],
          [t('deployments.allowList'), ({ allow }) => allow.join(' ')],
          [t('common.expires'), ({ expires_at }) => expires_at],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      action={createButton}
      columns={columns}
      rowKey={({ id }) => id}
      minWidth={900}
      none={{ title: t('messaging.keys.none'), lead: t('messaging.keys.noneLead') }}
    />
  );
}

function TimeOrNever({ at }: { readonly at: string | null }) {
  const { t } = useTranslation();
  return at === null ? <span className="quiet">{t('messaging.keys.expiresNever')}</span> : <Instant at={at} />;
}
