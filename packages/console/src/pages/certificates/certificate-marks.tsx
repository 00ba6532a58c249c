import { useTranslation } from 'react-i18next';
import { Mark } from '../../parts/mark.tsx';
import type { CertificateState } from './certificate-filters.ts';

const tones = { pending: 'info', issued: 'good', failed: 'bad', revoked: 'plain' } as const;

export function StateMark({ state }: { readonly state: CertificateState }) {
  const { t } = useTranslation();
  return <Mark tone={tones[state]}>{t(`certificates.states.${state}`)}</Mark>;
}

const shown = 2;

/** The first domains, the number of the others, and all of them on hover. */
export function Domains({ domains }: { readonly domains: readonly string[] }) {
  const more = domains.length - shown;
  return (
    <span className="break-anywhere">
      {domains.slice(0, shown).join(', ')}
      {more > 0 && (
        <span title={domains.slice(0, 100).join(', ')}>
          {' '}
          <Mark>+{more}</Mark>
        </span>
      )}
    </span>
  );
}
