import { useTranslation } from 'react-i18next';
import { formatInstant } from './format-instant.ts';
import { timeAgo } from './time-ago.ts';
import { useNow } from './use-now.ts';

/** How long ago a time (RFC 3339) was, counted on while it is shown. */
export function RunningAgo({ at }: { readonly at: string }) {
  const { i18n } = useTranslation();
  const now = useNow(1_000);
  return (
    <time dateTime={at} title={formatInstant(at, i18n.language)}>
      {timeAgo(at, now, i18n.language)}
    </time>
  );
}
