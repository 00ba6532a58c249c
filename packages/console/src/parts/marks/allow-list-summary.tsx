import { useTranslation } from 'react-i18next';
import { Mark } from './mark.tsx';

const shown = 3;

/** The beginning of an allow-list, for a table's cell. */
export function AllowListSummary({ allow }: { readonly allow: readonly string[] }) {
  const { t } = useTranslation();
  if (allow.length === 0) return <Mark tone="soon">{t('deployments.admitsNobody')}</Mark>;
  return (
    <span className="mono break-anywhere">
      {allow.slice(0, shown).join(', ')}
      {allow.length > shown && ` +${allow.length - shown}`}
    </span>
  );
}
