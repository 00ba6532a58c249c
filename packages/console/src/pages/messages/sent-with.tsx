import { showMessagingKey } from '@waxwing/contract/management-api/operations/messaging-key-operations.ts';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { MessagingKeyLink } from '../../parts/marks/thing-link.tsx';

interface SentWithProps {
  readonly organizationId: string;
  /** Null: by hand. */
  readonly messagingKeyId: string | null;
}

/** The messaging key of a message, which may be deleted by now. */
export function SentWith({ organizationId, messagingKeyId }: SentWithProps) {
  const { t } = useTranslation();
  const key = useAnswer(
    showMessagingKey,
    { params: { organization_id: organizationId, messaging_key_id: messagingKeyId ?? '' } },
    { enabled: messagingKeyId !== null },
  );
  if (messagingKeyId === null) return t('messaging.batch.byHand');
  if (key.error !== null) return <span className="mono">{messagingKeyId}</span>;
  return <MessagingKeyLink organizationId={organizationId} id={messagingKeyId} name={key.data?.name ?? '…'} />;
}
