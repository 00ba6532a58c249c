import { useTranslation } from 'react-i18next';
import { expiryOf } from './expiry.ts';
import { Instant } from './instant.tsx';
import { Mark } from './mark.tsx';

const tones = { past: 'bad', urgent: 'bad', soon: 'soon', far: 'good' } as const;

/** The days left, in colour, and the date. */
export function ExpiryMark({ at, withDate = true }: { readonly at: string; readonly withDate?: boolean }) {
  const { t } = useTranslation();
  const { days, nearness } = expiryOf(at, Date.now());
  return (
    <span className="row">
      <Mark tone={tones[nearness]}>
        {nearness === 'past'
          ? t('certificates.expiredSince', { count: -days })
          : t('certificates.daysLeft', { count: days })}
      </Mark>
      {withDate && (
        <span className="quiet">
          <Instant at={at} dateOnly />
        </span>
      )}
    </span>
  );
}
