import { Link } from '@tanstack/react-router';
import { showMessagingKey } from '@waxwing/contract/management-api/messaging-key-operations.ts';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';

export interface SentWithProps {
  readonly organizationId: string;
  /** Null: by hand. */
  readonly messagingKeyId: string | null;
}

/** The messaging key that something was sent with, which may be deleted by now. */
export function SentWith({ organizationId, messagingKeyId }: SentWithProps) {
  const { t } = useTranslation();
  const key = useAnswer(
    showMessagingKey,
    { params: { organization_id: organizationId, messaging_key_id: messagingKeyId ?? '' } },
    { enabled: messagingKeyId !== null },
  );
  if (messagingKeyId === null) return t('messaging.batch.byHand');
  if (key.error !== null) return <span className="mono">{messagingKeyId}</span>;
  return (
    <Link to="/o/$organizationId/messaging-keys/$messagingKeyId" params={{ organizationId, messagingKeyId }}>
      {key.data?.name ?? '…'}
    </Link>
  );
}
