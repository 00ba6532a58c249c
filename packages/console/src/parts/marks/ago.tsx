import { useTranslation } from 'react-i18next';
import { formatInstant } from './format-instant.ts';
import { timeAgo } from './time-ago.ts';

/** How long ago a time (RFC 3339) was. Hovering or touching it shows the time itself. */
export function Ago({ at }: { readonly at: string }) {
  const { i18n } = useTranslation();
  return (
    <time dateTime={at} title={formatInstant(at, i18n.language)}>
      {timeAgo(at, Date.now(), i18n.language)}
    </time>
  );
}
