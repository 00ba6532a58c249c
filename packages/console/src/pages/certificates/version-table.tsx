import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import {
  activateCertificate,
  listCertificateVersions,
  revokeCertificate,
  type showCertificate,
} from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { ExpiryMark } from '../../parts/marks/expiry-mark.tsx';
import { Instant } from '../../parts/marks/instant.tsx';
import { Mark } from '../../parts/marks/mark.tsx';
import type { Column } from '../../parts/tables/column.ts';
import { ItemTable } from '../../parts/tables/item-table.tsx';
import { CopiedText } from '../../parts/text/copied-text.tsx';
import { ActivateButton } from './activate-button.tsx';
import { DownloadMenu } from './download-menu.tsx';
import { RevokeButton } from './revoke-button.tsx';

type Details = AnswerOf<typeof showCertificate>;
type Version = Details['versions'][number];

const placeTones = { current: 'good', former: 'soon', history: 'plain' } as const;

export function VersionTable({ certificate }: { readonly certificate: Details }) {
  const { t } = useTranslation();
  const { organization_id, id, name } = certificate;
  const may = useMay(organization_id);
  const pages = usePages(listCertificateVersions, { params: { organization_id, certificate_id: id } });
  const columns: Column<Version>[] = [
    {
      title: t('certificates.versions.number'),
      width: 130,
      cell: ({ number, key_type }) => (
        <div>
          {t('deployments.versionNumber', { number })}
          <div className="quiet small">{key_type}</div>
        </div>
      ),
    },
    {
      title: t('certificates.versions.place'),
      width: 120,
      cell: ({ place, state }) =>
        state === 'revoked' ? (
          <Mark>{t('certificates.states.revoked')}</Mark>
        ) : (
          <Mark tone={placeTones[place]}>{t(`certificates.places.${place}`)}</Mark>
        ),
    },
    { title: t('common.expires'), width: 215, cell: ({ expires_at }) => <ExpiryMark at={expires_at} /> },
    {
      title: t('certificates.versions.serial'),
      cell: ({ serial, issuer }) => (
        <div className="break-anywhere">
          <span className="small">
            <CopiedText text={serial} label={t('certificates.versions.serial')} />
          </span>
          <div className="quiet small">{issuer}</div>
        </div>
      ),
    },
    { title: t('certificates.versions.created'), width: 140, cell: ({ created_at }) => <Instant at={created_at} /> },
    {
      title: t('common.actions'),
      width: 330,
      cell: (version) =>
        version.state === 'issued' && (
          <span className="row one-line">
            {may(activateCertificate) && version.place !== 'current' && certificate.state === 'issued' && (
              <ActivateButton organizationId={organization_id} certificateId={id} version={version} />
            )}
            <DownloadMenu certificate={certificate} version={version} size="small" />
            {may(revokeCertificate) && versionIsRevocable(certificate) && (
              <RevokeButton organizationId={organization_id} certificateId={id} name={name} version={version} />
            )}
          </span>
        ),
    },
  ];
  return (
    <ItemTable<Version>
      label={t('certificates.tabs.versions')}
      pages={pages}
      columns={columns}
      rowKey={({ id: versionId }) => versionId}
      minWidth={1140}
      empty={null}
    />
  );
}

function versionIsRevocable({ state, versions }: Details): boolean {
  return state !== 'revoked' && versions.length > 1;
}
