import { showChain } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import type { Certificate } from '../../api/shown-things.ts';
import { ExpiryMark } from '../../parts/marks/expiry-mark.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { EmptyState } from '../../parts/tables/empty-state.tsx';
import { CopiedText } from '../../parts/text/copied-text.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { commonName } from './common-name.ts';

interface ChainDrawingProps {
  readonly certificate: Pick<Certificate, 'id' | 'organization_id' | 'warnings'>;
}

/** The chain of the current version, leaf first, to the issuer that clients must know, with gaps for what is missing. */
export function ChainDrawing({ certificate }: ChainDrawingProps) {
  const { t } = useTranslation();
  const { organization_id: organizationId, id: certificateId, warnings } = certificate;
  const end = issuerKind(warnings);
  const chain = useAnswer(showChain, { params: { organization_id: organizationId, certificate_id: certificateId } });
  if (chain.error?.code === 'not_found') return <EmptyState title={t('certificates.chain.none')} />;
  if (chain.error !== null || chain.data === undefined) return <Unread of={chain} />;
  const { links } = chain.data;
  const last = links.at(-1);
  const isSelfSigned = last !== undefined && last.issuer === last.subject;
  return (
    <ol className="chain">
      {links.map((link, index) => (
        <li key={link.fingerprint_sha256} className="chain-link">
          <div className="row">
            <strong>{commonName(link.subject)}</strong>
            <Mark>{t(index === 0 ? 'certificates.chain.leaf' : 'certificates.chain.intermediate')}</Mark>
            <span className="quiet small">{link.key_type}</span>
            <span className="grow" />
            <ExpiryMark at={link.expires_at} />
          </div>
          <div className="quiet small">{link.subject}</div>
          <div className="quiet small">
            SHA-256 <CopiedText text={link.fingerprint_sha256} label="SHA-256" />
          </div>
        </li>
      ))}
      {last !== undefined && !isSelfSigned && (
        <li className={end === 'missing' ? 'chain-link at-fault' : 'chain-link'}>
          <div className="row">
            <strong>{commonName(last.issuer)}</strong>
            <Mark tone={issuerTones[end]}>{t(`certificates.chain.issuers.${end}`)}</Mark>
          </div>
          <div className="quiet small">{t(`certificates.chain.issuerLeads.${end}`)}</div>
        </li>
      )}
    </ol>
  );
}

const issuerTones = { root: 'plain', missing: 'bad', unknown: 'soon' } as const;

/** A line about the issuer that stands above the chain. */
function issuerKind(warnings: Certificate['warnings']): keyof typeof issuerTones {
  if (warnings.some(({ code }) => code === 'missing_intermediate')) return 'missing';
  return warnings.some(({ code }) => code === 'issuer_unknown') ? 'unknown' : 'root';
}
