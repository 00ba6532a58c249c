import { useTranslation } from 'react-i18next';
import type { Certificate } from '../../api/shown-things.ts';
import { Mark } from '../../parts/marks/mark.tsx';
import { type ShownCertificate, shownState } from './certificate-state.ts';

const tones = {
  pending: 'info',
  issued: 'good',
  expiring: 'soon',
  expired: 'bad',
  failed: 'bad',
  revoked: 'plain',
  versionRevoked: 'bad',
} as const;

export function StateMark({ certificate }: { readonly certificate: ShownCertificate }) {
  const { t } = useTranslation();
  const state = shownState(certificate, Date.now());
  return <Mark tone={tones[state]}>{t(`certificates.states.${state}`)}</Mark>;
}

const remarkTones = { missing_intermediate: 'bad', issuer_unknown: 'soon' } as const;

/** Remarks on the chain that every list shows; the certificate's page has all with their sentences. */
export function RemarkMarks({ certificate }: { readonly certificate: Pick<Certificate, 'warnings'> }) {
  const { t } = useTranslation();
  return certificate.warnings.map(({ code }) => {
    if (code !== 'missing_intermediate' && code !== 'issuer_unknown') return null;
    return (
      <Mark key={code} tone={remarkTones[code]}>
        {t(`certificates.remarks.${code}`)}
      </Mark>
    );
  });
}

const shown = 2;

/** The first domains and the number of the others; on hover those that the list holds. */
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
