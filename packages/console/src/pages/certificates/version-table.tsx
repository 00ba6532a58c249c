import {
  listCertificateVersions,
  revokeCertificate,
  type showCertificate,
} from '@waxwing/contract/management-api/certificate-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { TableColumnType } from 'antd';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { CopiedText } from '../../parts/copied-text.tsx';
import { ExpiryMark } from '../../parts/expiry-mark.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ItemTable } from '../../parts/item-table.tsx';
import { Mark } from '../../parts/mark.tsx';
import { DownloadMenu } from './download-menu.tsx';
import { RevokeButton } from './revoke-button.tsx';

type Details = AnswerOf<typeof showCertificate>;
type Version = Details['versions'][number];

const placeTones = { current: 'good', former: 'soon', history: 'plain' } as const;

/** All versions of a certificate, newest first, with what servers get of them. */
export function VersionTable({ certificate }: { readonly certificate: Details }) {
  const { t } = useTranslation();
  const { organization_id, id, name } = certificate;
  const may = useMay(organization_id);
  const pages = usePages(listCertificateVersions, { params: { organization_id, certificate_id: id } });
  const columns: TableColumnType<Version>[] = [
    {
      title: t('certificates.versions.number'),
      key: 'number',
      width: 110,
      render: (_value, { number }) => t('deployments.versionNumber', { number }),
    },
    {
      title: t('certificates.versions.place'),
      key: 'place',
      width: 120,
      render: (_value, { place, state }) =>
        state === 'revoked' ? (
          <Mark>{t('certificates.states.revoked')}</Mark>
        ) : (
          <Mark tone={placeTones[place]}>{t(`certificates.places.${place}`)}</Mark>
        ),
    },
    {
      title: t('certificates.columns.expires'),
      key: 'expires',
      width: 215,
      render: (_value, { expires_at }) => <ExpiryMark at={expires_at} />,
    },
    { title: t('certificates.keyType'), dataIndex: 'key_type', width: 110 },
    {
      title: t('certificates.versions.serial'),
      key: 'serial',
      render: (_value, { serial, issuer }) => (
        <div className="break-anywhere">
          <span className="small">
            <CopiedText text={serial} label={t('certificates.versions.serial')} />
          </span>
          <div className="quiet small">{issuer}</div>
        </div>
      ),
    },
    {
      title: t('certificates.versions.created'),
      key: 'created',
      width: 205,
      render: (_value, { created_at }) => <Instant at={created_at} />,
    },
    {
      title: t('common.actions'),
      key: 'actions',
      width: 200,
      render: (_value, version) =>
        version.state === 'issued' && (
          <span className="row one-line">
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
      minWidth={1080}
      empty={null}
    />
  );
}

function versionIsRevocable({ state, versions }: Details): boolean {
  return state !== 'revoked' && versions.length > 1;
}
