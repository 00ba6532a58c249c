import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons';
import { useParams } from '@tanstack/react-router';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange, usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx';
import { RotateTokenButton } from '../../parts/dialogs/rotate-token-button.tsx';
import { AccessMarks } from '../../parts/marks/access-marks.tsx';
import { AllowListSummary } from '../../parts/marks/allow-list-summary.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ListPage } from '../../parts/tables/list-page.tsx';
import { ActorName } from '../audit/actor-name.tsx';
import { CreateKeyModal } from './create-key-modal.tsx';
import { EditKeyModal } from './edit-key-modal.tsx';
import { KeyPanel } from './key-panel.tsx';
import { type KeyScope, keyScope, type ManagementKey } from './key-scope.ts';
import { LeftByKeyDialog, type LeftByKeyDialogProps } from './left-by-key.tsx';

/** The management keys of an organization, or of the instance. */
export function ManagementKeyListPage() {
  const { t } = useTranslation();
  const { organizationId } = useParams({ strict: false });
  const may = useMay(organizationId);
  const scope = keyScope(organizationId);
  const { operations, params } = scope;
  const pages = usePages(operations.list, { params });
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<string>();
  // Not in the row, which is gone when the remaining tokens are shown.
  const [deleted, setDeleted] = useState<ManagementKey>();
  const [left, setLeft] = useState<Omit<LeftByKeyDialogProps, 'onEnd'>>();
  const deleting = useChange(operations.remove);
  const createButton = may(operations.create) && (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
      {t('managementKeys.create')}
    </Button>
  );
  return (
    <ListPage<ManagementKey>
      title={t(organizationId === undefined ? 'managementKeys.instanceTitle' : 'menu.managementKeys')}
      lead={t(organizationId === undefined ? 'managementKeys.instanceLead' : 'managementKeys.lead')}
      label={t('menu.managementKeys')}
      pages={pages}
      csv={{
        fileName: 'management-keys',
        columns: [
          [t('common.name'), ({ name }) => name],
          [t('members.role'), ({ role }) => role],
          [t('common.state'), ({ enabled }) => t(enabled ? 'deployments.on' : 'deployments.off')],
          [t('deployments.allowList'), ({ allow }) => allow.join(' ')],
          [t('members.expires'), ({ expires_at }) => expires_at],
          [t('managementKeys.columns.createdBy'), ({ created_by }) => created_by],
          [t('common.created'), ({ created_at }) => created_at],
          ['id', ({ id }) => id],
        ],
      }}
      action={createButton}
      columns={useColumns(scope, setEdited, setDeleted)}
      rowKey={({ id }) => id}
      minWidth={1080}
      none={{ title: t('managementKeys.none'), lead: t('managementKeys.noneLead') }}
    >
      {isCreating && <CreateKeyModal scope={scope} onEnd={() => setCreating(false)} />}
      {edited !== undefined && <EditKeyModal scope={scope} keyId={edited} onEnd={() => setEdited(undefined)} />}
      {deleted !== undefined && (
        <ConfirmDialog
          danger
          title={t('common.deleteTitle', { name: deleted.name })}
          what={t('managementKeys.deleteWhat')}
          okText={t('common.delete')}
          change={deleting}
          input={{ params: { ...params, management_key_id: deleted.id } }}
          onDone={({ left }) => {
            if (left.total > 0) setLeft({ name: deleted.name, left });
          }}
          onEnd={() => setDeleted(undefined)}
        />
      )}
      {left !== undefined && <LeftByKeyDialog {...left} onEnd={() => setLeft(undefined)} />}
    </ListPage>
  );
}

function useColumns(
  scope: KeyScope,
  onEdit: (id: string) => void,
  onDelete: (key: ManagementKey) => void,
): Column<ManagementKey>[] {
  const { t } = useTranslation();
  const may = useMay(scope.organizationId);
  const { operations } = scope;
  return [
    {
      title: t('common.name'),
      cell: ({ name, created_by }) => (
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
            width: 110,
            cell: ({ role }: ManagementKey) => (role === 'operator' ? role : t(`roles.${role}`)),
          },
        ]),
    {
      title: t('common.state'),
      width: 120,
      cell: (key) => <AccessMarks access={key} />,
    },
    { title: t('deployments.allowList'), cell: ({ allow }) => <AllowListSummary allow={allow} /> },
    {
      title: t('members.expires'),
      width: 140,
      cell: ({ expires_at }) =>
        expires_at === null ? (
          <span className="quiet">{t('managementKeys.expiry.never')}</span>
        ) : (
          <Instant at={expires_at} dateOnly />
        ),
    },
    {
      title: t('common.actions'),
      width: 330,
      cell: (key) => (
        <span className="row one-line">
          {may(operations.update) && (
            <Button
              size="small"
              icon={<EditOutlined />}
              aria-label={t('managementKeys.edit', { name: key.name })}
              onClick={() => onEdit(key.id)}
            >
              {t('common.edit')}
            </Button>
          )}
          {may(operations.rotate) && <RotateKeyButton scope={scope} managementKey={key} />}
          {may(operations.remove) && (
            <Button
              danger
              size="small"
              icon={<DeleteOutlined />}
              aria-label={t('common.deleteNamed', { name: key.name })}
              onClick={() => onDelete(key)}
            >
              {t('common.delete')}
            </Button>
          )}
        </span>
      ),
    },
  ];
}

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
