import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Mark } from '../../parts/marks/mark.tsx';
import { CertificateLink, DeploymentLink } from '../../parts/marks/thing-link.tsx';
import type { Alert } from './alert-scope.ts';
import { alertWords } from './alert-words.ts';

/** The mark of an alert: trouble, the end of trouble, or good news. */
export function AlertMark({ alert: { kind, resolved } }: { readonly alert: Alert }) {
  const { t } = useTranslation();
  if (resolved) return <Mark tone="good">{t('alerts.marks.over')}</Mark>;
  if (kind === 'certificate.rollout-complete') return <Mark tone="info">{t('alerts.marks.news')}</Mark>;
  return <Mark tone="bad">{t('alerts.marks.trouble')}</Mark>;
}

/** The sentence of an alert, as a link to the thing that it is about. */
export function AlertSubject({ alert }: { readonly alert: Alert }) {
  const { i18n } = useTranslation();
  const { kind, organization_id: organizationId, about_id: id } = alert;
  const { subject } = alertWords(i18n, alert);
  if (kind === 'carrier.down') {
    return (
      <Link className="break-anywhere" to="/instance/carriers/$carrierId" params={{ carrierId: id }}>
        {subject}
      </Link>
    );
  }
  if (organizationId === null) return subject;
  if (kind === 'push.failing') {
    return (
      <Link to="/o/$organizationId/push-settings" params={{ organizationId }}>
        {subject}
      </Link>
    );
  }
  const AboutLink = kind === 'deployment.outdated' ? DeploymentLink : CertificateLink;
  return <AboutLink organizationId={organizationId} id={id} name={subject} />;
}
