import { useTranslation } from 'react-i18next';
import type { Deployment } from '../../api/shown-things.ts';
import { Ago } from '../../parts/marks/ago.tsx';
import { formatDuration } from '../../parts/marks/duration.ts';
import { formatInstant } from '../../parts/marks/format-instant.ts';
import { Mark } from '../../parts/marks/mark.tsx';

/** Whether the server has the current version, and else since when it should, and which one it has. */
export function VersionMark({ deployment }: { readonly deployment: Deployment }) {
  const { t, i18n } = useTranslation();
  const { outdated_since: since, current_version, last_version, last_version_number: number } = deployment;
  const versionName = number === null ? undefined : t('deployments.versionNumber', { number });
  if (since === null) {
    if (last_version === null) return '–';
    return (
      <span className="row">
        {last_version === current_version && <Mark tone="good">{t('deployments.rollout.current')}</Mark>}
        <span className="quiet figures">{versionName}</span>
      </span>
    );
  }
  const time = formatDuration(Date.now() - Date.parse(since), i18n.language);
  return (
    <span>
      <span className="row">
        <Mark tone="soon">{t('deployments.rollout.outdated')}</Mark>
        {versionName !== undefined && <span className="quiet figures">{versionName}</span>}
      </span>
      <span className="quiet small figures" title={formatInstant(since, i18n.language)}>
        {t('deployments.rollout.outdatedFor', { time })}
      </span>
    </span>
  );
}

/** When the server fetched last, and by which program. */
export function LastFetch({ deployment }: { readonly deployment: Deployment }) {
  const { t } = useTranslation();
  const { last_seen_at: at, last_user_agent: program } = deployment;
  if (at === null) return <span className="quiet">{t('deployments.never')}</span>;
  return (
    <span>
      <Ago at={at} />
      {program !== null && program !== '' && (
        <div className="quiet small shortened" title={program}>
          {program}
        </div>
      )}
    </span>
  );
}
