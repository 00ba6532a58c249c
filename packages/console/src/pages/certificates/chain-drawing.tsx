import { showChain } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { ExpiryMark } from '../../parts/marks/expiry-mark.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import { EmptyState } from '../../parts/tables/empty-state.tsx';
import { CopiedText } from '../../parts/text/copied-text.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { commonName } from './common-name.ts';

interface ChainDrawingProps {
  readonly organizationId: string;
  readonly certificateId: string;
}

/** The chain of the current version, from the leaf to the issuer that clients must know. */
export function ChainDrawing({ organizationId, certificateId }: ChainDrawingProps) {
  const { t } = useTranslation();
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
        <li className="chain-link">
          <div className="row">
            <strong>{commonName(last.issuer)}</strong>
            <Mark tone="soon">{t('certificates.chain.root')}</Mark>
          </div>
          <div className="quiet small">{t('certificates.chain.rootLead')}</div>
        </li>
      )}
    </ol>
  );
}
