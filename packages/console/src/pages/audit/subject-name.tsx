import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { AuditEntry } from '../../api/shown-things.ts';
import { CertificateLink, DeploymentLink, MessagingKeyLink } from '../../parts/marks/thing-link.tsx';
import { hadName } from './audit-words.ts';

/** The subject by its name with a link, if it still exists; the id on hover. */
export function SubjectName({ entry }: { readonly entry: AuditEntry }) {
  const { t } = useTranslation();
  const { subject, subject_name: known, action, detail, organization_id } = entry;
  if (known !== null) return <KnownSubject id={subject} known={known} organizationId={organization_id} />;
  // An invitation is named by its recipient.
  if (action.startsWith('invitation.') && typeof detail.email === 'string') {
    return <span title={subject}>{detail.email}</span>;
  }
  if (!hadName(action)) return <span className="mono">{subject}</span>;
  return (
    <span className="quiet" title={subject}>
      {t('deployments.deleted')}
    </span>
  );
}

const links = { certificate: CertificateLink, deployment: DeploymentLink, 'messaging-key': MessagingKeyLink } as const;

interface KnownSubjectProps {
  readonly id: string;
  readonly known: NonNullable<AuditEntry['subject_name']>;
  readonly organizationId: string | null;
}

function KnownSubject({ id, known: { kind, name }, organizationId }: KnownSubjectProps) {
  if (organizationId === null) return <span title={id}>{name}</span>;
  if (kind === 'management-key') {
    return (
      <Link title={id} to="/o/$organizationId/management-keys" params={{ organizationId }}>
        {name}
      </Link>
    );
  }
  const KindLink = kind in links ? links[kind as keyof typeof links] : undefined;
  if (KindLink === undefined) return <span title={id}>{name}</span>;
  return <KindLink organizationId={organizationId} id={id} title={id} name={name} />;
}
