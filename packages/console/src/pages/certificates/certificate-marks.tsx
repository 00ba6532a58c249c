import { useTranslation } from 'react-i18next';
import type { Certificate } from '../../api/shown-things.ts';
import { Mark } from '../../parts/mark.tsx';
import type { CertificateState } from './certificate-filters.ts';

const tones = { pending: 'info', issued: 'good', failed: 'bad', revoked: 'plain' } as const;

export function StateMark({ state }: { readonly state: CertificateState }) {
  const { t } = useTranslation();
  return <Mark tone={tones[state]}>{t(`certificates.states.${state}`)}</Mark>;
}

const shown = 2;

/** The first domains, the number of the others, and those that a list tells on hover. */
export function Domains({ certificate }: { readonly certificate: Pick<Certificate, 'domains' | 'domain_count'> }) {
  const { domains, domain_count: count } = certificate;
  const more = count - shown;
  return (
    <span className="break-anywhere">
      {domains.slice(0, shown).join(', ')}
      {more > 0 && (
        <span title={domains.join(', ')}>
          {' '}
          <Mark>+{more}</Mark>
        </span>
      )}
    </span>
  );
}
