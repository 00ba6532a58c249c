import { Link } from '@tanstack/react-router';
import type { ofOrganization } from '@waxwing/contract/management-api/management-key-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../parts/dialog.tsx';

export type LeftByKey = AnswerOf<typeof ofOrganization.remove>['left'];

export interface LeftByKeyDialogProps {
  /** Of the key that is deleted. */
  readonly name: string;
  readonly left: LeftByKey;
  readonly onEnd: () => void;
}

/** What a deleted key has made tokens for, and whoever had got hold of it may go on using. */
export function LeftByKeyDialog({ name, left: { total, items }, onEnd }: LeftByKeyDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog width={560} title={t('managementKeys.deleted', { name })} footer={null} onCancel={onEnd}>
      <div className="stack">
        <p>{t('managementKeys.left', { count: total })}</p>
        <ul>
          {items.map((item) => (
            <li key={item.id}>
              {t(`managementKeys.leftKinds.${item.kind}`)}: <LeftName {...item} />
            </li>
          ))}
        </ul>
        {total > items.length && (
          <p className="quiet">{t('managementKeys.leftMore', { count: total - items.length })}</p>
        )}
      </div>
    </Dialog>
  );
}

function LeftName({ kind, id, name, organization_id: organizationId }: LeftByKey['items'][number]) {
  switch (kind) {
    case 'deployment':
      return (
        <Link to="/o/$organizationId/deployments/$deploymentId" params={{ organizationId, deploymentId: id }}>
          {name}
        </Link>
      );
    case 'messaging_key':
      return (
        <Link to="/o/$organizationId/messaging-keys/$messagingKeyId" params={{ organizationId, messagingKeyId: id }}>
          {name}
        </Link>
      );
    case 'management_key':
      return name;
  }
}
