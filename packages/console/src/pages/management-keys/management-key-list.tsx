import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, type TableColumnType } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { everyItem, useApi, useChange, usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { AllowListSummary } from '../../parts/allow-list-summary.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ExportCsv } from '../../parts/export-csv.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { RotateTokenButton } from '../../parts/rotate-token-button.tsx';
import { ActorName } from '../audit/actor-name.tsx';
import { CreateKeyModal } from './create-key-modal.tsx';
import { EditKeyModal } from './edit-key-modal.tsx';
import { KeyPanel } from './key-panel.tsx';
import { type KeyScope, keyScope, type ManagementKey } from './key-scope.ts';
import { LeftByKeyDialog, type LeftByKeyDialogProps } from './left-by-key.tsx';

/** The rights of programs to use the management API. @param organizationId left out: of the instance */
export function ManagementKeyList({ organizationId }: { readonly organizationId?: string }) {
  const { t } = useTranslation();
  const api = useApi();
  const may = useMay(organizationId);
  const scope = keyScope(organizationId);
  const { operations, params } = scope;
  const pages = usePages(operations.list, { params });
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<string>();
  // Here and not in the row, which is gone when what the key has left is told.
  const [deleted, setDeleted] = useState<ManagementKey>();
  const [left, setLeft] = useState<Omit<LeftByKeyDialogProps, 'onEnd'>>();
  const deleting = useChange(operations.remove);
  const createButton = may(operations.create) && (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
      {t('managementKeys.create')}
    </Button>
  );
  return (
    <>
      <PageHead
        title={t(organizationId === undefined ? 'managementKeys.instanceTitle' : 'managementKeys.title')}
        lead={t(organizationId === undefined ? 'managementKeys.instanceLead' : 'managementKeys.lead')}
        actions={
          <>
            <ExportCsv<ManagementKey>
              fileName="management-keys"
              items={(signal) => everyItem(api, operations.list, { params }, signal)}
              columns={[
                [t('managementKeys.columns.name'), ({ name }) => name],
                [t('members.role'), ({ role }) => role],
                [t('deployments.columns.state'), ({ enabled }) => t(enabled ? 'deployments.on' : 'deployments.off')],
                [t('deployments.allowList'), ({ allow }) => allow.join(' ')],
                [t('managementKeys.columns.expires'), ({ expires_at }) => expires_at],
                [t('managementKeys.columns.createdBy'), ({ created_by }) => created_by],
                [t('deployments.columns.created'), ({ created_at }) => created_at],
                ['id', ({ id }) => id],
              ]}
            />
            {createButton}
          </>
        }
      />
      <ItemTable<ManagementKey>
        label={t('managementKeys.title')}
        pages={pages}
        columns={useColumns(scope, setEdited, setDeleted)}
        rowKey={({ id }) => id}
        minWidth={1080}
        empty={
          <EmptyState title={t('managementKeys.none')} action={createButton}>
            {t('managementKeys.noneLead')}
          </EmptyState>
        }
      />
      {isCreating && <CreateKeyModal scope={scope} onEnd={() => setCreating(false)} />}
      {edited !== undefined && <EditKeyModal scope={scope} keyId={edited} onEnd={() => setEdited(undefined)} />}
      {deleted !== undefined && (
        <ConfirmDialog
          danger
          title={t('deployments.delete.title', { name: deleted.name })}
          what={t('managementKeys.deleteWhat')}
          okText={t('deployments.delete.button')}
          change={deleting}
          input={{ params: { ...params, management_key_id: deleted.id } }}
          onDone={({ left }) => {
            if (left.total > 0) setLeft({ name: deleted.name, left });
          }}
          onEnd={() => setDeleted(undefined)}
        />
      )}
      {left !== undefined && <LeftByKeyDialog {...left} onEnd={() => setLeft(undefined)} />}
    </>
  );
}

function useColumns(
  scope: KeyScope,
  onEdit: (id: string) => void,
  onDelete: (key: ManagementKey) => void,
): TableColumnType<ManagementKey>[] {
  const { t } = useTranslation();
  const may = useMay(scope.organizationId);
  const { operations } = scope;
  return [
    {
      title: t('managementKeys.columns.name'),
      key: 'name',
      render: (_value, { name, created_by }) => (
        <div>
          <div className="break-anywhere">{name}</div>
          <div className="quiet small">
            <ActorName actor={created_by} organizationId={scope.organizationId} />
          </div>
        </div>
      ),
    },
    ...(scope.organizationId === undefined
      ? []
      : [
          {
            title: t('members.role'),
            key: 'role',
            width: 110,
            render: (_value: unknown, { role }: ManagementKey) => (role === 'operator' ? role : t(`roles.${role}`)),
          },
        ]),
    {
      title: t('deployments.columns.state'),
      key: 'state',
      width: 120,
      render: (_value, { enabled, expires_at }) => (
        <span className="row">
          <Mark tone={enabled ? 'good' : 'plain'}>{t(enabled ? 'deployments.on' : 'deployments.off')}</Mark>
          {isOver(expires_at) && <Mark tone="bad">{t('deployments.expired')}</Mark>}
        </span>
      ),
    },
    {
      title: t('deployments.allowList'),
      key: 'allow',
      render: (_value, { allow }) => <AllowListSummary allow={allow} />,
    },
    {
      title: t('managementKeys.columns.expires'),
      key: 'expires',
      width: 140,
      render: (_value, { expires_at }) =>
        expires_at === null ? (
          <span className="quiet">{t('managementKeys.expiry.never')}</span>
        ) : (
          <Instant at={expires_at} dateOnly />
        ),
    },
    {
      title: t('common.actions'),
      key: 'actions',
      width: 330,
      render: (_value, key) => (
        <span className="row one-line">
          {may(operations.update) && (
            <Button
              size="small"
              icon={<EditOutlined />}
              aria-label={t('managementKeys.edit', { name: key.name })}
              onClick={() => onEdit(key.id)}
            >
              {t('deployments.edit')}
            </Button>
          )}
          {may(operations.rotate) && <RotateKeyButton scope={scope} managementKey={key} />}
          {may(operations.remove) && (
            <Button
              danger
              size="small"
              icon={<DeleteOutlined />}
              aria-label={t('managementKeys.deleteNamed', { name: key.name })}
              onClick={() => onDelete(key)}
            >
              {t('deployments.delete.button')}
            </Button>
          )}
        </span>
      ),
    },
  ];
}

const isOver = (expiresAt: string | null) => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

interface RotateKeyButtonProps {
  readonly scope: KeyScope;
  readonly managementKey: ManagementKey;
}

function RotateKeyButton({ scope, managementKey: { id, name } }: RotateKeyButtonProps) {
  const { t } = useTranslation();
  const rotating = useChange(scope.operations.rotate);
  const params = { ...scope.params, management_key_id: id };
  return (
    <RotateTokenButton
      size="small"
      label={t('managementKeys.rotateNamed', { name })}
      rotation={rotating}
      onRotate={(overlap) => rotating.mutate({ params, body: { overlap_seconds: overlap } })}
      what={t('managementKeys.rotateWhat')}
      panel={({ token }) => <KeyPanel token={token} organizationId={scope.organizationId} />}
    />
  );
}
