import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from './audit-table.tsx';
import { hadName } from './audit-words.ts';

/** What something was done to: by its name and with a link to it, where it is still there; the id on hover. */
export function SubjectName({ entry }: { readonly entry: AuditEntry }) {
  const { t } = useTranslation();
  const { subject, subject_name: known, action, detail, organization_id } = entry;
  if (known !== null) return <KnownSubject id={subject} known={known} organizationId={organization_id} />;
  // An invitation is known by whom it was for.
  if (action.startsWith('invitation.') && typeof detail.email === 'string') {
    return <span title={subject}>{detail.email}</span>;
  }
  if (!hadName(action)) return <span className="mono">{subject}</span>;
  return (
    <span className="quiet" title={subject}>
      {t('audit.deleted')}
    </span>
  );
}

interface KnownSubjectProps {
  readonly id: string;
  readonly known: NonNullable<AuditEntry['subject_name']>;
  readonly organizationId: string | null;
}

function KnownSubject({ id, known: { kind, name }, organizationId }: KnownSubjectProps) {
  const params = { organizationId: organizationId ?? '' };
  if (organizationId !== null && kind === 'certificate') {
    return (
      <Link title={id} to="/o/$organizationId/certificates/$certificateId" params={{ ...params, certificateId: id }}>
        {name}
      </Link>
    );
  }
  if (organizationId !== null && kind === 'deployment') {
    return (
      <Link title={id} to="/o/$organizationId/deployments/$deploymentId" params={{ ...params, deploymentId: id }}>
        {name}
      </Link>
    );
  }
  if (organizationId !== null && kind === 'messaging-key') {
    return (
      <Link
        title={id}
        to="/o/$organizationId/messaging-keys/$messagingKeyId"
        params={{ ...params, messagingKeyId: id }}
      >
        {name}
      </Link>
    );
  }
  if (organizationId !== null && kind === 'management-key') {
    return (
      <Link title={id} to="/o/$organizationId/management-keys" params={params}>
        {name}
      </Link>
    );
  }
  return <span title={id}>{name}</span>;
}
