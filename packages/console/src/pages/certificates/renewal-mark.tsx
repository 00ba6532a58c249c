import { useTranslation } from 'react-i18next';
import type { Certificate } from '../../api/shown-things.ts';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';

type Renewal = NonNullable<Certificate['renewal']>;

/** Whether a renewal is under way or has failed; nothing for one that is only planned. */
export function RenewalMark({ renewal }: { readonly renewal: Renewal }) {
  const { t } = useTranslation();
  const { state, last_error } = renewal;
  if (state === 'running') return <Mark tone="info">{t('certificates.renewal.running')}</Mark>;
  if (last_error !== null) return <Mark tone="bad">{t('certificates.renewal.failing')}</Mark>;
  return state === 'off' ? <Mark>{t('certificates.renewal.off')}</Mark> : null;
}

/** When it is renewed next; of one that failed the reason as well. */
export function NextRenewal({ renewal }: { readonly renewal: Renewal }) {
  const { t } = useTranslation();
  const { next_at, last_error } = renewal;
  return (
    <div>
      <span className="row">
        <RenewalMark renewal={renewal} />
        {next_at !== null && (
          <span className="quiet small">
            {t(last_error === null ? 'certificates.renewal.next' : 'certificates.renewal.nextTry')}{' '}
            <Instant at={next_at} dateOnly={last_error === null} />
          </span>
        )}
      </span>
      {last_error !== null && (
        <div className="quiet small break-anywhere" title={last_error}>
          {shortened(last_error)}
        </div>
      )}
    </div>
  );
}

/** The certificate's page has the whole. */
const shownCharacters = 80;

function shortened(text: string): string {
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
