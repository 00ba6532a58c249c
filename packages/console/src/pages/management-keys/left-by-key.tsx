import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { ofOrganization } from '@waxwing/contract/management-api/operations/management-key-operations.ts';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { DeploymentLink, MessagingKeyLink } from '../../parts/marks/thing-link.tsx';

type LeftByKey = AnswerOf<typeof ofOrganization.remove>['left'];

export interface LeftByKeyDialogProps {
  readonly name: string;
  readonly left: LeftByKey;
  readonly onEnd: () => void;
}

/** What a deleted key has created tokens for: they stay valid, also for people who had stolen the key. */
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
      return <DeploymentLink organizationId={organizationId} id={id} name={name} />;
    case 'messaging_key':
      return <MessagingKeyLink organizationId={organizationId} id={id} name={name} />;
    case 'management_key':
      return name;
  }
}
