import { useTranslation } from 'react-i18next';
import { Mark } from './mark.tsx';

export interface AccessMarksProps {
  readonly access: { readonly enabled: boolean; readonly permitted: boolean; readonly expires_at: string | null };
  /** What `permitted: false` means here. */
  readonly notPermitted: string;
}

/** Whether a token is good: on or off, and whatever else keeps it from being taken. */
export function AccessMarks({ access, notPermitted }: AccessMarksProps) {
  const { t } = useTranslation();
  const { enabled, permitted, expires_at } = access;
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return (
    <span className="row">
      <Mark tone={enabled ? 'good' : 'plain'}>{t(enabled ? 'deployments.on' : 'deployments.off')}</Mark>
      {!permitted && <Mark tone="soon">{notPermitted}</Mark>}
      {isExpired && <Mark tone="bad">{t('deployments.expired')}</Mark>}
    </span>
  );
}
