import { useTranslation } from 'react-i18next';
import { Mark } from './mark.tsx';

interface AccessMarksProps {
  readonly access: { readonly enabled: boolean; readonly permitted?: boolean; readonly expires_at: string | null };
  /** The meaning of `permitted: false`; left out where there is no such switch. */
  readonly notPermitted?: string;
}

/** Whether a token is accepted: on or off, not permitted, expired. */
export function AccessMarks({ access, notPermitted }: AccessMarksProps) {
  const { t } = useTranslation();
  const { enabled, permitted, expires_at } = access;
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return (
    <span className="row">
      <Mark tone={enabled ? 'good' : 'plain'}>{t(enabled ? 'deployments.on' : 'deployments.off')}</Mark>
      {permitted === false && <Mark tone="soon">{notPermitted}</Mark>}
      {isExpired && <Mark tone="bad">{t('deployments.expired')}</Mark>}
    </span>
  );
}
